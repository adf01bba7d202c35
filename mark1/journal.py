"""The journal: every command and fact as one line of JSON, and the way back: replay.

It holds the light itself, each card once, by hash, so it replays with the pictures gone. A line is written whole or,
after a crash, not at all: a last line without its end is ignored. What each line needs to be replayed exactly is the
number of events that the machine had served when the command came ('served').
"""

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from mark1.core import commands, facts
from mark1.core.config import MachineConfig
from mark1.core.errors import Mark1Error, SaveError
from mark1.core.machine import Mark1
from mark1.core.retina import FULL_PPM, light_ppm, tray_ppm

VERSION = 1
ACTED = (facts.Rehearsed, facts.ObserverDetached)  # facts that no command caused, so replay must bring them about
LIGHTS = {"light": False, "lights": True}  # fields that hold light: of one card, or of a tray


class Journal:
    """An observer that writes lines. Attach it with Journal(machine, file); close() ends it.

    A file that cannot be written does not stop the machine: no more is written, and close() raises the first error.
    """

    def __init__(self, machine: Mark1, file: IO[str], with_facts: bool = True) -> None:
        self._machine, self._file, self._with_facts = machine, file, with_facts
        self._trouble: OSError | None = None
        self._cards: set[str] = set()
        self._base = machine.events_served
        self._write(_opening(machine))
        machine.observe(self.take)

    def take(self, fact: Any) -> None:
        """One fact becomes one line (and the cards of a command, the first time they are seen)."""
        if isinstance(fact, facts.CommandTaken):
            line: dict[str, Any] = {"n": fact.number, "at_us": fact.at_us, "served": self._served()}
            self._write(line | {"command": type(fact.command).__name__} | self._fields(fact.command))
            self._flush()
        elif self._with_facts or isinstance(fact, ACTED):
            fields = dict(zip(fact._fields[2:], fact[2:], strict=True))
            line = {"n": fact.number, "at_us": fact.at_us, "fact": type(fact).__name__}
            if isinstance(fact, ACTED):
                line["served"] = self._served()
            self._write(line | {name: _plain(value) for name, value in fields.items()})

    def close(self) -> None:
        """Says where the machine stands, and detaches; raises what kept the journal from being whole."""
        self._machine.unobserve(self.take)
        end = {"end": self._machine.fact_number, "at_us": self._machine.now_us, "served": self._served()}
        self._write(end)
        self._flush()
        if self._trouble is not None:
            raise self._trouble

    def _served(self) -> int:
        return self._machine.events_served - self._base

    def _fields(self, command: commands.Command) -> dict[str, Any]:
        return {name: self._field(name, value) for name, value in command._asdict().items()}

    def _field(self, name: str, value: Any) -> Any:
        if name in LIGHTS:
            return self._card(value, LIGHTS[name])
        if name == "targets" and value is not None:
            return _plain(np.asarray(value).astype(np.int8))
        return np.asarray(value, dtype=np.float64).tolist() if name == "values_uv" else _plain(value)

    def _card(self, light: Any, many: bool) -> Any:
        cells = self._machine.config.retina.cells
        cards = tray_ppm(light, cells) if many else [light_ppm(light, self._machine.config.retina)]
        names = [self._name(card) for card in cards]
        return names if many else names[0]

    def _name(self, card: Any) -> str:
        text = _light_text(card)
        name = hashlib.sha256(text.encode()).hexdigest()[:16]
        if name not in self._cards:
            self._cards.add(name)
            self._write({"new_card": name, "light": text})
        return name

    def _write(self, line: dict[str, Any]) -> None:
        if self._trouble is None:
            try:
                self._file.write(json.dumps(line, separators=(",", ":"), default=_plain) + "\n")
            except OSError as error:
                self._trouble = error

    def _flush(self) -> None:
        if self._trouble is None:
            try:
                self._file.flush()
            except OSError as error:
                self._trouble = error


def _opening(machine: Mark1) -> dict[str, Any]:
    if machine.fact_number == 0 and machine.now_us == 0:
        return {"journal": VERSION, "seed": machine.seed, "config": machine.config.to_dict()}
    return {"journal": VERSION, "saved": base64.b64encode(machine.save()).decode()}


def _light_text(card: Any) -> str:
    if np.isin(card, (0, FULL_PPM)).all():
        return f"bits:{len(card)}:" + np.packbits(card > 0).tobytes().hex()
    return "ppm:" + " ".join(map(str, card.tolist()))


