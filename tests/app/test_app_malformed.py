"""Whatever a user gives the commands: one clear sentence, exit code 2, no partial file, nothing damaged."""

import os
import re
import subprocess
import sys
from pathlib import Path

import bad_machines
import bad_pictures
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mark1 import IDEAL, Mark1
from mark1.app import machinefile
from mark1.errors import SaveError
from mark1.stimulus import Projection

SENTENCE = re.compile(r"mark1: [^\n]+\.\n")


def small_machine() -> bytes:
    """A machine file of a few kilobytes."""
    config = IDEAL.with_(association__units=24, response__in_use=2, plugboard__fan_out_limit=0)
    machine = Mark1(config, seed=3)
    machine.train([[1.0] * 200 + [0.0] * 200, [0.0] * 400], [[1, -1], [-1, 1]], passes=2)
    machine.submit(machinefile.camera_note(Projection()))
    return machine.save()


GOOD = small_machine()
BAD = bad_machines.cabinet(GOOD)


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return bad_pictures.cabinet(tmp_path_factory.mktemp("pictures"))


def listed(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("name", bad_pictures.NAMES)
def test_recognise_refuses_a_bad_picture(mark1, bars_machine: Path, pictures: dict[str, Path], name: str) -> None:
    before = bars_machine.read_bytes()
    ran = mark1("recognise", bars_machine, pictures[name])
    assert (ran.code, ran.out) == (2, "")
    assert SENTENCE.fullmatch(ran.err)
    assert bars_machine.read_bytes() == before


@pytest.mark.parametrize("name", ["empty.png", "cut-3k.jpg", "flat-bomb.png", "text.png", "folder.png", "dangling.png"])
def test_training_on_a_bad_card_leaves_the_old_machine(
    mark1, tmp_path: Path, pictures: dict[str, Path], name: str
) -> None:
    for class_name in ("good", "bad"):
        (tmp_path / "cards" / class_name).mkdir(parents=True)
    (tmp_path / "cards" / "good" / "a.png").symlink_to(Path("images/bars/vertical/vertical-01.png").resolve())
    (tmp_path / "cards" / "bad" / name).symlink_to(pictures[name])
    out = tmp_path / "old.mark1"
    out.write_bytes(GOOD)
    ran = mark1("train", tmp_path / "cards", "--out", out, "--journal", tmp_path / "journal")
    assert ran.code == 2
    assert SENTENCE.fullmatch(ran.err)
    assert listed(tmp_path) == {"old.mark1": GOOD}


# csv looks at no picture, so it does not mind a note on the camera that makes no sense
LOOKING = [(command, name) for command in ("show", "recognise") for name in BAD]


@pytest.mark.parametrize(("command", "name"), LOOKING + [("csv", name) for name in BAD if "camera" not in name])
def test_a_bad_machine_file_is_refused(mark1, tmp_path: Path, command: str, name: str) -> None:
    file = tmp_path / "machine.mark1"
    file.write_bytes(BAD[name])
    more = {
        "show": ["--picture", tmp_path / "p.png"],
        "recognise": ["images/bars/vertical/vertical-01.png"],
        "csv": ["--export-values", tmp_path / "v.csv", "--export-plugboard", tmp_path / "w.csv"],
    }
    ran = mark1(command, file, *more[command])
    assert (ran.code, ran.out) == (2, "")
    assert SENTENCE.fullmatch(ran.err), ran.err
    assert str(file) in ran.err
    assert listed(tmp_path) == {"machine.mark1": BAD[name]}


def test_the_good_machine_file_is_good(mark1, tmp_path: Path) -> None:
    file = tmp_path / "good.mark1"
    file.write_bytes(GOOD)
    assert mark1("show", file).code == 0


def test_a_newer_file_is_refused_with_the_remedy(mark1, tmp_path: Path) -> None:
    file = tmp_path / "newer.mark1"
    file.write_bytes(BAD["newer"])
    assert "newer" in mark1("show", file).err


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(flips=st.lists(st.tuples(st.integers(0, len(GOOD) - 1), st.integers(0, 255)), min_size=1, max_size=6))
def test_random_bytes_changed_give_the_same_machine_or_a_refusal(tmp_path: Path, flips: list[tuple[int, int]]) -> None:
    content = bytearray(GOOD)
    for place, value in flips:
        content[place] = value
    file = tmp_path / "flipped.mark1"
    file.write_bytes(content)
    try:
        machine, _ = machinefile.read(file)
    except SaveError as refusal:
        assert str(refusal).endswith(".")
        assert "\n" not in str(refusal)
    else:
        assert machine.save() == GOOD


@pytest.mark.parametrize(
    "words",
    [
        ["train", "no-such-folder", "--out", "m.mark1"],
        ["train", "bars", "--out", "no-such-folder/m.mark1"],
        ["train", "bars", "--out", "."],
        ["train", "bars"],
        ["train", "bars", "--out", "m.mark1", "--wiring", "6x4"],
        ["train", "bars", "--out", "m.mark1", "--wiring", "300+300"],
        ["train", "bars", "--out", "m.mark1", "--preset", "PDP-1"],
        ["train", "bars", "--out", "m.mark1", "--holdout", "1"],
        ["train", "bars", "--out", "m.mark1", "--holdout", "nan"],
        ["train", "bars", "--out", "m.mark1", "--passes", "0"],
        ["train", "bars", "--out", "m.mark1", "--seed", "-1"],
        ["train", "bars", "--out", "m.mark1", "--seed", "99999999999999999999"],
        ["train", "bars", "--out", "m.mark1", "--jitter", "shake=3"],
        ["train", "bars", "--out", "m.mark1", "--jitter", "noise=2"],
        ["train", "bars", "--out", "m.mark1", "--jitter", "noise=x"],
        ["train", "bars", "--out", "m.mark1", "--journal", "no-such-folder/j"],
        ["train", "bars", "--out", "m.mark1", "--mode", "telepathy"],
        ["train", "bars", "--out", "m.mark1", "--level", "high"],
        ["train", "bars", "--out", "m.mark1", "--mode", "spontaneous", "--until-correct"],
        ["recognise", "no-such-file", "images/bars/vertical/vertical-01.png"],
        ["recognise", ".", "images/bars/vertical/vertical-01.png"],
        ["show", "no-such-file"],
        ["cards", "no-such-folder"],
        ["cards", "bars", "--out", "no-such-folder/c.png"],
        ["replay", "no-such-file"],
        ["replay", "pyproject.toml"],
        ["replay", "images/digits/digits.png"],
        ["replay", "/dev/null"],
        ["csv", "no-such-file"],
        ["show"],
        ["nonsense"],
    ],
)
def test_wrong_words_are_one_sentence(mark1, words: list[str]) -> None:
    before = sorted(Path.cwd().iterdir())
    ran = mark1(*words)
    assert ran.code == 2
    assert SENTENCE.fullmatch(ran.err), ran.err
    assert sorted(Path.cwd().iterdir()) == before


def test_a_file_that_may_not_be_read_as_another_user(tmp_path: Path) -> None:
    if os.name != "posix" or os.geteuid() != 0:
        pytest.skip("only root can become another user")
    file = tmp_path / "secret.mark1"
    file.write_bytes(GOOD)
    file.chmod(0)
    for folder in [tmp_path, *tmp_path.parents][:-2]:
        folder.chmod(0o755)
    code = (
        "import os, sys; from mark1.cli import main\n"
        "main(['show', 'nothing'])  # so that every module is read before the user changes\n"
        "sys.stderr.flush(); os.setgid(65534); os.setuid(65534); sys.exit(main(sys.argv[1:]))"
    )
    asked = [sys.executable, "-c", code, "show", str(file)]
    ran = subprocess.run(asked, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": "."}, check=False)
    assert ran.returncode == 2
    assert ran.stderr.splitlines()[1].startswith(f"mark1: {file} cannot be read")
