"""The desk: keys, knobs and the tray. All of it in the lower half, in reach of a wheelchair."""

from collections.abc import Hashable
from functools import lru_cache

import numpy as np
import pygame

from mark1.core.state import MachineState
from mark1.panel import steel
from mark1.panel.cards import Card
from mark1.panel.desk import Desk
from mark1.panel.icons import arrow, plus, stroke
from mark1.panel.ink import Picture
from mark1.panel.layout import KNOBS, Box, tray_slots
from mark1.panel.lettering import FIRM
from mark1.panel.scene import Scene
from mark1.panel.theme import TEXT, THEME
from mark1.panel.trainer import PASSES
from mark1.panel.views.base import Kit, View

TURN = np.radians(130)
KNOB = 0.33  # radius of a knob as a share of its picture
PRIMARY = ("present",)
KEYS = ("present", "teach", "train", "clear", "break", "rewire", "undo", "more")


def key_text(name: str, desk: Desk, state: MachineState) -> tuple[str, str]:
    """What a key says: a word and a line below it."""
    words = desk.words
    target = desk.target or "–"
    passes = PASSES.get(desk.mode, 0)
    until = words("{n} passes", n=passes) if passes else words("until it knows")
    train = (words("STOP"), words("training runs")) if state.training.running else (words("TRAIN ALL"), until)
    return {
        "present": (words("PRESENT"), words("show the card")),
        "teach": (words("TEACH"), words("it should say: {name}", name=target)),
        "train": train,
        "clear": (words("CLEAR"), words("new card")),
        "break": (words("BREAK"), words("{n} A-units", n=100)),
        "rewire": (words("REWIRE"), words("all wires")),
        "undo": (words("UNDO"), words("steps: {n}", n=desk.undo_steps(state))),
        "more": (words("MORE"), words("files, help")),
    }[name]


def knob_text(name: str, desk: Desk, state: MachineState) -> tuple[str, str]:
    """What a knob is called and where it stands."""
    words, config = desk.words, state.config
    speed = {0: words("full speed"), 1: words("1960 time (chosen)")}.get(desk.speed, words("{n} times", n=desk.speed))
    return {
        "mode": (words("MODE"), words(desk.mode)),
        "system": (words("SYSTEM"), words(config.reinforcement.system)),
        "threshold": (words("THRESHOLD"), str(int(state.thresholds[0]))),
        "dead_zone": (words("DEAD ZONE"), words("{v:.2f} V", v=config.response.dead_zone_uv / 1e6)),
        "run_time": (words("RUN TIME"), words("{v:.2f} s", v=config.reinforcement.run_us / 1e6)),
        "speed": (words("SPEED"), speed),
    }[name]