def _light_from(text: str) -> Any:
    kind, _, rest = text.partition(":")
    if kind == "ppm":
        return np.array([int(word) for word in rest.split()], np.float64) / FULL_PPM
    count, _, digits = rest.partition(":")
    return np.unpackbits(np.frombuffer(bytes.fromhex(digits), np.uint8), count=int(count)).astype(np.float64)


def _plain(value: Any) -> Any:
    """Arrays short and readable: flags and signs as text, numbers as lists."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, np.ndarray):
        if value.dtype == np.bool_:
            return "hex:" + np.packbits(value).tobytes().hex()
        if value.dtype == np.int8:
            return _signs(value) if value.ndim == 1 else [_signs(row) for row in value]
        return value.tolist()
    return value


def _signs(row: Any) -> str:
    return "".join("0+-"[v] for v in row)


def _from_signs(text: str) -> list[int]:
    return [(0, 1, -1)["0+-".index(sign)] for sign in text]


# -- replay ----------------------------------------------------------------------------------------------------


def read_lines(path: str | Path) -> Iterator[dict[str, Any]]:
    """The lines of a journal file; an unfinished last line is left out."""
    try:
        with Path(path).open(encoding="ascii") as file:
            for number, line in enumerate(file, 1):
                if line.endswith("\n"):
                    yield _parsed(line, f"{path}, line {number}")
    except UnicodeDecodeError:
        raise SaveError(f"{path} is not a journal.") from None
    except OSError as error:
        raise SaveError(f"{path} cannot be read ({error.strerror}); check the name.") from None


def _parsed(line: str, where: str) -> dict[str, Any]:
    try:
        parsed = json.loads(line)
    except (ValueError, RecursionError):
        parsed = None
    if not isinstance(parsed, dict):
        raise SaveError(f"{where} is damaged; the journal replays only up to there.")
    return parsed


def replay(lines: Iterable[dict[str, Any]]) -> Mark1:
    """The machine at the end of a journal."""
    try:
        return _replay(iter(lines))
    except SaveError:
        raise
    except (Mark1Error, LookupError, TypeError, ValueError, AttributeError, StopIteration) as error:
        raise SaveError(f"this journal does not replay ({error}); it was changed, or is not one.") from None


def _replay(lines: Iterator[dict[str, Any]]) -> Mark1:
    machine = _machine(next(lines, {}))
    base, cards = machine.events_served, dict[str, Any]()
    last = 0
    for line in lines:
        if "new_card" in line:
            cards[line["new_card"]] = _light_from(line["light"])
        if "served" in line:
            machine.serve(base + line["served"], line["at_us"] if "command" in line or "end" in line else None)
        if "command" in line:
            machine.replay_command(_command(line, cards))
        elif line.get("fact") == "Rehearsed":
            machine.rehearse(max_presentations=line["presentations"])
        elif line.get("fact") == "ObserverDetached":
            machine.replay_detached(line["observer"], line["error"])
        elif "end" in line and machine.fact_number != line["end"]:
            raise SaveError("this journal does not replay to the machine that it recorded; it was changed.")
        last = max(last, line.get("n", 0))
    machine.serve_facts(last)
    return machine


def _machine(opening: dict[str, Any]) -> Mark1:
    version = opening.get("journal")
    if not isinstance(version, int):
        raise SaveError("this is not a Mark I journal.")
    if version > VERSION:
        raise SaveError(f"this journal has format {version}, newer than {VERSION}; install a newer mark1.")
    if "saved" in opening:
        return Mark1.restored(base64.b64decode(opening["saved"]))
    return Mark1(MachineConfig.from_dict(opening["config"]), opening["seed"])


def _command(line: dict[str, Any], cards: dict[str, Any]) -> commands.Command:
    kind = commands.ALL[line["command"]]
    values: dict[str, Any] = {}
    for field in kind._fields:
        value = line[field]
        if field in LIGHTS:
            value = np.array([cards[name] for name in value]) if LIGHTS[field] else cards[value]
        elif field == "saved":
            value = base64.b64decode(value)
        elif field == "targets" and isinstance(value, str):
            value = np.array(_from_signs(value))
        elif field == "targets" and value and isinstance(value[0], str):
            value = np.array([_from_signs(row) for row in value])
        elif isinstance(value, list) and field in ("names", "codes", "units"):
            value = tuple(value)
        values[field] = value
    command: commands.Command = kind(**values)
    return command
