"""Writes mark1/core/defaults.py and docs/facts.md from the ledger docs/facts.toml. Run by `make facts`.

Standard library only, because make runs it before anything is installed. A row's value stands in the source's own
unit; here it becomes the whole microvolts, microseconds or parts per million that the constant's name promises.
"""

import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from textwrap import shorten
from typing import Any

try:
    import tomllib
except ModuleNotFoundError:
    sys.exit("Python 3.11 or newer is needed; name one, as in: PYTHON=python3.12 make run.")

ROOT = Path(__file__).resolve().parent.parent
LEDGER = ROOT / "docs" / "facts.toml"
APPENDIX = ROOT / "docs" / "appendix_1957.toml"
DEFAULTS = ROOT / "mark1" / "core" / "defaults.py"
PAGE = ROOT / "docs" / "facts.md"
WIDTH = 120

# The unit of a row -> what the constant's name must end with, and how many of those units it is.
UNITS = {
    "V": ("_UV", 1_000_000),
    "V/s": ("_UV_S", 1_000_000),
    "s": ("_US", 1_000_000),
    "ms": ("_US", 1_000),
    "%": ("_PPM", 10_000),
    "of full light": ("_PPM", 1_000_000),
}
ENDINGS = tuple(ending for ending, _ in UNITS.values())

SECTIONS = {
    "identity": "Identity",
    "retina": "Sensory units: the retina",
    "plugboard": "Plugboard: S to A",
    "association": "Association units",
    "value": "Values: potentiometers and motors",
    "system": "Reinforcement systems",
    "response": "Response units",
    "operation": "Operation",
    "result": "Results to compare with",
    "report1957": "The report of 1957",
    "remembered": "Remembered for",
    "modern": "Of this program, not of 1960",
}

UNREAD_SENTENCE = (
    '**"Not found" means that we do not know, never that the manual is silent.** Motor speed, stops, increments, '
    "timing, jack counts, fan-in, thresholds and damage percentages should be in it."
)

DOCSTRING = (
    '"""Every default that history has an opinion on. Generated from docs/facts.toml: edit that file, not this one."""'
)

PAGE_TOP = f"""# The ledger of history

Generated from facts.toml by `make facts`: edit that file, not this one. A row that sets a default changes the machine.

Every number is **documented** (a source says so; A: primary document or period photograph, B: secondary account that
names a primary, C: one secondary account or a recollection), **inferred** (arithmetic from such facts), **chosen**
(ours), **modern** (nothing of the kind in 1960) or **not found**.

{UNREAD_SENTENCE}
"""

Row = dict[str, Any]


class LedgerError(Exception):
    """A row that cannot be used: names the row and the cure."""


def load(path: Path = LEDGER) -> dict[str, list[Row]]:
    """The ledger's rows; decimals stay exact."""
    return tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)


def constant(row: Row) -> int:
    """The row's value as the whole number that its constant holds."""
    name, unit = row["sets"], row.get("unit", "")
    ending, factor = UNITS.get(unit, ("", 1))
    if not name.endswith(ending) or (not ending and name.endswith(ENDINGS)):
        raise LedgerError(f"{row['id']}: unit {unit!r} does not fit the constant {name}; use a unit that does.")
    number = row["value"] * factor
    if isinstance(number, bool) or not isinstance(number, int | Decimal) or number != int(number):
        raise LedgerError(f"{row['id']}: {row['value']} {unit} is not a whole number for {name}; round it.")
    return int(number)


def reason(row: Row) -> str:
    """What a row rests on: its source, or why we chose it."""
    return str(row.get("source") or row.get("why", ""))


def graded(row: Row) -> str:
    """The grade, with the confidence where there is one."""
    return f"{row['grade']} ({row['confidence']})" if "confidence" in row else str(row["grade"])


