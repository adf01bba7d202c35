"""The rig page drives an emulated board: no threads, no port, one injected clock for panel, bridge and board."""

from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pygame
import pytest

from firmware_bridge.emulator import Emulator
from firmware_bridge.host import Bridge
from firmware_bridge.rig import PortConfig, RigConfig, first_sources, load_rig
from mark1.app.rig_panel import PanelRig
from mark1.errors import BridgeError
from mark1.panel.layout import Box
from mark1.panel.pages import rigpage
from mark1.panel.rig import BoardView, LinkFacts, RigWatch, StepCount
from mark1.panel.stage import Stage
from mark1.panel.theme import TARGET, contrast

SIZES = [(1280, 720), (1920, 1080), (3840, 2160), (1280, 960), (1600, 1200), (1080, 1920)]
TURN_S = 0.004


class Cable:
    """A port whose other end is an emulated board, in the person's time."""

    name = "cable"

    def __init__(self, emulator: Emulator, clock: Callable[[], int]) -> None:
        self.emulator, self.clock, self.cut = emulator, clock, False
        self._there = b""

    def read(self) -> bytes:
        if self.cut:
            raise BridgeError("The rig on cable went away; it is mirrored again when it returns.")
        data, self._there = self._there, b""
        return self.emulator.exchange(data, self.clock())

    def write(self, data: bytes) -> None:
        self._there += data

    def close(self) -> None:
        """Nothing to give back."""


class Commissioning:
    """A person at a panel with a rig; wait() lets both live."""

    def __init__(self, person: Any, emulator: Emulator, file: Path) -> None:
        self.person, self.emulator = person, emulator
        self.bridge = Bridge(RigConfig(ports=(PortConfig(device="cable"),)), first_sources)
        self.host = self.bridge.ports[0]
        self.host.clock = self.now_us
        self.host._ending.set()  # nobody waits after a lost port
        self.cable = Cable(emulator, self.now_us)
        self.bridge.watch(person.machine)
        person.desk.rig = RigWatch(PanelRig(self.bridge, file))

    def now_us(self) -> int:
        return int(self.person.now_s * 1e6)

    def wait(self, seconds: float) -> None:
        for _ in range(round(seconds / TURN_S)):
            self.person.now_s += TURN_S
            try:
                self.host.turn(self.cable)
            except BridgeError as error:
                self.host._lost(str(error))
            if round(self.person.now_s / TURN_S) % 8 == 0:
                self.person.panel.step()
        self.person.panel.draw(self.person.screen)

    def press(self, *names: str) -> None:
        for name in names:
            self.person.touch(f"rigpage.{name}")
            self.wait(0.1)

    def counts(self, channel: int) -> int:
        return self.emulator.plant.position[channel] // 1000

    @property
    def message(self) -> str:
        return str(self.person.desk.message)

    @property
    def line(self) -> str:
        return str(self.person.desk.rig.line(self.person.desk.words))


@pytest.fixture
def rig(sit: Any, tmp_path: Path) -> Callable[..., Commissioning]:
    def make(kind: str = "motors", channels: int = 4, **words: Any) -> Commissioning:
        it = Commissioning(sit(**words), Emulator(channels, kind), tmp_path / "rig.toml")
        it.wait(1.5)
        it.person.panel.open_page("rigpage")
        it.wait(0.1)
        return it

    return make


def test_the_rig_is_greeted_and_counted_in_the_header(rig: Any) -> None:
    it = rig()
    assert it.message == "The rig is there: emulator motors, 4 channels." and it.line == "rig: 4 of 4 in step"
    assert it.person.desk.rig.well


def test_jog_moves_the_motor_of_the_chosen_channel_alone(rig: Any) -> None:
    it = rig()
    it.press("on", "plus", "plus")
    it.wait(1.0)
    assert it.counts(1) == pytest.approx(511 + 2.2 / 11 * 492, abs=9)
    assert all(abs(it.counts(other) - 511) < 9 for other in (0, 2, 3))
    assert not it.person.machine.state().values.any(), "a jog is no value of the machine"


def test_jog_moves_a_servo_that_does_not_measure(rig: Any) -> None:
    it = rig("servos")
    it.press("minus")
    it.wait(0.5)
    assert it.emulator.plant.pulses[0] == pytest.approx(1500 - 90, abs=1)


def test_reverse_turns_a_channel_round(rig: Any) -> None:
    it = rig("servos")
    it.press("plus", "reverse")
    it.wait(0.5)
    assert it.emulator.plant.pulses[0] == pytest.approx(1500 - 90, abs=1)
    assert it.emulator.rig.curve[0] == (2400, 1500, 600)


