"""The file on disk: the old one or the new one, never something between; and no other harm done."""

import os
import stat

import pytest

from mark1 import Mark1
from mark1.errors import Mark1Error, SaveError
from mark1.savefile import STAGES, load_machine, save_machine, write_atomically


class Crash(BaseException):
    """The power fails."""


@pytest.mark.parametrize("stage", STAGES)
def test_a_crash_at_any_stage_leaves_the_old_file_or_the_new_one(stage, tmp_path):
    path = tmp_path / "a.mark1"
    path.write_bytes(b"old")

    def fail(reached):
        if reached == stage:
            raise Crash

    with pytest.raises(Crash):
        write_atomically(path, b"new", fail)
    assert path.read_bytes() == (b"new" if stage == "renamed" else b"old")
    assert [p.name for p in tmp_path.iterdir()] == ["a.mark1"]


def test_a_machine_comes_back_from_disk_as_it_was(tmp_path):
    machine = Mark1(seed=8)
    machine.run_until(5)
    save_machine(tmp_path / "m.mark1", machine)
    assert load_machine(tmp_path / "m.mark1").save() == machine.save()


def test_a_full_disk_is_a_sentence_and_the_old_file_stays(tmp_path, monkeypatch):
    path = tmp_path / "a.mark1"
    path.write_bytes(b"old")

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Mark1Error, match=r"No space left.*\.$"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
def test_the_file_keeps_its_mode(tmp_path):
    path = tmp_path / "a.mark1"
    path.write_bytes(b"old")
    path.chmod(0o640)
    write_atomically(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize("make", ["missing", "folder", "text"])
def test_what_is_no_machine_file_is_named_in_the_sentence(make, tmp_path):
    path = tmp_path / "x.mark1"
    if make == "folder":
        path.mkdir()
    if make == "text":
        path.write_text("hello")
    with pytest.raises(SaveError, match=r"x\.mark1.*\.$"):
        load_machine(path)


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(SaveError, match="does not exist"):
        write_atomically(tmp_path / "no" / "a.mark1", b"new")


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_stays_and_the_file_it_points_to_is_written(tmp_path):
    real, link = tmp_path / "far" / "real.mark1", tmp_path / "link.mark1"
    real.parent.mkdir()
    link.symlink_to(real)
    for content in (b"first", b"second"):  # the first time the link leads to nothing yet
        assert write_atomically(link, content) == link
        assert link.is_symlink() and real.read_bytes() == content
    assert [p.name for p in real.parent.iterdir()] == ["real.mark1"]


@pytest.mark.skipif(os.name == "nt", reason="POSIX files")
@pytest.mark.parametrize("make", ["pipe", "circle"])
def test_what_is_no_ordinary_file_is_left_as_it_is(make, tmp_path):
    path = tmp_path / "odd"
    if make == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(path)
    before = path.lstat()
    with pytest.raises(SaveError, match="not an ordinary file"):
        write_atomically(path, b"new")
    assert path.lstat().st_ino == before.st_ino


def test_a_name_that_no_disk_takes_is_one_sentence(tmp_path):
    with pytest.raises(SaveError, match="too long"):
        write_atomically(tmp_path / ("x" * 300), b"new")