def defaults_py(ledger: dict[str, list[Row]]) -> str:
    """The text of mark1/core/defaults.py."""
    lines = [DOCSTRING, ""]
    for row in ledger["fact"]:
        if "sets" in row:
            start = f"{row['sets']} = {constant(row):_}  # "
            lines.append(start + shorten(f"{graded(row)}: {reason(row)}", WIDTH - len(start), placeholder=" ..."))
    return "\n".join(lines) + "\n"


def facts_md(ledger: dict[str, list[Row]], appendix: dict[str, Any]) -> str:
    """The text of docs/facts.md: the unread sources first, then every section."""
    parts = [PAGE_TOP, "## Unread primary sources\n", *map(_unread, ledger["unread"])]
    for section, title in SECTIONS.items():
        rows = [row for row in ledger["fact"] if row["id"].split(".")[0] == section]
        cells = [_cells(row) for row in rows]
        parts.append(f"## {title}\n\n" + _table(["fact", "value", "grade", "source or reason", "sets"], cells))
    parts += ["## Numbers of the report of 1957\n", *_appendix(appendix)]
    return "\n".join(parts)


def _unread(row: Row) -> str:
    questions = "\n".join(f"- {question}" for question in row["questions"])
    return f"**{row['id']}**: {row['title']}. We have {row['have']}.\n{questions}\n"


def _cells(row: Row) -> list[str]:
    machine = f"{row['machine']}: " if "machine" in row else ""
    basis = f"{reason(row)} ({row['seen']})" if "seen" in row else reason(row)
    ask = f"Ask: {', '.join(row['ask'])}." if row.get("ask") else ""
    target = row.get("sets") or row.get("config")
    return [
        machine + row["what"],
        _value(row),
        graded(row),
        f"{basis}. {ask}".strip() if basis else ask,
        f"`{target}`" if target else "",
    ]


def _value(row: Row) -> str:
    value, unit = row.get("value", ""), row.get("unit", "")
    if unit == "year" or not isinstance(value, int) or isinstance(value, bool):
        return str(value) if unit == "year" else f"{value} {unit}".strip()
    return f"{value:,} {unit}".strip()


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"


def _appendix(data: dict[str, Any]) -> Iterator[str]:
    table1, equation1, worked = data["table1"], data["equation1"], data["appendix2"]
    yield "Table I: discrimination Z.\n"
    columns = [f"Pa {pa}, NA {na:,}" for pa, na in zip(table1["Pa"], table1["NA"], strict=True)]
    yield _table(["Ns", *columns], [[f"{ns:,}", *z] for ns, z in zip(table1["Ns"], table1["Z"], strict=True)])
    yield f"Equation 1: probability that an A-unit fires, n = {equation1['n']}.\n"
    rows = [[f"{row['x']}, {row['y']}, {row['theta']}", *row["P"]] for row in equation1["row"]]
    yield _table(["x, y, theta", *(f"r = {r}" for r in equation1["r"])], rows)
    yield "Appendix II: X fires; sums are R1, R2.\n"
    halves = [(f"{name} {kind}", worked[kind][name]) for kind in ("fires", "values") for name in worked[kind]]
    yield _table(["", "left, R1", "right, R2"], [[name, f"`{h['left']}`", f"`{h['right']}`"] for name, h in halves])
    sums = [[t, *(", ".join(map(str, pair)) for pair in by.values())] for t, by in worked["sums"].items()]
    yield _table(["sums", *worked["fires"]], sums)


def rendered() -> dict[Path, str]:
    """Each generated file and its text."""
    ledger, appendix = load(), tomllib.loads(APPENDIX.read_text(encoding="utf-8"))
    return {DEFAULTS: defaults_py(ledger), PAGE: facts_md(ledger, appendix)}


def main() -> None:
    """Writes both files, always, so that make sees them newer than the ledger."""
    try:
        texts = rendered()
    except (LedgerError, tomllib.TOMLDecodeError) as error:
        sys.exit(f"docs/facts.toml: {error}")
    except KeyError as error:
        sys.exit(f"docs/facts.toml: a row lacks the field {error}; add it.")
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
