"""The picture tells the truth: every count equals state(), lit means firing, one colour has one meaning."""

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pygame
import pytest

from mark1 import EXPANDED
from mark1.panel import dials
from mark1.panel.lettering import Note
from mark1.panel.scene import Scene, lag
from mark1.panel.stage import Stage
from mark1.panel.theme import THEME
from mark1.panel.tiles import Field

GOLDEN = Path(__file__).parent / "golden"
SIZE = (1280, 720)


def trained(person: Any) -> None:
    person.learn()
    person.touch("card.4")
    person.touch("present")
    person.look(40)


def broken(person: Any) -> None:
    trained(person)
    person.touch("break")
    person.touch("present")
    person.look(40)


def in_flight(person: Any) -> None:
    person.draw_e()
    person.touch("card.4")
    person.touch("present")
    person.look(40)
    person.touch("teach")
    person.look(4)


STATES = {"trained": trained, "broken": broken, "in_flight": in_flight}


@pytest.mark.parametrize("name", STATES)
def test_golden_pictures(sit: Any, name: str) -> None:
    """Rewritten only on request: MARK1_REWRITE_GOLDEN=1. Letters may be smoothed a little differently elsewhere."""
    person = sit(SIZE)
    STATES[name](person)
    path = GOLDEN / f"{name}.png"
    if os.environ.get("MARK1_REWRITE_GOLDEN"):
        GOLDEN.mkdir(exist_ok=True)
        pygame.image.save(person.screen, path)
    now, kept = (pygame.surfarray.array3d(s).astype(int) for s in (person.screen, pygame.image.load(path)))
    difference = np.abs(now - kept).max(axis=2)
    assert difference.mean() < 0.6
    assert (difference > 48).mean() < 0.002


@pytest.mark.parametrize("name", STATES)
@pytest.mark.parametrize("config", ["HISTORIC", "EXPANDED"])
def test_every_count_equals_the_state(sit: Any, name: str, config: str) -> None:
    person = sit(SIZE, config=EXPANDED) if config == "EXPANDED" else sit(SIZE)
    STATES[name](person)
    notes: list[Note] = []
    Stage(SIZE, person.desk, notes=notes).draw(person.panel.scene, person.desk)
    state, text = person.machine.state(), "\n".join(n.text for n in notes)

    def shown(pattern: str) -> list[int]:
        found = re.search(pattern, text)
        assert found, f"{pattern} is not on the panel:\n{text}"
        return [int(part.replace(",", "")) for part in found.groups()]

    assert shown(r"(\d+) photocells") == [400]
    assert shown(r"(\d+) cells lit") == [state.cells.sum()]
    assert shown(r"([\d,]+) wires\n") == [np.count_nonzero(state.table)]
    assert shown(r"(\d+) of (\d+) fire") == [state.active.sum(), 512]
    assert shown(r"(\d+) motors run") == [np.count_nonzero(state.motors)]
    assert shown(r"seed (\d+)") == [state.seed]
    assert shown(r"steps: (\d+)") == [state.undo_points]
    assert shown(r"passes: (\d+)") == [state.training.passes_done]
    if name == "broken":
        assert shown(r"(\d+) pulled out") == [state.pulled.sum()]
    if name != "in_flight":
        assert shown(r"(\d+) corrections") == [sum(state.training.correction_history)]


def tile_pixels(screen: pygame.Surface, field: Field, column: int, row: int) -> np.ndarray:
    return pygame.surfarray.array3d(screen.subsurface(pygame.Rect(field.tile_box(column, row))))


def linear(pixels: np.ndarray) -> float:
    c = pixels / 255
    c = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return float((c @ np.array([0.2126, 0.7152, 0.0722])).mean())


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (1080, 1920)])
def test_a_firing_unit_is_three_times_as_bright_as_a_silent_one(sit: Any, size: tuple[int, int]) -> None:
    person = sit(size)
    trained(person)
    rack, state = person.panel.stage.rack, person.machine.state()
    bright: dict[bool, list[float]] = {True: [], False: []}
    for row in range(16):
        for column in range(32):
            unit = rack.places[row, column]
            bright[bool(state.active[unit])].append(linear(tile_pixels(person.screen, rack.field, column, row)))
    assert min(bright[True]) > max(bright[False])
    assert np.mean(bright[True]) >= 3 * np.mean(bright[False])


def test_a_running_motor_is_seen_on_lit_and_on_dark_dials() -> None:
    for tile in (13, 15, 23, 46):
        looks = dials.dial_looks(tile).astype(int)
        for glow in (0, dials.GLOWS - 1):
            rest = looks[glow * dials.ANGLES + 24]
            up = looks[(dials.GLOWS + glow) * dials.ANGLES + 24]
            down = looks[(2 * dials.GLOWS + glow) * dials.ANGLES + 24]
            assert (np.abs(up - rest).max(axis=2) > 60).sum() >= tile * 0.4
            assert (np.abs(up - down).max(axis=2) > 60).sum() >= tile * 0.4


def test_needles_turn_with_the_value() -> None:
    values = np.array([-11e6, -5.5e6, 0, 5.5e6, 11e6])
    none = np.zeros(5)
    looks = dials.dial_numbers(values, 11e6, none.astype(np.float32), none.astype(np.int8), none.astype(bool))
    assert looks.tolist() == [0, 12, 24, 36, 48]


def test_lamps_lag_and_come_to_rest_exactly() -> None:
    glow = np.zeros(3, np.float32)
    target = np.array([1, 0, 1])
    for _ in range(3):
        glow = lag(glow, target, 1 / 60, 0.14)
    assert 0.2 < glow[0] < 0.6
    for _ in range(120):
        glow = lag(glow, target, 1 / 60, 0.14)
    assert (glow == target).all()


def test_the_wires_light_up_when_a_card_is_seen(sit: Any) -> None:
    person = sit()
    field = pygame.Rect(person.panel.stage.plugboard.field)

    def warmth() -> float:
        pixels = pygame.surfarray.array3d(person.screen.subsurface(field)).astype(int)
        return float((pixels[..., 0] - pixels[..., 2]).mean())

    before = warmth()
    trained(person)
    assert warmth() > 2 * before


def test_the_table_of_colours_is_the_theme() -> None:
    table = (Path(__file__).parents[2] / "docs" / "colours.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `(\w+)` \| `#([0-9a-f]{6})` \|", table, re.M))
    assert listed == {name: bytes(colour).hex() for name, colour in THEME._asdict().items()}


def test_one_colour_has_one_meaning() -> None:
    """Except that an excitatory wire is lit by the same lamp light that a firing unit shows, and print is one black."""
    same = {("lamp", "excitatory"), ("ink", "bound")}
    names = list(THEME._asdict().items())
    twins = {(a, b) for i, (a, x) in enumerate(names) for b, y in names[i + 1 :] if x == y}
    assert twins <= same


def test_a_scene_of_another_machine_starts_dark(sit: Any) -> None:
    person = sit()
    trained(person)
    scene = Scene(person.machine.state())
    assert scene.units.shape == (512,)