def test_the_ends_are_trimmed_where_one_sees_them(rig: Any) -> None:
    it = rig("servos")
    it.press("low", "more", "more")
    it.wait(0.7)
    assert it.emulator.rig.curve[0] == (620, 1500, 2400) and it.emulator.plant.pulses[0] == 620
    it.press("high", "more")
    assert it.emulator.rig.curve[0] == (620, 1500, 2400), "not beyond the firmware's travel"


def test_stop_stops_and_resume_goes_on(rig: Any) -> None:
    it = rig()
    it.press("high", "stop")
    assert it.emulator.plant.way == [0, 0, 0, 0] and it.emulator.rig.stopped
    stood = it.counts(0)
    it.wait(2.0)
    assert it.counts(0) == stood < 900 and it.line == "rig: stopped" and not it.person.desk.rig.well
    it.press("resume")
    it.wait(2.0)
    assert it.counts(0) > 990 and it.line != "rig: stopped"


def test_stop_is_one_key_from_anywhere(rig: Any) -> None:
    it = rig()
    it.press("high")
    it.person.panel.close_page()
    it.person.key(ord("x"), "x")
    it.wait(0.1)
    assert it.emulator.rig.stopped and it.person.panel.page.name == "rigpage"


def test_a_stop_is_not_lifted_by_a_search_for_stops(rig: Any) -> None:
    it = rig()
    it.press("find")
    it.wait(0.5)
    it.press("stop")
    it.wait(3.0)
    assert it.emulator.rig.stopped and not any(it.emulator.plant.way) and "stopped" in it.message
    it.press("find")
    assert it.message == "The rig is stopped: press RESUME first."


def test_a_channel_finds_its_stops_and_follows_again(rig: Any) -> None:
    it = rig()
    it.emulator.plant.speed = 4000
    it.press("find")
    it.wait(4.0)
    low, middle, high = it.emulator.rig.curve[0]
    assert it.message == f"Channel 0: stops found, curve {low} to {high}." and low < 60 and high > 960
    assert it.counts(0) == pytest.approx(middle, abs=9)


def test_a_jammed_channel_keeps_its_curve_and_says_why(rig: Any) -> None:
    it = rig()
    it.emulator.plant.jammed.add(0)
    it.press("find")
    it.wait(15.0)
    assert it.message.startswith("Channel 0 moved only 0 counts; it is jammed")
    assert it.emulator.rig.curve[0] == it.emulator.rig.ends


def test_the_turned_knob_is_named(rig: Any) -> None:
    it = rig()
    it.press("which")
    it.emulator.plant.turn(2, 700)
    it.wait(2.0)
    assert it.message == "That is channel 2." and it.person.panel.page.channel == 2
    assert not it.person.machine.state().values.any()


def test_the_turned_knob_changes_places_with_the_chosen_channel(rig: Any) -> None:
    it = rig()
    it.press("swap")
    it.emulator.plant.turn(3, 800)
    it.wait(2.0)
    assert [str(source) for source in it.host.map.sources] == ["A4", "A2", "A3", "A1"]
    assert it.message == "Channels 0 and 3 have changed places."


def test_a_channel_shows_the_unit_touched_last(rig: Any) -> None:
    it = rig()
    it.person.panel.page.show_unit(209)
    it.press("show")
    assert str(it.host.map.sources[0]) == "A210"


def test_a_board_that_does_not_measure_says_what_to_do_instead(rig: Any) -> None:
    it = rig("servos")
    it.press("find")
    assert it.message == "This board does not measure positions; use LOW, MIDDLE, HIGH and TRIM instead."
    it.press("which")
    assert it.message == "This board does not feel its knobs; find the channel with JOG instead."
    assert it.person.panel.page.asking == ""


def test_what_was_found_is_kept_in_a_rig_file(rig: Any, tmp_path: Path) -> None:
    it = rig("servos")
    it.press("reverse", "keep")
    kept = load_rig(tmp_path / "rig.toml").ports[0]
    assert kept.calibration == {0: (2400, 1500, 600)} and [str(s) for s in kept.sources] == ["A1", "A2", "A3", "A4"]
    assert it.message.startswith("Kept. The next time: mark1 --rig ")


def test_leaving_the_page_lets_every_channel_go(rig: Any) -> None:
    it = rig("servos")
    it.press("high")
    it.wait(0.5)
    assert it.emulator.plant.pulses[0] == 2400
    it.person.touch("page.close")
    it.wait(1.0)
    assert it.emulator.plant.pulses[0] == 1500


