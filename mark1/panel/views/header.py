"""The top line: the nameplate, the annunciator (what just happened, or why not), the settings."""

from collections.abc import Hashable

import pygame

from mark1.panel import marks, steel
from mark1.panel.desk import Desk
from mark1.panel.ink import Picture
from mark1.panel.layout import Box
from mark1.panel.lettering import FIRM, LIGHT
from mark1.panel.scene import Scene
from mark1.panel.theme import LABEL, TEXT, THEME, mix
from mark1.panel.views.base import View


class HeaderView(View):
    """Name, message, settings."""

    name = "header"

    def still(self, surface: pygame.Surface) -> None:
        """The rail and the engraved nameplate."""
        kit, plate = self.kit, self.kit.box("nameplate")
        steel.bezel(surface, plate.inset(kit.px(3)), kit.scale, rim=2)
        pygame.draw.rect(surface, THEME.bezel, plate.inset(kit.px(3)))
        kit.lettering.put(
            surface,
            "PERCEPTRON   MARK I",
            marks.room(kit, "nameplate", plate.inset(kit.px(14), 0)),
            33,
            THEME.ivory,
            THEME.bezel,
            weight=FIRM,
        )
        box = kit.box("annunciator")
        steel.bezel(surface, box.inset(kit.px(3)), kit.scale, rim=2)
        pygame.draw.rect(surface, THEME.field, box.inset(kit.px(3)))

    def key(self, scene: Scene, desk: Desk) -> Hashable:
        """The texts."""
        return desk.message, self._status(scene, desk), self._rig(desk)

    def _rig(self, desk: Desk) -> tuple[str, bool] | None:
        """The rig's line, and whether its lamp is lit."""
        return None if desk.rig is None else (desk.rig.line(self.kit.words), desk.rig.well)

    def _status(self, scene: Scene, desk: Desk) -> str:
        config, words = scene.state.config, self.kit.words
        wires = f"{config.plugboard.excitatory} + {config.plugboard.inhibitory}"
        name = words(config.name.split(" ")[0])
        if desk.rig is not None:  # its lamp and line take the room of the wires
            return words("{name} · seed {seed}", name=name, seed=scene.state.seed)
        return words("{name}  ·  seed {seed}  ·  {wires} wires a unit", name=name, seed=scene.state.seed, wires=wires)

    def draw(self, surface: pygame.Surface, scene: Scene, desk: Desk) -> None:
        """Message and settings."""
        kit = self.kit
        box = marks.room(kit, "annunciator", kit.box("annunciator").inset(kit.px(16), kit.px(3)))
        cut = kit.lettering.fit(desk.message, box, LABEL, LIGHT, 1)[0] != [desk.message]
        kit.lettering.put(
            surface, desk.message, box, LABEL, THEME.lamp, THEME.field, align="left", lines=2 if cut else 1
        )
        rig, place = self._rig(desk), marks.room(kit, "status", kit.box("status"))
        if rig is not None:
            place, lamp, line = place.columns((300, 26, 220), kit.px(8))
            draw_lamp(surface, lamp, rig[1])
            kit.lettering.put(surface, rig[0], line, TEXT, (14, 14, 13), THEME.frame, align="left")
        kit.lettering.put(surface, self._status(scene, desk), place, TEXT, (14, 14, 13), THEME.frame, align="right")


def draw_lamp(surface: pygame.Surface, box: Box, lit: bool) -> None:
    """A small lamp in its bezel."""
    x, y = box.centre
    radius = min(box.w, box.h) / 2
    size = 2 * round(radius) + 1
    p = Picture(size, size)
    p.lay(p.disc(size / 2, size / 2, radius), THEME.bezel)
    p.lay(p.disc(size / 2, size / 2, radius * 0.72), THEME.lamp if lit else mix(THEME.bezel, THEME.lamp, 0.18))
    p.lay(p.disc(size / 2, size / 2, radius * 0.3, 2), THEME.lamp_hot if lit else mix(THEME.bezel, THEME.lamp, 0.3))
    surface.blit(p.surface(), (x - size // 2, y - size // 2))
