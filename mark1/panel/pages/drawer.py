"""The drawer: everything of this program that the machine of 1960 had not."""

from mark1.panel.desk import Desk
from mark1.panel.layout import Box
from mark1.panel.pages.base import Page
from mark1.panel.scene import Scene

NAMES = ("save", "open", "seed", "export", "forget", "mend", "plugboard", "documented", "sound", "language", "help")


class DrawerPage(Page):
    """Twelve keys."""

    name = "drawer"
    title = "DRAWER"

    def place(self) -> Box:
        """Over the desk, in reach."""
        page, px = self.kit.box("page"), self.kit.px
        w, h = min(page.w - px(40), px(1000)), px(400)
        middle = self.kit.box("desk").centre[0]
        x = min(max(px(20), middle - w // 2), page.w - w - px(20))
        return Box(x, page.h - h - px(24), w, h)

    def lay(self) -> None:
        """Three rows of four."""
        px = self.kit.px
        inside = self.box.inset(px(24), px(66), px(24), px(20))
        cells = [cell for row in inside.rows((1, 1, 1), px(12)) for cell in row.columns((1, 1, 1, 1), px(12))]
        names = [*(f"drawer.{name}" for name in NAMES), "page.close"]
        self.keys = dict(zip(names, cells, strict=True))

    def text(self, name: str, desk: Desk, scene: Scene) -> tuple[str, str]:
        """What each key says."""
        words = self.kit.words
        on, off = words("is on"), words("is off")
        return {
            "drawer.save": (words("SAVE"), words("keep this machine")),
            "drawer.open": (words("OPEN"), words("a kept machine")),
            "drawer.seed": (words("NEW SEED"), words("another machine")),
            "drawer.export": (words("EXPORT"), words("picture, values")),
            "drawer.forget": (words("FORGET"), words("all values to 0")),
            "drawer.mend": (words("MEND"), words("all units back")),
            "drawer.plugboard": (words("WIRES"), words("cut, move, add")),
            "drawer.documented": (words("AS DOCUMENTED"), on if scene.attention.documented else off),
            "drawer.sound": (words("SOUND"), off if scene.attention.muted else on),
            "drawer.language": (words("LANGUAGE"), words.language),
            "drawer.help": (words("HELP"), words("keys and colours")),
            "page.close": (words("CLOSE"), ""),
        }[name]

    def act(self, name: str, desk: Desk) -> str:
        """Most keys do one thing and close the drawer."""
        if name in ("drawer.open", "drawer.help", "drawer.plugboard"):
            return {"drawer.open": "files", "drawer.help": "help", "drawer.plugboard": "plugpage"}[name]
        if name in ("drawer.documented", "drawer.sound", "drawer.export", "drawer.language"):
            return name
        doing = {
            "drawer.save": desk.save,
            "drawer.seed": desk.new_seed,
            "drawer.forget": desk.forget,
            "drawer.mend": desk.mend,
        }
        if name in doing:
            doing[name]()
        return "close"


PAGE = DrawerPage
