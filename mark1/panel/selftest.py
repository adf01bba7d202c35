"""The display self-test: nobody should guess whether a computer is fast enough. All dials turn, nothing else changes.

Compared with the naive way on the same surface: a pygame.draw.circle and a pygame.draw.line for each dial, and a
Surface.fill for each value of the small fields.
"""

import os
from math import cos, sin
from typing import Any

import numpy as np

from mark1 import EXPANDED, HISTORIC, Mark1
from mark1.pace import wall_clock

FRAMES, WARM_UP = 90, 10
BUDGET_MS = 8.0  # half of a frame at 60 a second


def measure(size: tuple[int, int]) -> dict[str, Any]:
    """p95 of a whole frame in ms, and how much cheaper dials are than draw calls; the worse of the two presets."""
    os.environ.setdefault("SDL_FRAMEBUFFER_ACCELERATION", "0")
    from mark1.panel.window import open_window

    screen = open_window(size, False, 0)
    results = {name: _one(screen, config) for name, config in (("HISTORIC", HISTORIC), ("EXPANDED", EXPANDED))}
    return {
        "size": list(screen.get_size()),
        "p95_ms": max(r["p95_ms"] for r in results.values()),
        "ratio_to_naive": min(r["ratio_to_naive"] for r in results.values()),
        "budget_ms": BUDGET_MS,
        **results,
    }


def _one(screen: Any, config: Any) -> dict[str, Any]:
    import pygame

    from mark1.panel.cards import letters
    from mark1.panel.desk import Desk
    from mark1.panel.panel import Panel
    from mark1.panel.words import Words

    machine = Mark1(config, 1960)
    desk = Desk(machine, letters("ABCDEFGH", 20, 20), Words())
    desk.assign()
    panel = Panel(desk, lambda *_: None, screen.get_size(), wall_clock)
    turning = _Turning(panel.scene.state)
    frames, dials, flips = [], [], []
    for i in range(FRAMES + WARM_UP):
        panel.scene.state = turning.at(i)
        began = wall_clock()
        changed = panel.draw(screen)
        drawn = wall_clock()
        pygame.display.update(changed)
        done = wall_clock()
        frames.append((done - began) * 1e3)
        flips.append((done - drawn) * 1e3)
        dials.append(_dials_ms(panel, screen))
    naive = [_naive_ms(panel, screen, turning.at(i)) for i in range(20)]
    keep = frames[WARM_UP:]
    return {
        "dials": turning.state.values.size,
        "p95_ms": round(float(np.percentile(keep, 95)), 3),
        "median_ms": round(float(np.median(keep)), 3),
        "flip_ms": round(float(np.median(flips[WARM_UP:])), 3),
        "dials_ms": round(float(np.median(dials[WARM_UP:])), 3),
        "naive_ms": round(float(np.median(naive)), 3),
        "ratio_to_naive": round(float(np.median(naive) / np.median(dials[WARM_UP:])), 2),
    }


class _Turning:
    """A state in which every dial stands elsewhere in every frame and half of the units fire."""

    def __init__(self, state: Any) -> None:
        from dataclasses import fields

        self.state = state
        self._fields = {f.name: getattr(state, f.name) for f in fields(state)}
        self._phase = np.linspace(0, 40, state.values.size).reshape(state.values.shape)

    def at(self, frame: int) -> Any:
        values = 11e6 * np.sin(self._phase + frame * 0.21)
        motors = np.where(np.cos(self._phase + frame * 0.21) > 0, 1, -1).astype(np.int8)
        return type(self.state)(**{**self._fields, "values": values, "motors": motors})


def _dials_ms(panel: Any, screen: Any) -> float:
    """Only the dials, as drawn in this frame."""
    began = wall_clock()
    panel.stage.rack.paint_dials(panel.stage.canvas, panel.scene, panel.desk)
    return (wall_clock() - began) * 1e3


def _naive_ms(panel: Any, screen: Any, state: Any) -> float:
    """The same dials by draw calls: a circle and a line each; the small fields by one fill each value."""
    import pygame

    rack, canvas = panel.stage.rack, panel.stage.canvas
    dials, *chips = [
        [field.tile_box(c, r) for r in range(field.rows) for c in range(field.columns)]
        for field in (rack.field, *rack.thumbs)
    ]
    turns = (state.values / 11e6 * 2.356).tolist()
    shades = np.rint((state.values / 11e6 + 1) * 120).astype(int).tolist()
    began = wall_clock()
    radius = rack.field.tile // 2 - 1
    for box, angle in zip(dials, turns[0], strict=True):
        x, y = box.centre
        tip = (x + radius * sin(angle), y - radius * cos(angle))
        pygame.draw.circle(canvas, (34, 34, 34), (x, y), max(1, radius))
        pygame.draw.line(canvas, (244, 240, 226), (x, y), tip)
    for places, bank in zip(chips, shades[: len(chips)], strict=True):
        for box, shade in zip(places, bank, strict=True):
            canvas.fill((shade, shade, shade), box)
    return (wall_clock() - began) * 1e3
