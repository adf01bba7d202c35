"""The answer and its verdict: the largest thing after the easel, readable from two metres and at a sixth of its size.

While cards pass too fast to read, it says how the training goes instead of flashing letters.
"""

from collections.abc import Hashable

import numpy as np
import pygame

from mark1.panel import steel
from mark1.panel.answer import RIGHT, UNJUDGED, WAITING, WRONG, Answer
from mark1.panel.desk import Desk
from mark1.panel.icons import cross, question, stroke, tick
from mark1.panel.ink import Picture
from mark1.panel.layout import Box
from mark1.panel.lettering import FIRM, HEAVY
from mark1.panel.scene import Scene
from mark1.panel.theme import LABEL, THEME, Colour
from mark1.panel.views.base import View


class AnswerView(View):
    """What it said, and whether that was right."""

    name = "answer"

    def still(self, surface: pygame.Surface) -> None:
        """The plate and the lit window."""
        kit = self.kit
        steel.plate(surface, self.box, kit.scale)
        field = kit.box("answer.field").inset(kit.px(5))
        steel.bezel(surface, field, kit.scale)
        p = Picture(64, 64, THEME.ivory)
        far = np.hypot(p.xs / 64 - 0.5, p.ys / 64 - 0.5)
        p.lay(np.clip(far * 1.5 - 0.35, 0, 1).astype(np.float32) * 0.5, THEME.ivory_shade)
        surface.blit(pygame.transform.smoothscale(p.surface(), (field.w, field.h)), (field.x, field.y))
        steel.bezel(surface, kit.box("answer.verdict").inset(kit.px(4)), kit.scale, rim=3)

    def key(self, scene: Scene, desk: Desk) -> Hashable:
        """The answer, or the training's progress."""
        training = scene.state.training
        if scene.averaged:
            return training.passes_done // 5 if training.passes_done > 20 else training.passes_done, "averaged"
        return desk.answer, scene.state.phase

    def draw(self, surface: pygame.Surface, scene: Scene, desk: Desk) -> None:
        """One letter as large as it goes, a coloured bar with sign and word, a line of reasons."""
        if scene.averaged:
            self._learning(surface, scene)
            return
        kit, words, answer = self.kit, self.kit.words, desk.answer
        field = kit.box("answer.field").inset(kit.px(10))
        if answer.said:
            self._large(surface, answer.said, field)
        elif answer.verdict == WAITING:
            text = words("looking") if scene.state.phase == "settling" else words("ANSWER")
            kit.lettering.put(surface, text, field, 46, THEME.engraved_soft, THEME.ivory)
        else:
            sign, square = question if answer.verdict == "undecided" else stroke, field.square()
            sign(surface, square.inset(square.w // 6), THEME.silent)
        self._verdict(surface, answer)
        kit.engrave(surface, self._reason(answer), kit.box("answer.caption"), LABEL, lines=2)

    def _large(self, surface: pygame.Surface, text: str, field: Box) -> None:
        room = min(field.h, field.w * 1.2)
        size = room * (1.0 if len(text) == 1 else 1.6 / max(2, len(text))) / self.kit.scale
        wide = Box(field.x, field.y, field.w, field.h)
        self.kit.lettering.put(surface, text, wide, max(40, size), THEME.ink, THEME.ivory, weight=HEAVY)

    def _verdict(self, surface: pygame.Surface, answer: Answer) -> None:
        kit, words = self.kit, self.kit.words
        box = kit.box("answer.verdict").inset(kit.px(4))
        looks: dict[str, tuple[Colour, str]] = {
            RIGHT: (THEME.right, words("RIGHT")),
            WRONG: (THEME.wrong, words("WRONG")),
            "undecided": (THEME.undecided, words("UNDECIDED")),
            "no answer": (THEME.silent, words("NO ANSWER")),
            UNJUDGED: (THEME.silent, words("SAYS {name}", name=answer.said)),
            WAITING: (THEME.bezel, ""),
        }
        colour, text = looks[answer.verdict]
        pygame.draw.rect(surface, colour, box)
        if not text:
            return
        icon = Box(box.x + kit.px(14), box.y, round(box.h * 0.62), box.h).square()
        draw = {RIGHT: tick, WRONG: cross, "undecided": question}.get(answer.verdict, stroke)
        draw(surface, icon, (255, 255, 255))
        room = Box(icon.right + kit.px(8), box.y, box.right - icon.right - kit.px(26), box.h)
        kit.lettering.put(surface, text, room, 64, (255, 255, 255), colour, weight=FIRM)

    def _reason(self, answer: Answer) -> str:
        words = self.kit.words
        if answer.verdict == WAITING:
            return words("what it says comes here")
        if answer.verdict == "undecided":
            return words("a sum lies in the dead zone")
        if answer.verdict == "no answer":
            return words("the R-units give no known code")
        volts = answer.margin_uv / 1e6
        if answer.verdict == WRONG:
            return words("it should say {name}", name=answer.wanted)
        return words("{v:.1f} V past the dead zone", v=volts)

    def _learning(self, surface: pygame.Surface, scene: Scene) -> None:
        kit, words, training = self.kit, self.kit.words, scene.state.training
        field = kit.box("answer.field").inset(kit.px(10))
        top, low = field.inset(0, self.kit.px(10), 0, 0).rows((1.9, 1), 0)
        if training.mode == "spontaneous":
            large, text = training.passes_done, words("of {n} passes done; no right or wrong", n=training.passes)
        else:
            large = training.error_history[-1] if training.error_history else training.cards
            text = words("of {all} cards wrong in the last pass", all=training.cards)
            text = text if training.error_history else words("cards in the tray: first pass")
        kit.lettering.put(surface, str(large), top, 190, THEME.ink, THEME.ivory, weight=HEAVY)
        kit.lettering.put(surface, text, low.inset(kit.px(6), 0), 30, THEME.ink, THEME.ivory, lines=2)
        box = kit.box("answer.verdict").inset(kit.px(4))
        pygame.draw.rect(surface, THEME.bezel, box)
        kit.lettering.put(
            surface, words("LEARNING"), box.inset(kit.px(12), 0), 60, THEME.ivory, THEME.bezel, weight=FIRM
        )
        kit.engrave(surface, words("pass {n}", n=training.passes_done + 1), kit.box("answer.caption"), LABEL)
