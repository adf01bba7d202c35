"""Machine files: the newest six of the folder that the app lends us; any other is opened from the command line."""

from mark1.panel.desk import Desk
from mark1.panel.layout import Box
from mark1.panel.pages.drawer import DrawerPage
from mark1.panel.scene import Scene

MOST = 6


class FilesPage(DrawerPage):
    """Up to six kept machines."""

    name = "files"
    title = "OPEN A MACHINE"

    def lay(self) -> None:
        """Two rows of three, and a key to close."""
        px = self.kit.px
        inside = self.box.inset(px(24), px(66), px(24), px(20))
        first, second, last = inside.rows((1, 1, 1), px(12))
        self.cells = [cell for row in (first, second) for cell in row.columns((1, 1, 1), px(12))]
        self.last = last
        self.names: list[str] = []
        self.keys = {"page.close": Box(last.right - px(240), last.y, px(240), last.h)}

    def opened(self, desk: Desk) -> None:
        """Takes up the names of the kept machines."""
        self.names = (desk.services.names() if desk.services.names else [])[:MOST]
        for i, _ in enumerate(self.names):
            self.keys[f"files.{i}"] = self.cells[i]

    def text(self, name: str, desk: Desk, scene: Scene) -> tuple[str, str]:
        """File names."""
        return (self.kit.words("CLOSE"), "") if name == "page.close" else (self.names[int(name.split(".")[1])], "")

    def act(self, name: str, desk: Desk) -> str:
        """Opens one."""
        if name.startswith("files."):
            desk.open(self.names[int(name.split(".")[1])])
        return "close"


PAGE = FilesPage
