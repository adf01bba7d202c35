"""An older machine file opens; a newer one is refused with a sentence. format1.mark1 is frozen (make_format1.py)."""

from pathlib import Path

import bad_machines
import make_format1
import pytest

from mark1.app import machinefile
from mark1.core.snapshot import VERSION
from mark1.errors import SaveError
from mark1.savefile import load_machine

REMADE = "format 1 has changed: if it was never released, run tests/app/make_format1.py; else it needs a new number"


def test_the_frozen_file_of_format_1_opens() -> None:
    machine, camera = machinefile.read(make_format1.FILE)
    state = machine.state()
    assert state.codebook.names == ("a", "b")
    assert (state.training.running, state.training.passes_done, state.undo_points) == (True, 1, 4)
    assert state.motors.any()
    assert not camera.framing


def test_it_is_saved_again_to_the_same_bytes() -> None:
    if VERSION > 1:
        pytest.skip("format 1 is no longer written")
    assert load_machine(make_format1.FILE).save() == make_format1.FILE.read_bytes(), REMADE


def test_it_goes_on_as_the_machine_it_was_made_from() -> None:
    frozen, made = load_machine(make_format1.FILE), make_format1.machine()
    for machine in (frozen, made):
        machine.train()
    assert frozen.state().training.passes_done == 9
    assert frozen.save() == made.save(), REMADE


def test_a_newer_format_is_refused_with_a_sentence(tmp_path: Path) -> None:
    body = make_format1.FILE.read_bytes().split(b"\n", 2)[2]
    newer = tmp_path / "newer.mark1"
    newer.write_bytes(bad_machines.sealed(body, b"%d" % (VERSION + 1)))
    wanted = f"{newer}: this machine file has format {VERSION + 1}, newer than {VERSION}; install a newer mark1"
    with pytest.raises(SaveError, match=wanted):
        load_machine(newer)
