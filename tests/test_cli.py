"""The mark1 command: words in, sentences out, and the exit codes that scripts rely on."""

import subprocess
import sys

import pytest

from mark1 import __version__
from mark1.cli import SUBCOMMANDS, main


def _run(*words, cwd):
    return subprocess.run([sys.executable, "-m", "mark1", *words], capture_output=True, text=True, cwd=cwd)


def test_version(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out.strip() == f"mark1 {__version__}"


def test_help_names_every_subcommand(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    told = capsys.readouterr().out
    assert all(name in told for name in SUBCOMMANDS)


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_every_subcommand_explains_itself(name, capsys):
    with pytest.raises(SystemExit) as end:
        main([name, "--help"])
    assert end.value.code == 0
    assert "usage: mark1" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["dance"], ["demo", "--no"], ["demo", "--preset", "MARK2"], ["demo", "--seed", "x"]])
def test_wrong_words_are_one_sentence_and_exit_code_2(words, capsys):
    assert main(words) == 2
    told = capsys.readouterr().err
    assert told.startswith("mark1: ")
    assert told.strip().count("\n") == 0
    assert told.strip().endswith(".")


def test_debug_shows_the_traceback():
    with pytest.raises(Exception, match="MARK2"):
        main(["demo", "--preset", "MARK2", "--debug"])


def test_the_demo_learns_its_bars_and_writes_a_picture(tmp_path, capsys):
    picture = tmp_path / "demo.png"
    assert main(["demo", "--picture", str(picture)]) == 0
    told = capsys.readouterr().out
    assert "Correct after" in told
    assert "25 of 25 right" in told
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_demo_tells_the_same_story_every_time(tmp_path, capsys):
    stories = []
    for _ in range(2):
        main(["demo", "--picture", str(tmp_path / "demo.png")])
        stories.append(capsys.readouterr().out)
    assert stories[0] == stories[1]


def test_a_reader_that_hangs_up_gets_no_traceback(tmp_path):
    script = f"{sys.executable} -m mark1 demo --picture {tmp_path / 'x.png'} | true"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, cwd=tmp_path)
    assert "Traceback" not in done.stderr


def test_quick_figures_of_the_benchmark_have_their_keys(capsys):
    import json

    assert main(["bench", "--json", "--quick", "--only", "import"]) in (0, 1)
    rows = json.loads(capsys.readouterr().out)
    assert set(rows["import_vs_dependencies"]) >= {"value", "target", "detail"}
