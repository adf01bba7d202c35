"""Makes the screenshots of the panel, as a person would: Xvfb, xdotool, by coordinates only.

    python docs/screenshots/make.py [folder]

Needs Xvfb and xdotool. The story: draw an E, present it, correct it, train the tray, break 100 A-units, ask why,
rewire, undo, save, make a new machine, open the old one. Each step leaves a picture and lines in the journal.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image, ImageGrab

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
SIZE = (1920, 1080)


@contextmanager
def xvfb(size: tuple[int, int]) -> Iterator[str]:
    """A screen that nobody sees; its name."""
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{size[0]}x{size[1]}x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=(write,), stderr=subprocess.DEVNULL)
    os.close(write)
    try:
        with os.fdopen(read) as pipe:
            yield f":{pipe.readline().strip()}"
    finally:
        server.terminate()
        server.wait(timeout=10)


class Person:
    """Moves the mouse on one display, and looks."""

    def __init__(self, display: str, folder: Path, window: tuple[int, int], options: list[str]) -> None:
        sys.path.insert(0, str(ROOT))
        from mark1.panel.layout import arrange

        self.display, self.folder, self.size = display, folder, window
        self.boxes = arrange(*window, 26 if "--cards" in options else 8).boxes
        self.journal = folder / "journal.jsonl"
        self.pictures: dict[str, Image.Image] = {}
        environment = {**os.environ, "DISPLAY": display, "SDL_VIDEODRIVER": "x11", "SDL_AUDIODRIVER": "dummy",
                       "SDL_FRAMEBUFFER_ACCELERATION": "0", "PYTHONPATH": str(ROOT)}  # fmt: skip
        words = ["run", "--window", f"{window[0]}x{window[1]}", "--folder", str(folder), "--journal", str(self.journal)]
        self.panel = subprocess.Popen([sys.executable, "-m", "mark1", *words, *options], env=environment)
        self._wait_for_window()

    def _wait_for_window(self) -> None:
        for _ in range(200):
            found = self.tool("search", "--pid", str(self.panel.pid), check=False)
            if found.strip():
                self.tool("windowmove", found.split()[0], "0", "0")
                break
            time.sleep(0.1)
        time.sleep(1.0)

    def tool(self, *words: str, check: bool = True) -> str:
        """Runs xdotool."""
        done = subprocess.run(
            ["xdotool", *words], env={**os.environ, "DISPLAY": self.display}, capture_output=True, text=True
        )
        if check and done.returncode:
            raise RuntimeError(f"xdotool {' '.join(words)}: {done.stderr}")
        return done.stdout

    def click(self, x: float, y: float, wait_s: float = 0.5) -> None:
        """One click at a place."""
        self.tool("mousemove", str(round(x)), str(round(y)), "click", "1")
        time.sleep(wait_s)

    def press(self, name: str, wait_s: float = 0.5) -> None:
        """Clicks the middle of a box of the layout."""
        self.click(*self.boxes[name].centre, wait_s)

    def stroke(self, *places: tuple[float, float]) -> None:
        """Draws on the easel's card; places are 0 to 1."""
        card = self.boxes["easel.field"].square()
        at = [(round(card.x + x * card.w), round(card.y + y * card.h)) for x, y in places]
        self.tool("mousemove", *map(str, at[0]), "mousedown", "1")
        for (x0, y0), (x1, y1) in zip(at, at[1:], strict=False):
            for i in range(1, 9):
                self.tool("mousemove", str(x0 + (x1 - x0) * i // 8), str(y0 + (y1 - y0) * i // 8))
        self.tool("mouseup", "1")

    def look(self, name: str) -> Image.Image:
        """A screenshot."""
        picture = ImageGrab.grab(xdisplay=self.display).crop((0, 0, *self.size))
        self.pictures[name] = picture
        return picture

    def commands(self) -> list[str]:
        """Names of the commands in the journal so far."""
        lines = self.journal.read_text(encoding="utf-8").splitlines()
        return [line["command"] for line in map(json.loads, lines) if "command" in line]

    def leave(self) -> int:
        """Closes the panel with Escape, pressed twice."""
        self.tool("mousemove", "5", "5", "key", "Escape", "key", "Escape")
        return self.panel.wait(timeout=20)


def keep(picture: Image.Image, folder: Path, name: str) -> None:
    """WebP: the enamel's grain makes PNG files four times as large."""
    picture.save(folder / f"{name}.webp", quality=86, method=6)


def drawer_key(person: Person, name: str) -> tuple[float, float]:
    """Where a key of the drawer is, as the page itself lays it out."""
    from mark1.panel.layout import arrange
    from mark1.panel.pages.drawer import DrawerPage
    from mark1.panel.views.base import Kit
    from mark1.panel.words import Words

    return DrawerPage(Kit(arrange(*person.size), Words())).keys[name].centre


def draw_e(person: Person) -> None:
    """An E in two strokes."""
    person.stroke((0.74, 0.14), (0.3, 0.15), (0.28, 0.86), (0.76, 0.84))
    person.stroke((0.3, 0.5), (0.62, 0.49))


def story(person: Person) -> dict[str, list[str]]:
    """The whole visit; after each step, the commands that it added to the journal."""
    steps: dict[str, list[str]] = {}
    seen = 0

    def done(name: str) -> None:
        nonlocal seen
        person.look(name)
        steps[name] = person.commands()[seen:]
        seen += len(steps[name])

    done("01-fresh")
    draw_e(person)
    done("02-drawn")
    person.press("card.4")
    person.press("present", 1.2)
    done("03-presented")
    person.press("teach", 0.02)
    done("04-correcting")
    time.sleep(0.8)
    person.press("present", 1.2)
    done("05-corrected")
    for _ in range(3):  # the speed lever, to full speed
        box = person.boxes["knob.speed"]
        person.click(box.right - 12, box.centre[1], 0.15)
    person.press("train", 2.5)
    person.press("card.4", 0.3)
    person.press("card.4", 0.3)
    person.press("present", 1.5)
    done("06-trained")
    person.press("break", 0.5)
    person.press("present", 1.5)
    done("07-broken")
    rack = person.boxes["rack.field"]
    person.click(rack.x + rack.w * 0.31, rack.y + rack.h * 0.42, 0.8)
    done("08-loupe")
    person.tool("key", "Escape")
    time.sleep(0.3)
    row = person.boxes["response.1"]
    person.click(*row.centre, 0.8)
    done("09-why")
    person.press("rewire", 0.5)
    person.press("present", 1.5)
    done("10-rewired")
    person.press("undo", 0.8)
    done("11-undone")
    for step, key in (("12-saved", "drawer.save"), ("13-new-seed", "drawer.seed")):
        person.press("more", 0.5)
        person.click(*drawer_key(person, key), 1.0)
        done(step)
    person.press("more", 0.5)
    done("14-drawer")
    person.click(*drawer_key(person, "drawer.open"), 0.6)
    person.click(*first_file(person), 1.0)
    person.press("card.4", 0.3)
    person.press("present", 1.5)
    done("15-reopened")
    return steps


def first_file(person: Person) -> tuple[float, float]:
    """Where the first file's key is."""
    from mark1.panel.layout import arrange
    from mark1.panel.pages.files import FilesPage
    from mark1.panel.views.base import Kit
    from mark1.panel.words import Words

    return FilesPage(Kit(arrange(*person.size), Words())).cells[0].centre


EXTRAS: dict[str, tuple[tuple[int, int], list[str], str]] = {  # size, options, a key to press at the end
    "portrait": ((1080, 1920), [], ""),
    "small": ((1280, 720), [], ""),
    "four-to-three": ((1600, 1200), [], ""),
    "expanded": (SIZE, ["--preset", "EXPANDED"], ""),
    "alphabet": (SIZE, ["--cards", "capitals-serif"], ""),
    "documented": (SIZE, [], "d"),
    "help": (SIZE, [], "h"),
    "wires": (SIZE, [], "g"),
    "german": (SIZE, ["--language", "de"], ""),
}


def extras(display: str, folder: Path) -> None:
    """Other sizes, machines and pages; and a training as it goes on."""
    for name, (size, options, key) in EXTRAS.items():
        with visit(display, size, ["--speed", "full", *options]) as person:
            person.press("train", 2.5)
            person.press("card.2", 0.3)
            person.press("present", 2.0)
            person.tool("mousemove", "5", "5", *(["key", key] if key else []))
            time.sleep(0.6)
            keep(person.look(name), folder, name)
    rig(display, folder)
    with visit(display, SIZE, ["--speed", "10"]) as person:
        person.press("train", 0.9)
        keep(person.look("learning"), folder, "learning")


def rig(display: str, folder: Path) -> None:
    """An emulated rig: the top line while it learns, and its page with a channel in hand."""
    words = [sys.executable, "-m", "mark1", "rig", "emulate", "--channels", "16"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    board = subprocess.Popen(
        words, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True, env=environment, cwd=folder
    )
    try:
        port = board.stdout.readline().split()[1]
        with visit(display, SIZE, ["--rig", port, "--speed", "10"]) as person:
            time.sleep(1.5)
            person.press("train", 4.0)
            keep(person.look("rig-header"), folder, "rig-header")
            person.tool("mousemove", "5", "5", "key", "j")
            time.sleep(0.5)
            for key in ("rigpage.on", "rigpage.on", "rigpage.plus", "rigpage.plus", "rigpage.plus"):
                person.click(*page_key(person, key), 0.25)
            keep(person.look("rig-page"), folder, "rig-page")
            person.click(*page_key(person, "rigpage.stop"), 0.8)
            keep(person.look("rig-stopped"), folder, "rig-stopped")
    finally:
        board.terminate()
        board.wait(timeout=20)


def page_key(person: Person, name: str) -> tuple[float, float]:
    """Where a key of the rig page is."""
    from mark1.panel.layout import arrange
    from mark1.panel.pages.rigpage import RigPage
    from mark1.panel.views.base import Kit
    from mark1.panel.words import Words

    return RigPage(Kit(arrange(*person.size), Words())).keys[name].centre


@contextmanager
def visit(display: str, size: tuple[int, int], options: list[str]) -> Iterator[Person]:
    """A panel for a short while."""
    with tempfile.TemporaryDirectory() as place:
        person = Person(display, Path(place), size, ["--mute", *options])
        try:
            yield person
        finally:
            person.panel.terminate()
            person.panel.wait(timeout=20)


def main() -> None:
    """Tells the story and keeps the pictures."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    folder.mkdir(parents=True, exist_ok=True)
    with xvfb((1920, 1920)) as display:
        with tempfile.TemporaryDirectory() as place:
            person = Person(display, Path(place), SIZE, [])
            steps = story(person)
            person.leave()
            for name, picture in person.pictures.items():
                keep(picture, folder, name)
        for name, commands in steps.items():
            print(f"{name}: {', '.join(commands) or '-'}")  # noqa: T201
        extras(display, folder)


if __name__ == "__main__":
    main()
