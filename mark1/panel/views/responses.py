"""The responses: R1 to R8, a lamp for the state, a needle meter for the sum with the dead zone marked, the class."""

from collections.abc import Hashable

import numpy as np
import pygame

from mark1.core.state import MachineState
from mark1.panel import steel
from mark1.panel.desk import Desk
from mark1.panel.dials import LEVELS
from mark1.panel.ink import Picture
from mark1.panel.layout import RESPONSE_ROWS, Box
from mark1.panel.lettering import HEAVY
from mark1.panel.scene import Scene
from mark1.panel.theme import LABEL, TEXT, THEME, mix
from mark1.panel.views.base import Kit, View

WIDEST = np.radians(38)  # a needle's way from the middle to full scale, less in a long low window


class ResponsesView(View):
    """Eight rows."""

    name = "responses"

    def __init__(self, kit: Kit) -> None:
        super().__init__(kit)
        self.rows = [kit.box(f"response.{i}") for i in range(RESPONSE_ROWS)]
        self._lamps: dict[int, pygame.Surface] = {}
        self._faces: dict[tuple[int, ...], pygame.Surface] = {}

    def parts(self, row: Box) -> tuple[Box, Box, Box, Box]:
        """Name, lamp, meter and class of a row."""
        px = self.kit.px
        name = Box(row.x + px(2), row.y, px(38), row.h)
        lamp = Box(name.right + px(2), row.y, px(48), row.h)
        label = Box(row.right - px(62), row.y, px(60), row.h)
        meter = Box(lamp.right + px(8), row.y + px(5), label.x - lamp.right - px(18), row.h - px(10))
        return name, lamp, meter, label

    def still(self, surface: pygame.Surface) -> None:
        """The plate, the meters without needles."""
        self.kit.title(surface, "responses", self.kit.words("RESPONSES"))
        for i, row in enumerate(self.rows):
            name, _, meter, _ = self.parts(row)
            self.kit.engrave(surface, f"R{i + 1}", name, LABEL, weight=HEAVY, align="left")
            steel.bezel(surface, meter, self.kit.scale, rim=3)
            surface.blit(self._face(meter), meter[:2])

    def _face(self, meter: Box) -> pygame.Surface:
        """Ivory with its scale; made once, since all rows are alike to a pixel."""
        if meter[2:] in self._faces:
            return self._faces[meter[2:]]
        p = Picture(meter.w, meter.h, THEME.ivory)
        shade = np.clip(1 - p.ys / (meter.h * 0.35), 0, 1) * 0.28
        p.lay(np.broadcast_to(shade, p.alpha.shape).astype(np.float32), THEME.ivory_shade)
        cx, cy, r = self.pivot(meter)
        ticks = np.zeros(p.alpha.shape, np.float32)
        for k in range(-10, 11):
            angle = self.span(meter) * k / 10
            long = 0.24 if k % 5 == 0 else 0.13
            r1 = r - meter.h * long
            x0, y0 = cx - meter.x + r * np.sin(angle), cy - meter.y - r * np.cos(angle)
            x1, y1 = cx - meter.x + r1 * np.sin(angle), cy - meter.y - r1 * np.cos(angle)
            width = max(1.0, (1.6 if k % 5 == 0 else 1.1) * self.kit.scale)
            ticks = np.maximum(ticks, p.stroke(x0, y0, x1, y1, width))
        self._faces[meter[2:]] = p.lay(ticks, THEME.ink).surface()
        return self._faces[meter[2:]]

    def span(self, meter: Box) -> float:
        """The angle of full scale, so that the whole scale stays in the window."""
        return float(min(WIDEST, 2 * np.arctan(0.46 * meter.h / (0.47 * meter.w))))

    def pivot(self, meter: Box) -> tuple[float, float, float]:
        """Where the needle turns (below the window) and how far its tip reaches."""
        r = meter.w * 0.47 / np.sin(self.span(meter))
        top = meter.y + meter.h * 0.12
        return meter.x + meter.w / 2, top + r, r

    def key(self, scene: Scene, desk: Desk) -> Hashable:
        """Needles to a third of a degree, lamps, names."""
        state = scene.state
        setting = state.config.response
        needles = tuple(np.rint(scene.needles * 120).astype(int))
        lamps = tuple(np.rint(scene.responses * (LEVELS - 1)).astype(int))
        return needles, lamps, state.codebook, desk.response, setting.dead_zone_uv, setting.threshold_uv, scene.full_v

    def draw(self, surface: pygame.Surface, scene: Scene, desk: Desk) -> None:
        """Needles, lamps and classes of the R-units in use."""
        text = self.kit.words("scale ±{n} V", n=scene.full_v)
        self.kit.note(surface, "responses", text)
        for i, row in enumerate(self.rows):
            name, lamp, meter, label = self.parts(row)
            in_use = i < len(scene.needles)
            level = round(float(scene.responses[i]) * (LEVELS - 1)) if in_use else 0
            jewel = self._jewel(level)
            x, y = lamp.centre
            surface.blit(jewel, (x - jewel.get_width() // 2, y - jewel.get_height() // 2))
            if in_use:
                self._zone(surface, meter, scene)
                self._needle(surface, meter, float(scene.needles[i]))
                self.kit.engrave(surface, class_of(scene.state, i), label, 30, weight=HEAVY)
            else:
                pygame.draw.rect(surface, THEME.enamel, meter)  # a blank plate where the meter would be
                self.kit.engrave(surface, self.kit.words("not in use"), meter, TEXT, colour=THEME.engraved_soft)
            if i == desk.response and in_use:
                self._mark(surface, row)

    def _mark(self, surface: pygame.Surface, row: Box) -> None:
        """A pointer at the row that chart, why and hand look at."""
        x, y, s = row.x - self.kit.px(9), row.centre[1], self.kit.px(7)
        pygame.draw.polygon(surface, THEME.engraved, ((x, y - s), (x + s, y), (x, y + s)))

    def _zone(self, surface: pygame.Surface, meter: Box, scene: Scene) -> None:
        """The dead zone, hatched: inside it the R-unit is undecided."""
        setting = scene.state.config.response
        cx, cy, r = self.pivot(meter)
        middle = setting.threshold_uv / (scene.full_v * 1e6)
        half = max(setting.dead_zone_uv / (scene.full_v * 1e6), 0.012)
        low, high = (np.clip(v, -1, 1) * self.span(meter) for v in (middle - half, middle + half))
        top, bottom = r - meter.h * 0.02, r - meter.h * 0.86
        points = [
            (cx + d * np.sin(a), cy - d * np.cos(a))
            for a, d in ((low, top), (high, top), (high, bottom), (low, bottom))
        ]
        old = surface.get_clip()
        surface.set_clip(meter)
        pygame.draw.polygon(surface, mix(THEME.ivory_shade, THEME.ink, 0.28), points)
        surface.set_clip(old)

    def _needle(self, surface: pygame.Surface, meter: Box, position: float) -> None:
        """Drawn three times as large and scaled down, so that its edges are smooth."""
        cx, cy, r = self.pivot(meter)
        angle = position * self.span(meter)
        reach, width = r - meter.h * 0.03, max(1.8, 3.2 * self.kit.scale)
        tip = (cx + reach * np.sin(angle), cy - reach * np.cos(angle))
        foot = (cx + (r - 1.2 * meter.h) * np.sin(angle), cy - (r - 1.2 * meter.h) * np.cos(angle))
        dx, dy = np.cos(angle) * width / 2, np.sin(angle) * width / 2
        body = [
            (tip[0] - dx / 2, tip[1] - dy / 2),
            (tip[0] + dx / 2, tip[1] + dy / 2),
            (foot[0] + dx, foot[1] + dy),
            (foot[0] - dx, foot[1] - dy),
        ]
        large = pygame.Surface((3 * meter.w, 3 * meter.h), pygame.SRCALPHA)
        large.fill((*THEME.ink, 0))
        shade = 2 * self.kit.scale
        pygame.draw.polygon(
            large, (*THEME.ink, 60), [(3 * (x - meter.x + shade), 3 * (y - meter.y + 1)) for x, y in body]
        )
        pygame.draw.polygon(large, THEME.ink, [(3 * (x - meter.x), 3 * (y - meter.y)) for x, y in body])
        surface.blit(pygame.transform.smoothscale(large, (meter.w, meter.h)), (meter.x, meter.y))

    def _jewel(self, level: int) -> pygame.Surface:
        if level not in self._lamps:
            self._lamps[level] = jewel(self.kit.px(38), level / (LEVELS - 1))
        return self._lamps[level]

    def row_at(self, x: float, y: float) -> int | None:
        """The row under a point."""
        return next((i for i, row in enumerate(self.rows) if row.y - 3 <= y < row.bottom + 3 and x >= 0), None)


def class_of(state: MachineState, response: int) -> str:
    """What this R-unit alone means, if one R-unit stands for one class; its place value otherwise."""
    code = 1 << response
    book = state.codebook
    alone = all(c & (c - 1) == 0 for c in book.codes)
    return book.names[book.codes.index(code)] if alone and code in book.codes else str(code)


def jewel(size: int, level: float) -> pygame.Surface:
    """A pilot lamp in a chromed ring, with its halo."""
    side = size * 2
    p, c, r = Picture(side, side), side / 2, size / 2
    distance = np.hypot(p.xs - c, p.ys - c)
    halo = np.clip(np.exp(-((distance / (size * 0.52)) ** 2)) - 0.03, 0, 1).astype(np.float32)
    p.lay(0.75 * level * halo, (255, 206, 120))
    p.lay(0.4 * (1 - level) * p.disc(c, c + 1, r, 3), (0, 0, 0))
    p.lay(p.disc(c, c, r * 0.94), (60, 60, 58))
    p.lay(p.disc(c - 0.5, c - 0.7, r * 0.88), (178, 180, 174))
    p.lay(p.disc(c, c, r * 0.72), (20, 18, 16))
    core = np.exp(-((distance / (r * 0.6)) ** 2))[..., None]
    hot = np.asarray(THEME.lamp, np.float32) * (1 - core) + np.asarray(THEME.lamp_hot, np.float32) * core
    cold = np.asarray((58, 42, 26), np.float32)
    p.lay(p.disc(c, c, r * 0.64), cold * (1 - level) + hot * level)
    p.lay(0.5 * p.disc(c - r * 0.22, c - r * 0.26, r * 0.14, 2), (255, 255, 255))
    return p.surface()
