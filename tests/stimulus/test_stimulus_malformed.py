"""Nothing that a user points at makes more than one clear sentence."""

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import bad_pictures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from mark1.errors import StimulusError
from mark1.stimulus import builtin, project


@pytest.fixture(scope="module")
def cabinet(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return bad_pictures.cabinet(tmp_path_factory.mktemp("cabinet"))


@pytest.mark.parametrize("name", bad_pictures.NAMES)
def test_a_bad_picture_is_refused_in_one_sentence(cabinet: dict[str, Path], name: str) -> None:
    with pytest.raises(StimulusError) as refusal:
        project(cabinet[name])
    sentence = str(refusal.value)
    assert name in sentence
    assert re.fullmatch(r"[^\n]+; [^\n]+\.", sentence), sentence


def test_the_cabinet_holds_at_least_sixty_things() -> None:
    assert len(bad_pictures.NAMES) >= 60


def test_a_picture_that_may_not_be_read_is_refused_to_another_user(tmp_path: Path) -> None:
    """Root may read everything, so the question is asked as nobody."""
    if os.name != "posix" or os.geteuid() != 0:
        pytest.skip("only root can become another user")
    picture = tmp_path / "secret.png"
    picture.write_bytes(b"x")
    picture.chmod(0)
    for folder in (tmp_path, *tmp_path.parents):
        if folder != Path("/") and folder != Path("/tmp"):
            folder.chmod(0o755)
    code = (
        "import os, sys; from mark1.stimulus import project; os.setgid(65534); os.setuid(65534)\n"
        "try: project(sys.argv[1])\nexcept Exception as error: print(type(error).__name__, error)"
    )
    asked = [sys.executable, "-c", code, str(picture)]
    answer = subprocess.run(asked, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": "."}, check=False)
    assert answer.stdout == f"StimulusError {picture} may not be read by this user; change its permissions.\n"


def test_a_wrong_extension_does_not_matter(tmp_path: Path) -> None:
    card = builtin("capitals-sans").cards[0]
    wrong = tmp_path / "a.jpg"
    wrong.write_bytes(Path(str(card.picture)).read_bytes())
    assert np.array_equal(project(wrong), project(card.picture))


def test_an_endless_gif_is_read_as_its_first_frame(tmp_path: Path) -> None:
    content = io.BytesIO()
    Image.new("L", (40, 40), 0).save(content, "GIF")
    head = content.getvalue()[:-1]
    frame = head[head.index(b",") :]
    assert project(head + frame * 20_000).shape == (400,)


GOOD = Path(str(builtin("capitals-sans").cards[0].picture)).read_bytes()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(GOOD) - 1), st.integers(0, 255)), min_size=1, max_size=8))
def test_flipped_bytes_give_light_or_a_refusal(flips: list[tuple[int, int]]) -> None:
    content = bytearray(GOOD)
    for place, value in flips:
        content[place] = value
    try:
        assert project(bytes(content)).shape == (400,)
    except StimulusError as refusal:
        assert str(refusal).endswith(".")


SIGNATURES = [b"GIF89a", b"BM", b"II*\0", b"MM\0*", b"\xff\xd8\xff\xe0", b"P5 ", b"RIFF"]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(SIGNATURES), st.binary(max_size=300))
def test_noise_after_a_signature_gives_light_or_a_refusal(signature: bytes, noise: bytes) -> None:
    try:
        assert project(signature + noise).shape == (400,)
    except StimulusError as refusal:
        assert str(refusal).endswith(".")
