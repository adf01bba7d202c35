"""What the panel is lent by the other rooms: cards, files, dropped pictures, the theory's verdict.

Everything heavy is imported when it is first needed: the first frame should come soon.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mark1 import Mark1
from mark1.errors import InputError, Mark1Error, SaveError
from mark1.panel.cards import SIDE, Card, Tray, letters
from mark1.panel.filing import Services, Telling
from mark1.panel.trainer import UNKNOWN, Opinion

LETTERS = "ABCDEFGH"


# -- cards -----------------------------------------------------------------------------------------------------


def tray_of(place: str | None, classes: str | None, rows: int, columns: int) -> tuple[Tray, Any]:
    """The tray and its camera: the panel's own letters, or a card set (built-in, folder or manifest)."""
    if place is None:
        text = classes or LETTERS
        if not text.isalnum() or len(set(text)) != len(text):
            raise InputError(f"--classes is {text!r}, but must be different letters or digits, such as {LETTERS}.")
        return letters(text, rows, columns), None
    from mark1.stimulus import find_cards

    cards = find_cards(place)
    if classes:
        cards = cards.only(classes.split(",") if "," in classes else list(classes))
    return _tray(cards), cards.projection


def _tray(cards: Any) -> Tray:
    lights = cards.lights()
    made = []
    for position, card in enumerate(cards.cards):
        picture = _enlarged(cards.plate(position).points)
        made.append(Card(card.name, card.class_name, lights[position], picture))
    order = dict.fromkeys(card.label for card in made)  # the panel names classes by first appearance
    number = dict(zip(cards.classes, cards.codes.numbers(), strict=True))
    return Tray(cards.title or cards.name, tuple(made), tuple(number[name] for name in order))


def _enlarged(points: NDArray[np.uint8]) -> NDArray[np.float32]:
    """What the camera sees of a card, as the panel shows it."""
    picture = points.astype(np.float32) / np.float32(255)
    for axis, n in enumerate(points.shape):  # linear in between, one way after the other
        place = np.clip((np.arange(SIDE) + 0.5) * n / SIDE - 0.5, 0, n - 1)
        low = np.minimum(place.astype(int), max(0, n - 2))
        share = (place - low).astype(np.float32).reshape((-1, 1) if axis == 0 else (1, -1))
        high = np.minimum(low + 1, n - 1)
        picture = np.take(picture, low, axis) * (1 - share) + np.take(picture, high, axis) * share
    return picture


def dropped_card(path: str, machine: Mark1, camera: Any) -> Card:
    """A picture file as a card, through the camera of the tray."""
    from mark1.stimulus import Projection, develop, expose

    retina = machine.config.retina
    projection = (camera or Projection()).changed(rows=retina.rows, columns=retina.columns)
    points = develop(Path(path), projection).points
    return Card(Path(path).name, Path(path).stem, expose(points, projection), _enlarged(points))


# -- files -----------------------------------------------------------------------------------------------------


def data_folder(given: str | None) -> Path:
    """Where machines are kept; made if need be."""
    if given is None:
        from platformdirs import user_data_path

        folder = user_data_path("mark1", appauthor=False)
    else:
        folder = Path(given)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"the folder {folder} cannot be made ({error.strerror}); name another with --folder."
        ) from None
    return folder


def services(folder: Path, machine: Mark1, camera: Any) -> Services:
    """Files for the panel: kept machines, exports, dropped pictures."""

    def save(it: Mark1) -> Telling:
        from mark1.app.machinefile import CAMERA, camera_note
        from mark1.savefile import save_machine
        from mark1.stimulus import Projection

        if CAMERA not in it.state().notes:  # the machine remembers the camera that its cards were seen with
            retina = it.config.retina
            it.submit(camera_note(camera or Projection(rows=retina.rows, columns=retina.columns)))
        path = _free(folder, f"seed-{it.seed}", ".mark1")
        save_machine(path, it)
        return "Kept as {name} in {folder}.", {"name": path.name, "folder": folder}

    def names() -> list[str]:
        return _newest_first(folder)

    def read(name: str) -> bytes:
        from mark1.savefile import read_bytes

        if Path(name).name != name:
            raise SaveError(f"{name} is not in the machine folder; start the panel with --machine {name}.")
        return read_bytes(folder / name)

    def export(picture: Any, chart: Any, state: Any) -> Telling:
        return _export(folder, picture, chart, state)

    def dropped(path: str) -> Card:
        return dropped_card(path, machine, camera)

    return Services(save, names, read, export, dropped)