def test_training_goes_on_when_the_rig_is_pulled_out(rig: Any) -> None:
    it = rig()
    it.person.panel.close_page()
    it.cable.cut = True
    it.wait(0.2)
    assert it.message == "The rig on cable went away; it is mirrored again when it returns."
    assert it.line == "rig: not there"
    it.person.learn()
    assert it.person.machine.state().training.outcome == "correct"
    it.cable.cut = False
    it.wait(12.0)
    assert it.line == "rig: 4 of 4 in step"
    assert it.emulator.link.values.tolist() == it.host.mirror.wanted.tolist() != [0, 0, 0, 0]


def test_an_old_sketch_is_told_on_the_panel(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_bridge.link.table_hash", lambda: 1)
    it = rig()
    assert "has another message table; flash the sketch that 'mark1 rig sketch' gives." in it.message
    assert it.line == "rig: not there"
    it.press("plus")
    assert "flash the sketch" in it.message


def test_without_a_rig_the_page_says_how_to_get_one(sit: Any) -> None:
    person = sit()
    person.key(ord("j"), "j")
    assert [w.name for w in person.panel.active_widgets()] == ["page.close"]
    person.key(ord("x"), "x")
    assert person.panel.running


def _board(states: list[int]) -> BoardView:
    values = np.zeros(len(states))
    return BoardView("d", "board", "", "", True, False, False, 4, values, values, np.array(states, np.uint8), (),
                     frozenset(), None, None, LinkFacts())  # fmt: skip


def test_the_count_does_not_flicker_while_motors_move() -> None:
    count, shown = StepCount(), []
    for frame in range(300):  # five seconds; each motor moves for half a second, again and again
        shown.append(count.look(_board([frame // 30 % 2, 0, (frame + 15) // 30 % 2, 0]), frame / 60))
    assert set(shown[120:]) == {4}
    for frame in range(300, 500):
        shown.append(count.look(_board([1, 0, 0, 0]), frame / 60))
    assert shown[-1] == 3 and sum(a != b for a, b in zip(shown, shown[1:], strict=False)) <= 3


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("language", ["en", "de", "long"])
@pytest.mark.parametrize("kind", ["motors", "servos"])
def test_the_page_and_the_header_fit_at_every_size(rig: Any, size: tuple[int, int], language: str, kind: str) -> None:
    it = rig(kind, 16, size=(320, 240), language=language)
    it.press("stop")
    stage = Stage(size, it.person.desk, notes=[])
    page = rigpage.PAGE(stage.kit)
    page.opened(it.person.desk)
    stage.kit.lettering.notes = notes = []
    stage.draw(it.person.panel.scene, it.person.desk)
    header = [n for n in notes if n.area.within(stage.arrangement.boxes["header"])]
    assert not [(a.text, b.text) for a, b in combinations(header, 2) if a.area.meets(b.area)]
    notes.clear()
    page.draw(stage.canvas, it.person.panel.scene, it.person.desk)
    scale = stage.arrangement.scale
    assert not [name for name, box in page.keys.items() if min(box.w, box.h) < TARGET * scale - 1]
    assert page.box.within(Box(0, 0, *size)) and all(box.within(page.box) for box in page.keys.values())
    assert not [(a, b) for a, b in combinations(page.keys, 2) if page.keys[a].meets(page.keys[b])]
    assert not [n.text for n in notes if not n.area.within(page.box)]
    assert not [(n.text, n.ground) for n in notes if contrast(n.colour, n.ground) < 4.5]
    assert not [(a.text, b.text) for a, b in combinations(notes, 2) if a.area.meets(b.area)]
    if language != "long":
        assert not [n.text for n in [*header, *notes] if not n.whole]


def test_a_page_that_lives_leaves_no_trace_around_itself(rig: Any) -> None:
    it = rig(size=(1280, 720))
    box = it.person.panel.page.box
    around = pygame.Rect(box).inflate(24, 24)

    def edge() -> bytes:
        picture = it.person.screen.subsurface(around.clip(it.person.screen.get_rect())).copy()
        picture.fill((0, 0, 0), pygame.Rect(12, 12, box.w, box.h))
        return pygame.image.tobytes(picture, "RGB")

    before = edge()
    it.press("plus", "plus", "minus")
    it.person.panel.look.held = ""
    it.wait(2.0)
    assert edge() == before
