"""The chart recorder: errors per pass as bars, corrections as the pen's line, the theorem's bound as a dashed line.

Errors and corrections are the machine's own history of the training; the bound is what theory says, or absent. It is
the bound of the theorem for this very rack, and shown only while nothing but this training has touched it.
"""

from collections.abc import Hashable

import numpy as np
import pygame

from mark1.panel import steel
from mark1.panel.desk import Desk
from mark1.panel.layout import Box
from mark1.panel.lettering import FIRM
from mark1.panel.scene import Scene
from mark1.panel.theme import TEXT, THEME, mix
from mark1.panel.views.base import View

PAPER = (247, 242, 226)
MOST = 400  # passes drawn; more are thinned out


class ChartView(View):
    """Errors, corrections, bound."""

    name = "chart"

    def still(self, surface: pygame.Surface) -> None:
        """The plate and the ruled paper."""
        self.kit.title(surface, "chart", self.kit.words("RECORDER"))
        box = self.kit.box("chart.field").inset(self.kit.px(4))
        steel.bezel(surface, box, self.kit.scale)
        pygame.draw.rect(surface, PAPER, box)
        rule = mix(PAPER, THEME.right, 0.16)
        for i in range(1, 10):
            x = box.x + box.w * i // 10
            pygame.draw.line(surface, rule, (x, box.y), (x, box.bottom - 1))
        for i in range(1, 6):
            y = box.y + box.h * i // 6
            pygame.draw.line(surface, rule, (box.x, y), (box.right - 1, y))

    def key(self, scene: Scene, desk: Desk) -> Hashable:
        """History and opinion."""
        training = scene.state.training
        fast = scene.averaged and training.passes_done > 30
        done = training.passes_done // 10 if fast else (training.passes_done, training.corrections)
        return (
            training.running,
            done,
            training.outcome,
            desk.opinion,
            desk.response,
            training.cards,
            len(training.error_history) == 0,
        )

    def draw(self, surface: pygame.Surface, scene: Scene, desk: Desk) -> None:
        """Bars, line and bound."""
        kit, words = self.kit, self.kit.words
        training = scene.state.training
        box = kit.box("chart.field").inset(kit.px(4))
        note = words("passes: {n}", n=training.passes_done)
        kit.note(surface, "chart", note)
        errors = np.asarray(training.error_history, float)
        corrections = np.cumsum(np.asarray(training.correction_history, float))
        if not len(errors):
            self._no_history(surface, box, scene)
            return
        total = int(corrections[-1]) + (training.corrections if training.running else 0)
        area = box.inset(kit.px(10), kit.px(64), kit.px(10), kit.px(6))
        if training.mode != "spontaneous":  # which knows no errors
            self._bars(surface, area, errors[-MOST:], max(1, training.cards))
        self._line(surface, area, corrections[-MOST:], self._ceiling(desk, corrections))
        self._texts(surface, box, scene, self._second_line(scene, desk), total)

    def _no_history(self, surface: pygame.Surface, box: Box, scene: Scene) -> None:
        """Before the end of the first pass."""
        kit, words, training = self.kit, self.kit.words, scene.state.training
        text = words("errors and corrections of the next training")
        if training.running and training.mode == "spontaneous":
            text = words("first pass: {n} reinforcements so far", n=training.corrections)
        elif training.running:
            text = words("first pass: {n} corrections so far", n=training.corrections)
        kit.lettering.put(surface, text, box.inset(kit.px(10)), TEXT, THEME.engraved_soft, PAPER, lines=2)

    def _ceiling(self, desk: Desk, corrections: np.ndarray) -> float:
        return max(1.0, float(corrections[-1]))

    def _bars(self, surface: pygame.Surface, area: Box, errors: np.ndarray, most: int) -> None:
        """Wrong answers in each pass, as a share of the tray."""
        n = len(errors)
        for i, value in enumerate(errors):
            left, right = area.x + area.w * i // n, area.x + area.w * (i + 1) // n
            high = round(area.h * value / most)
            width = max(1, right - left - (1 if right - left > 3 else 0))
            pygame.draw.rect(surface, (196, 186, 158), (left, area.bottom - high, width, high))

    def _line(self, surface: pygame.Surface, area: Box, corrections: np.ndarray, ceiling: float) -> None:
        """The pen: corrections made so far."""
        n = len(corrections)
        points: list[tuple[float, float]] = [(area.x, area.bottom - 1)]
        points += [
            (area.x + area.w * (i + 1) / n, area.bottom - 1 - (area.h - 2) * c / ceiling)
            for i, c in enumerate(corrections)
        ]
        if len(points) > 1:
            pygame.draw.lines(surface, THEME.record, False, points, self.kit.px(3))

    def _texts(self, surface: pygame.Surface, box: Box, scene: Scene, second: str, total: int) -> None:
        kit, words = self.kit, self.kit.words
        top = Box(box.x + kit.px(10), box.y + kit.px(3), box.w - kit.px(20), kit.px(29))
        low = Box(top.x, top.bottom, top.w, top.h)
        spontaneous = scene.state.training.mode == "spontaneous"
        text = words("{n} reinforcements", n=total) if spontaneous else words("{n} corrections", n=total)
        kit.lettering.put(surface, text, top, TEXT, THEME.record, PAPER, align="left", weight=FIRM)
        kit.lettering.put(surface, second, low, TEXT, THEME.ink, PAPER, align="left")

    def _second_line(self, scene: Scene, desk: Desk) -> str:
        """The chosen R-unit's corrections against its bound; without a bound, the last pass."""
        words, opinion, r, training = self.kit.words, desk.opinion, desk.response, scene.state.training
        if training.mode == "spontaneous":
            return words("no right or wrong in this mode")
        bound = opinion.bounds[r] if r < len(opinion.bounds) else None
        if bound is None or training.disturbed:  # the theorem says nothing of a training that was meddled with
            return words("last pass: {n} of {all} wrong", n=training.error_history[-1], all=training.cards)
        kind, made, margin = words("bound"), int(training.corrected[r]), opinion.margins[r]
        if margin is None:
            return words("R{r}: {n}, {kind} {most:,.0f}", r=r + 1, n=made, kind=kind, most=bound)
        text = "R{r}: {n}, {kind} {most:,.0f}, margin {g:.2f}"
        return words(text, r=r + 1, n=made, kind=kind, most=bound, g=margin)
