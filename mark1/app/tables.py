"""A machine's plugboard and values as CSV, and back.

plugboard: a_unit,row,column,kind     one line a wire; kind is excitatory or inhibitory
values:    a_unit,r_unit,value_uv     one line a potentiometer; whole microvolts
Units, rows and columns are counted from 1, as people count.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from mark1 import MachineState
from mark1.commands import LoadValues, Rewire
from mark1.errors import InputError

PLUGBOARD_HEAD = ("a_unit", "row", "column", "kind")
VALUES_HEAD = ("a_unit", "r_unit", "value_uv")
KINDS = {"excitatory": 1, "inhibitory": -1}
MOST_BYTES = 256 * 2**20


def plugboard_csv(state: MachineState) -> str:
    """Every wire of the machine."""
    columns = state.config.retina.columns
    words = {sign: kind for kind, sign in KINDS.items()}
    rows = [
        (unit + 1, (abs(wire) - 1) // columns + 1, (abs(wire) - 1) % columns + 1, words[1 if wire > 0 else -1])
        for unit, wires in enumerate(state.table.tolist())
        for wire in wires
        if wire
    ]
    return _written(PLUGBOARD_HEAD, rows)


def values_csv(state: MachineState) -> str:
    """Every potentiometer of the machine."""
    rows = [
        (unit + 1, int(state.feeds[bank, unit]) + 1, int(state.values[bank, unit]))
        for bank in range(state.values.shape[0])
        for unit in range(state.values.shape[1])
    ]
    return _written(VALUES_HEAD, sorted(rows))


def _written(head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue()


def read_plugboard(path: Path, state: MachineState) -> Rewire:
    """The command that plugs in the wires of a file."""
    rows, columns = state.config.retina.rows, state.config.retina.columns
    wires: list[list[int]] = [[] for _ in range(state.config.association.units)]
    for where, (unit, row, column, kind) in _lines(path, PLUGBOARD_HEAD):
        place = (_whole(where, "row", row, 1, rows) - 1) * columns + _whole(where, "column", column, 1, columns)
        if kind not in KINDS:
            raise InputError(f"{where} has the kind '{kind}'; write excitatory or inhibitory.")
        wires[_whole(where, "a_unit", unit, 1, len(wires)) - 1].append(place * KINDS[kind])
    for number, unit_wires in enumerate(wires, 1):
        if len({abs(wire) for wire in unit_wires}) != len(unit_wires):
            raise InputError(f"{path}: A-unit {number} is wired to one cell twice; remove one of the lines.")
    return Rewire(table=tuple(map(tuple, wires)))


def read_values(path: Path, state: MachineState) -> LoadValues:
    """The command that sets every potentiometer as a file says."""
    values = np.full(state.values.shape, np.nan)
    units, used = state.values.shape[1], state.config.response.in_use
    for where, (unit_text, response_text, value_text) in _lines(path, VALUES_HEAD):
        unit = _whole(where, "a_unit", unit_text, 1, units) - 1
        response = _whole(where, "r_unit", response_text, 1, used) - 1
        (banks,) = np.nonzero(state.feeds[:, unit] == response)
        if len(banks) != 1:
            raise InputError(f"{where}: A-unit {unit + 1} does not feed R-unit {response + 1} in this machine.")
        if not np.isnan(values[banks[0], unit]):
            raise InputError(f"{where} names a potentiometer a second time; remove one of the lines.")
        values[banks[0], unit] = _whole(where, "value_uv", value_text, -(10**12), 10**12)
    missing = int(np.isnan(values).sum())
    if missing:
        raise InputError(f"{path} has no value for {missing} of {values.size} potentiometers; add them.")
    return LoadValues(values)


def _lines(path: Path, head: tuple[str, ...]) -> Iterator[tuple[str, list[str]]]:
    """Each line with its place, checked for the number of columns."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"{path} is too large for a table; name another file.")
        reader = csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig")), strict=True)
        table = list(reader)
    except OSError as error:
        raise InputError(f"{path} cannot be read ({(error.strerror or '').lower()}); check the name.") from None
    except (UnicodeDecodeError, csv.Error):
        raise InputError(f"{path} is not a CSV table; export one first to see its form.") from None
    if not table or tuple(word.strip() for word in table[0]) != head:
        raise InputError(f"{path} must begin with the line {','.join(head)}; export a table to see its form.")
    for number, words in enumerate(table[1:], 2):
        if words and len(words) != len(head):
            raise InputError(f"{path}, line {number} has {len(words)} columns instead of {len(head)}; correct it.")
        if words:
            yield f"{path}, line {number}", [word.strip() for word in words]


def _whole(where: str, column: str, text: str, low: int, high: int) -> int:
    if not re.fullmatch(r"[+-]?[0-9]+", text) or len(text) > 14 or not low <= int(text) <= high:
        raise InputError(f"{where} has '{text[:20]}' as {column}; give a whole number from {low:,} to {high:,}.")
    return int(text)
