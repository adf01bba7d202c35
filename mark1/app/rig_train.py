"""--rig for a training without a panel: mirrored while it goes on; each new trouble is one sentence, and it goes on.

Training never waits for a port; only when it is over the rig may catch up for a while.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from firmware_bridge.host import Bridge
from firmware_bridge.views import PortView
from mark1 import Mark1, TrainingState
from mark1.app.rig_board import CURE, wait_for

PATIENCE_S = 1.0
CATCH_UP_S = 30.0  # chosen: fifteen times the emulator's whole travel, with four motors at once


def _tell(text: str) -> None:
    print(f"mark1: {text}", file=sys.stderr, flush=True)


@dataclass
class TrainingRig:
    """The rig of a training without a panel: each new trouble is one sentence on stderr, and training goes on."""

    bridge: Bridge
    machine: Mark1
    say: Callable[[str], None] = _tell
    _said: dict[int, set[str]] = field(default_factory=dict)

    def attend(self) -> None:
        """After each portion of presentations."""
        self.bridge.attend(self.machine)
        for number, view in enumerate(self.bridge.views()):
            if view.board is not None:
                self._once(number, view.notes[-1] if view.notes else "")
                self._said[number] = set(view.notes)  # when it goes again, that is said again
            elif not view.trouble.endswith(" yet."):
                self._once(number, view.trouble)

    def _once(self, number: int, text: str) -> None:
        said = self._said.setdefault(number, set())
        if text and text not in said:
            said.add(text)
            self.say(text)

    def after(self, progress: Callable[[TrainingState], None]) -> Callable[[TrainingState], None]:
        """A progress that also attends to the rig."""

        def both(state: TrainingState) -> None:
            progress(state)
            self.attend()

        return both

    def catch_up(self, ended: Callable[[], bool]) -> bool:
        """Lets the rig come to the last values; False, with a sentence, if it did not."""

        def done() -> bool:
            self.attend()
            return ended() or all(_settled(view) or not view.openings for view in self.bridge.views())

        if not wait_for(done, PATIENCE_S):
            self.say("Waiting for the rig to show the last values; Ctrl-C ends that.")
            wait_for(done, CATCH_UP_S)
        views = self.bridge.views()
        if all(view.shown for view in views):
            self.say("The rig shows the last values.")
        late = [(number, view) for number, view in enumerate(views) if not view.shown]
        for number, view in late:
            self._once(number, "" if ended() else _reason(view))
        return not late


def _reason(view: PortView) -> str:
    if view.board is None:
        return view.trouble
    if view.stopped:
        return f"The rig on {view.device} is stopped; resume it on the panel's rig page, or start again and reset it."
    if view.hindered:
        return f"The rig on {view.device} does not show every value: {view.hindered}. {CURE}"
    return f"The rig on {view.device} did not come into step in {CATCH_UP_S:g} s; see what 'mark1 rig probe' says."


def _settled(view: PortView) -> bool:
    """Nothing will change by itself: all is shown, or something hinders it."""
    return view.shown or view.stopped or (bool(view.hindered) and not view.moving)