def _free(folder: Path, stem: str, suffix: str) -> Path:
    """A file name that is not taken."""
    number = 1
    while (path := folder / f"{stem}-{number:03d}{suffix}").exists():
        number += 1
    return path


def _newest_first(folder: Path) -> list[str]:
    """Names of the machine files that are there; a link to nowhere is none."""
    found = []
    with suppress(OSError):
        for path in folder.glob("*.mark1"):
            with suppress(OSError):
                found.append((-path.stat().st_mtime_ns, path.name))
    return [name for _, name in sorted(found)]


def _export(folder: Path, picture: Any, chart: Any, state: Any) -> Telling:
    from mark1.panel.tables import training_csv, values_csv
    from mark1.savefile import write_atomically

    path = _free(folder, "panel", ".png")
    files = {
        path: _png(picture),
        path.with_suffix(".chart.png"): _png(chart),
        path.with_suffix(".values.csv"): values_csv(state).encode(),
        path.with_suffix(".training.csv"): training_csv(state).encode(),
    }
    try:
        for place, data in files.items():
            write_atomically(place, data)
    except Mark1Error:
        for place in files:  # all four or none
            with suppress(OSError):
                place.unlink()
        raise
    return "Exported {name}, the chart and two tables to {folder}.", {"name": path.name, "folder": folder}


def _png(picture: Any) -> bytes:
    import pygame

    made = BytesIO()
    pygame.image.save(picture, made, "picture.png")
    return made.getvalue()


# -- rig -------------------------------------------------------------------------------------------------------


@contextmanager
def rig(text: str | None, desk: Any, folder: Path) -> Iterator[None]:
    """With --rig the machine is mirrored while it lasts; an absent rig is looked for all the time."""
    if text is None:
        yield
        return
    from mark1.app.rig import mirrored
    from mark1.app.rig_panel import PanelRig, rig_file
    from mark1.panel.rig import RigWatch

    try:
        tray = desk.tray()
    except InputError:  # a machine that cannot name these cards: the first A-units are mirrored
        tray = None, None
    with mirrored(text, desk.machine, *tray) as bridge:
        desk.rig = RigWatch(PanelRig(bridge, rig_file(text, folder)))
        yield


# -- theory ----------------------------------------------------------------------------------------------------


class BenchJudge:
    """The theory bench beside the panel: asked when training starts, looked at in every frame, never waited for."""

    def __init__(self) -> None:
        self._watch: Any = None
        self._responses = 0

    def ask(self, machine: Mark1, lights: Any, targets: Any) -> None:
        """Hands the machine and its tray to the bench's own process."""
        from mark1.theory.watch import TheoryWatch

        self._watch = self._watch or TheoryWatch()
        self._responses = np.asarray(targets).shape[1]
        self._watch.offer_machine(machine.save(), lights, targets)

    def poll(self) -> Opinion:
        """What is known now."""
        return UNKNOWN if self._watch is None else opinion(self._watch.poll(), self._responses)

    def close(self) -> None:
        """Ends the bench's process."""
        if self._watch is not None:
            self._watch.close()


def opinion(known: Any, responses: int) -> Opinion:
    """The bench's findings in the panel's words: one R-unit that cannot be separated is enough."""
    found: Sequence[Any] = [known.findings.get(r) for r in range(responses)]
    bounds = tuple(None if f is None else f.bound for f in found)
    margins = tuple(None if f is None else f.gamma for f in found)
    for r, finding in enumerate(found):
        if finding is not None and finding.separable is False:
            return Opinion(False, f"R{r + 1}: {finding.sentence}", bounds, margins)
    sure = known.complete and all(f is not None and f.separable for f in found)
    return Opinion(True if sure else None, known.trouble, bounds, margins)
