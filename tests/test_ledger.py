"""The ledger of history: complete, honest about its gaps, and the only place where a default comes from."""

import ast
import importlib.util
import math
import re
import tomllib
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mark1 import EXPANDED, HISTORIC, ledger
from mark1.core import config, defaults
from mark1.errors import InputError

ROOT = Path(__file__).resolve().parent.parent
APPENDIX = tomllib.loads((ROOT / "docs" / "appendix_1957.toml").read_text(encoding="utf-8"))
FACTS = list(ledger.facts().values())
CONSTANTS = {name: value for name, value in vars(defaults).items() if name.isupper()}
NEEDED = {
    "documented": ("confidence", "source", "seen"),
    "inferred": ("why",),
    "chosen": ("why",),
    "modern": ("why",),
    "not found": (),
}


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("ledger_generator", ROOT / "tools" / "ledger.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def config_defaults() -> dict[str, ast.expr]:
    """section.field -> its default as written in config.py; the sections of MachineConfig itself are left out."""
    sections = {getattr(f.type, "__name__", ""): name for name, f in config.MachineConfig.__dataclass_fields__.items()}
    tree = ast.parse(Path(config.__file__).read_text(encoding="utf-8"))
    return {
        f"{sections[node.name]}.{line.target.id}": line.value
        for node in tree.body
        if isinstance(node, ast.ClassDef) and node.name in sections
        for line in node.body
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and line.value is not None
    }


def from_defaults(value: ast.expr) -> str | None:
    """The constant that a default is taken from, if it is taken from defaults.py."""
    if isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name) and value.value.id == "d":
        return value.attr
    return None


# ----------------------------------------------------------------------------------- generated files


def test_the_generated_files_are_current(generator: ModuleType) -> None:
    stale = [path.name for path, text in generator.rendered().items() if path.read_text(encoding="utf-8") != text]
    assert not stale, "run `make facts`"


def test_every_line_of_the_defaults_says_how_well_it_is_known() -> None:
    lines = Path(defaults.__file__).read_text(encoding="utf-8").splitlines()[2:]
    shape = re.compile(r"[A-Z_]+ = -?[\d_]+  # (documented \([ABC/]+\)|inferred|chosen|modern): .+")
    assert not [line for line in lines if not shape.fullmatch(line)]
    assert max(map(len, lines)) <= 120


def test_the_page_names_the_unread_sources_before_any_fact() -> None:
    page = (ROOT / "docs" / "facts.md").read_text(encoding="utf-8")
    sentence = "means that we do not know, never that the manual is silent"
    assert -1 < page.find(sentence) < page.find(ledger.unread()[-1].title) < page.find(FACTS[0].what)


def test_a_historian_corrects_a_number_in_the_ledger_alone(generator: ModuleType, tmp_path: Path) -> None:
    text = ledger.path().read_text(encoding="utf-8")
    corrected = text.replace('value = 2.2\nunit = "V/s"', 'value = 3.7\nunit = "V/s"')
    assert corrected != text
    (tmp_path / "facts.toml").write_text(corrected, encoding="utf-8")
    made = generator.defaults_py(generator.load(tmp_path / "facts.toml"))
    assert "MOTOR_SPEED_UV_S = 3_700_000  # " in made


@pytest.mark.parametrize(
    ("value", "unit", "sets"), [(30, "V", "RUN_US"), (30, "", "RUN_US"), (8, "V", "UNITS"), (0.0000001, "V", "STOP_UV")]
)
def test_a_number_that_cannot_be_its_constant_is_refused(
    generator: ModuleType, value: float, unit: str, sets: str
) -> None:
    with pytest.raises(generator.LedgerError, match="row.x"):
        generator.constant({"id": "row.x", "value": generator.Decimal(str(value)), "unit": unit, "sets": sets})


# ------------------------------------------------------------------------------------------- rows


def test_every_constant_is_set_by_exactly_one_row() -> None:
    assert Counter(fact.sets for fact in FACTS if fact.sets) == Counter(list(CONSTANTS))


def test_ids_and_panel_marks_are_unique() -> None:
    rows = tomllib.loads(ledger.path().read_text(encoding="utf-8"))["fact"]
    assert [row["id"] for row in rows] == [fact.id for fact in FACTS]
    assert len(ledger.panel_marks()) == sum(bool(fact.panel) for fact in FACTS)


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.id)
def test_a_row_has_what_its_grade_needs(fact: ledger.Fact, generator: ModuleType) -> None:
    assert fact.grade in ledger.GRADES and fact.what.endswith((".", '."'))
    assert fact.id.split(".")[0] in generator.SECTIONS
    assert all(getattr(fact, field) for field in NEEDED[fact.grade])
    assert set(fact.ask) <= {source.id for source in ledger.unread()}
    assert fact.data in ("", *APPENDIX)


@pytest.mark.parametrize("fact", [f for f in FACTS if f.grade == "documented"], ids=lambda fact: fact.id)
def test_a_documented_row_names_its_source_and_who_saw_it(fact: ledger.Fact) -> None:
    assert fact.source.strip() and fact.confidence in ("A", "A/B", "B", "C")
    assert re.fullmatch(r"seen|unread|quoted by .+", fact.seen)


def test_what_is_not_documented_claims_no_source() -> None:
    assert not [fact.id for fact in FACTS if fact.grade != "documented" and (fact.source or fact.confidence)]


def test_every_unread_source_comes_with_a_question() -> None:
    assert all(source.questions and source.have for source in ledger.unread())
    assert "manual" in {source.id for source in ledger.unread()}