class ControlsView(View):
    """Keys, knobs, cards."""

    name = "desk"

    def __init__(self, kit: Kit) -> None:
        super().__init__(kit)
        self._pictures: dict[tuple[int, int], pygame.Surface] = {}

    def still(self, surface: pygame.Surface) -> None:
        """The plate, and the recess of the tray."""
        steel.plate(surface, self.box, self.kit.scale)

    def key(self, scene: Scene, desk: Desk) -> Hashable:
        """Everything that a key, a knob or a card shows."""
        look = scene.attention
        keys = tuple(key_text(name, desk, scene.state) for name in KEYS)
        knobs = tuple((knob_text(name, desk, scene.state), desk.knob(name, scene.state)) for name in KNOBS)
        return (
            keys,
            knobs,
            desk.target,
            desk.response,
            look.held,
            look.tray_page,
            id(desk.easel.card),
            scene.state.training.running,
        )

    def draw(self, surface: pygame.Surface, scene: Scene, desk: Desk) -> None:
        """All controls."""
        held = scene.attention.held
        for name in KEYS:
            self._key(surface, name, key_text(name, desk, scene.state), held == name, scene.state)
        for name in KNOBS:
            self._knob(surface, name, desk, scene.state)
        self._hand(surface, desk, held)
        self._tray(surface, scene, desk)

    def _key(self, surface: pygame.Surface, name: str, text: tuple[str, str], held: bool, state: MachineState) -> None:
        kit, box = self.kit, self.kit.box(name)
        dark = name in PRIMARY or (name == "train" and state.training.running)
        ground, ink = ((36, 36, 34), THEME.ivory) if dark else (THEME.ivory, THEME.ink)
        steel.key(surface, box, kit.scale, ground, held)
        face = box.inset(
            kit.px(6), kit.px(5) + (kit.px(2) if held else 0), kit.px(6), kit.px(9) - (kit.px(2) if held else 0)
        )
        top, low = face.rows((1.18, 1), 0)
        kit.lettering.put(
            surface, text[0], top, 32 if name in ("present", "teach", "train") else 28, ink, ground, weight=FIRM
        )
        if not kit.marks:
            kit.lettering.put(surface, text[1], low, TEXT, ink, ground)

    def _knob(self, surface: pygame.Surface, name: str, desk: Desk, state: MachineState) -> None:
        kit, box = self.kit, self.kit.box(f"knob.{name}")
        title, value = knob_text(name, desk, state)
        head, middle, foot = box.rows((30, 116, 56), 0)
        kit.engrave(surface, title, head.inset(kit.px(2), 0), TEXT, weight=FIRM)
        place, count = desk.knob(name, state)
        size = min(kit.box("knob.system").w, middle.h, kit.px(116))
        picture = knob(size, place, count)
        x, y = middle.centre
        surface.blit(picture, (x - picture.get_width() // 2, y - picture.get_height() // 2))
        kit.engrave(surface, value, foot.inset(kit.px(2), 0), TEXT, lines=2)

    def _hand(self, surface: pygame.Surface, desk: Desk, held: str) -> None:
        kit = self.kit
        label = kit.words("HAND R{n}", n=desk.response + 1)
        kit.engrave(surface, label, kit.box("hand.label"), 23, weight=FIRM, lines=2)
        for name, draw in (("hand.plus", plus), ("hand.minus", stroke)):
            box = kit.box(name)
            steel.key(surface, box, kit.scale, THEME.ivory, held == name)
            draw(surface, box.square().inset(box.square().w // 4), THEME.ink)

    def _tray(self, surface: pygame.Surface, scene: Scene, desk: Desk) -> None:
        kit, page = self.kit, scene.attention.tray_page
        slots = tray_slots(len(desk.cards.cards))
        places = [s for s in slots if s.startswith("card.")]
        first = page * len(places)
        for i, slot in enumerate(places):
            number = first + i
            if number < len(desk.cards.cards):
                self._card(surface, kit.box(slot), desk.cards.cards[number], number, desk)
        for name, way in (("tray.back", -1), ("tray.on", 1)):
            if name in slots:
                steel.key(surface, kit.box(name), kit.scale, THEME.ivory, scene.attention.held == name)
                arrow(surface, kit.box(name).square().inset(kit.px(14)), THEME.ink, way)

    def _card(self, surface: pygame.Surface, box: Box, card: Card, number: int, desk: Desk) -> None:
        kit = self.kit
        chosen = card.label == desk.target
        edge = kit.px(4)
        pygame.draw.rect(surface, (60, 61, 58), box.inset(-1))
        pygame.draw.rect(surface, THEME.ivory if chosen else (20, 20, 20), box)
        face = box.inset(edge)
        pygame.draw.rect(surface, (15, 15, 15), face)
        side = min(face.w, face.h)
        picture = self._pictures.get((number, side))
        if picture is None or len(self._pictures) > 64:
            grey = (card.picture.T[..., None] * (np.asarray(THEME.chalk) - 15) + 15).astype(np.uint8)
            picture = pygame.transform.smoothscale(pygame.surfarray.make_surface(grey), (side, side))
            self._pictures[number, side] = picture
        surface.blit(picture, (face.centre[0] - side // 2, face.centre[1] - side // 2))
        if chosen:
            pygame.draw.polygon(surface, THEME.ivory, _notch(box, kit.px(11)))


def _notch(box: Box, size: int) -> list[tuple[int, int]]:
    """A tab under the chosen card, so that the choice does not rest on colour."""
    x = box.centre[0]
    return [(x - size, box.bottom), (x + size, box.bottom), (x, box.bottom - size)]


def grey(plane: np.ndarray) -> np.ndarray:
    """A plane of brightness as a colour for every pixel."""
    return np.repeat(plane[..., None], 3, axis=2).astype(np.float32)


@lru_cache(maxsize=64)
def knob(size: int, place: int, count: int) -> pygame.Surface:
    """A bakelite knob with ticks, turned to a place."""
    p, c, r = Picture(size, size), size / 2, size * KNOB
    angles = [0.0] if count == 1 else [TURN * (2 * i / (count - 1) - 1) for i in range(count)]
    for i, angle in enumerate(angles):
        x, y = np.sin(angle), -np.cos(angle)
        near, far = r * 1.2, r * (1.46 if i == place else 1.36)
        width = size * (0.03 if i == place else 0.018)
        p.alpha = np.maximum(p.alpha, p.stroke(c + near * x, c + near * y, c + far * x, c + far * y, width))
    p.rgb[:] = THEME.engraved
    picture = p.surface()
    picture.blit(_knob_body(size), (0, 0))
    x, y = np.sin(angles[place]), -np.cos(angles[place])
    pointer = Picture(size, size)
    pointer.alpha = pointer.stroke(c + r * 0.3 * x, c + r * 0.3 * y, c + r * 0.93 * x, c + r * 0.93 * y, size * 0.045)
    pointer.rgb[:] = THEME.ivory
    picture.blit(pointer.surface(), (0, 0))
    return picture


@lru_cache(maxsize=4)
def _knob_body(size: int) -> pygame.Surface:
    """The knob itself: shadow, ribbed skirt, a bevel and a dished cap."""
    p, c, r = Picture(size, size), size / 2, size * KNOB
    p.lay(0.5 * p.disc(c + size * 0.015, c + size * 0.04, r * 1.1, size * 0.09), (0, 0, 0))
    turn = np.arctan2(p.ys - c, p.xs - c)
    skirt = r * (1 + 0.022 * np.cos(turn * 24))
    p.lay(np.clip(skirt - np.hypot(p.xs - c, p.ys - c) + 0.5, 0, 1).astype(np.float32), (18, 18, 18))
    slope = np.clip(((p.xs - c) * 0.5 + (p.ys - c)) / r, -1, 1)
    p.lay(p.disc(c, c, r * 0.9), grey(np.clip(46 - 26 * slope, 12, 90)))
    p.lay(p.disc(c, c, r * 0.74), grey(np.clip(34 + 14 * slope, 8, 90)))
    return p.surface()
