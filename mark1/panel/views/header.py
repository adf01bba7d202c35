"""The top line: the nameplate, the annunciator (what just happened, or why not), the settings."""

from collections.abc import Hashable

import pygame

from mark1.panel import steel
from mark1.panel.desk import Desk
from mark1.panel.lettering import FIRM
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
            surface, "PERCEPTRON   MARK I", plate.inset(kit.px(14), 0), 33, THEME.ivory, THEME.bezel, weight=FIRM
        )
        box = kit.box("annunciator")
        steel.bezel(surface, box.inset(kit.px(3)), kit.scale, rim=2)
        pygame.draw.rect(surface, THEME.field, box.inset(kit.px(3)))

    def key(self, scene: Scene, desk: Desk) -> Hashable:
        """The texts."""
        return desk.message, self._status(scene, desk)

    def _status(self, scene: Scene, desk: Desk) -> str:
        config, words = scene.state.config, self.kit.words
        wires = f"{config.plugboard.excitatory} + {config.plugboard.inhibitory}"
        name = words(config.name.split(" ")[0])
        if desk.services.rig is not None:
            how, channels = desk.services.rig()
            rig = words("rig: {n} {how}", n=channels, how=words(how))
            return words("{name}  ·  seed {seed}  ·  {rig}", name=name, seed=scene.state.seed, rig=rig)
        return words("{name}  ·  seed {seed}  ·  {wires} wires a unit", name=name, seed=scene.state.seed, wires=wires)

    def draw(self, surface: pygame.Surface, scene: Scene, desk: Desk) -> None:
        """Message and settings."""
        kit = self.kit
        box = kit.box("annunciator").inset(kit.px(16), 0)
        kit.lettering.put(surface, desk.message, box, LABEL, THEME.lamp, THEME.field, align="left")
        rail = mix(THEME.frame, (255, 255, 255), 0.0)
        kit.lettering.put(
            surface, self._status(scene, desk), kit.box("status"), TEXT, (14, 14, 13), rail, align="right"
        )