def test_results_with_more_a_units_than_it_had_are_not_the_mark_1s() -> None:
    large = [fact for fact in FACTS if fact.id.startswith("result.") and "1,000 A-units" in fact.what]
    assert large and {fact.machine for fact in large} == {"IBM 704"}


# -------------------------------------------------------------------------------- the machine agrees


def test_every_default_of_the_config_comes_from_the_ledger() -> None:
    rows = {fact.config: fact for fact in FACTS if fact.config}
    written = {field: ast.literal_eval(v) for field, v in config_defaults().items() if not from_defaults(v)}
    assert written == {field: row.value for field, row in rows.items()}


def test_every_constant_is_used_by_the_config() -> None:
    assert {from_defaults(value) for value in config_defaults().values()} - {None} == set(CONSTANTS)


@pytest.mark.parametrize(
    ("row", "machine"),
    [
        ("retina.cells", HISTORIC.retina.rows * HISTORIC.retina.columns),
        ("retina.rows", HISTORIC.retina.rows),
        ("retina.columns", HISTORIC.retina.columns),
        ("plugboard.fan_out", HISTORIC.plugboard.fan_out_limit),
        ("association.units", HISTORIC.association.units),
        ("response.units", HISTORIC.response.units),
        ("value.potentiometers", HISTORIC.association.units if HISTORIC.historic else 0),
        ("modern.expanded", EXPANDED.association.units * EXPANDED.response.in_use),
    ],
)
def test_a_counted_fact_holds_in_the_preset(row: str, machine: int) -> None:
    assert ledger.fact(row).value == machine


def test_the_stops_of_the_preset_are_the_documented_volts() -> None:
    volts = [ledger.fact(row).value for row in ("value.low_stop", "value.high_stop")]
    assert HISTORIC.potentiometer.stops == tuple(v * 1_000_000 for v in volts if isinstance(v, int))


def test_what_is_inferred_follows() -> None:
    def number(row: str) -> Any:
        return ledger.fact(row).value

    assert number("plugboard.most_wires") == number("retina.cells") * number("plugboard.fan_out")
    assert number("plugboard.most_per_unit") == number("plugboard.most_wires") // number("association.units")
    assert number("association.cards") * number("association.per_card") == number("association.units")
    assert number("response.letters") == (26 - 1).bit_length()
    travel = number("value.high_stop") - number("value.low_stop")
    assert number("value.speed") * number("value.travel_time") == pytest.approx(travel)
    assert number("value.step") == pytest.approx(number("value.speed") * number("value.run") / 1000)


def test_the_reader_answers_and_refuses_in_one_sentence() -> None:
    assert ledger.grade("MOTOR_SPEED_UV_S") == "chosen" and ledger.grade("FAN_OUT_LIMIT") == "documented"
    assert ledger.setting("response.split").value == "interleaved"
    assert ledger.panel_marks()["knob.dead_zone"] is ledger.setting("DEAD_ZONE_UV")
    for question in (ledger.fact, ledger.setting, ledger.grade):
        with pytest.raises(InputError, match="'no.such'"):
            question("no.such")


# -------------------------------------------------------------------------- the numbers of the 1957 report


def test_table_1_follows_from_its_formula() -> None:
    table = APPENDIX["table1"]
    for ns, printed in zip(table["Ns"], table["Z"], strict=True):
        for pa, na, z in zip(table["Pa"], table["NA"], printed, strict=True):
            fourth = pa**4 if pa > 0.05 else 0  # the 1957 table evidently dropped this term in its last two columns
            computed = 1 / math.sqrt(2 * ns / (pa * na) * (pa**3 - fourth))
            assert float(z) == pytest.approx(computed, rel=0.005)


def test_equation_1_gives_the_rows_to_the_last_digit() -> None:
    n = APPENDIX["equation1"]["n"]
    for row in APPENDIX["equation1"]["row"]:
        for r, printed in zip(APPENDIX["equation1"]["r"], row["P"], strict=True):
            assert f"{fires(n, r, row['x'], row['y'], row['theta']):.4f}" == "0" + printed


def fires(n: int, r: int, x: int, y: int, theta: int) -> float:
    """Draw x, then y other cells of n, r of them lit: how often e lit of x exceed i lit of y by theta."""
    ways = sum(
        math.comb(r, e) * math.comb(n - r, x - e) * math.comb(r - e, i) * math.comb(n - r - (x - e), y - i)
        for e in range(x + 1)
        for i in range(y + 1)
        if e - i >= theta
    )
    return ways / (math.comb(n, x) * math.comb(n - x, y))


@pytest.mark.parametrize("table", ["a", "b"])
@pytest.mark.parametrize("stimulus", ["S1", "S2", "S3"])
def test_the_published_sums_of_appendix_2_follow_from_its_rows(table: str, stimulus: str) -> None:
    worked = APPENDIX["appendix2"]
    fired, values = worked["fires"][stimulus], worked["values"][table]
    sums = [sum(int(v) for x, v in zip(fired[h], values[h], strict=True) if x == "X") for h in ("left", "right")]
    assert sums == worked["sums"][table][stimulus]


@pytest.mark.parametrize(("table", "half"), [("a", "left"), ("b", "right")])
def test_the_half_taught_by_s1_to_s3_counts_how_often_each_unit_fired(table: str, half: str) -> None:
    worked = APPENDIX["appendix2"]
    rows = [worked["fires"][s][half].replace(" ", "") for s in ("S1", "S2", "S3")]
    counted = "".join(str(column.count("X")) for column in zip(*rows, strict=True))
    assert counted == worked["values"][table][half].replace(" ", "")
    assert len(counted) == 32
