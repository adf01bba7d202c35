"""The six knobs of the desk: what each can be set to, where it stands, and what turning it does.

Mode and speed belong to the desk; the others are settings of the machine and are turned by commands.
"""

from typing import Any

from mark1.core import commands as c
from mark1.core.config import MODES, SYSTEMS
from mark1.core.machine import Mark1
from mark1.core.state import MachineState

SPEEDS = (1, 10, 100, 0)  # the last is pace's full speed
RUN_TIMES_US = (50_000, 100_000, 250_000, 500_000, 1_000_000)  # chosen
DEAD_ZONES_UV = (0, 50_000, 100_000, 250_000, 500_000, 1_000_000)  # chosen
THRESHOLDS = (0, 1, 2, 3, 4, 5)  # chosen


class Knobs:
    """What the desk is built on."""

    def __init__(self, machine: Mark1) -> None:
        self.machine = machine
        self.mode = MODES[1]
        self.speed = SPEEDS[0]

    def submit(self, command: c.Command, done: str = "") -> bool:
        """Sends a command to the machine."""
        return self.machine.submit(command)

    def knob(self, name: str, state: MachineState | None = None) -> tuple[int, int]:
        """Position and number of positions; in the state at hand, if there is one."""
        choices, now = self._choices(name, state or self.machine.state())
        return choices.index(now), len(choices)

    def _choices(self, name: str, state: MachineState) -> tuple[list[Any], Any]:
        """All positions and the present one."""
        if name == "mode":
            return list(MODES), self.mode
        if name == "speed":
            return list(SPEEDS), self.speed
        if name == "system":
            return list(SYSTEMS), state.config.reinforcement.system
        if name == "threshold":
            return _with(THRESHOLDS, int(state.thresholds[0]))
        if name == "dead_zone":
            return _with(DEAD_ZONES_UV, state.config.response.dead_zone_uv)
        return _with(RUN_TIMES_US, state.config.reinforcement.run_us)

    def turn(self, name: str, by: int) -> None:
        """Turns a knob; beyond the last position it goes on at the first."""
        choices, now = self._choices(name, self.machine.state())
        self.set_knob(name, (choices.index(now) + by) % len(choices))

    def set_knob(self, name: str, place: int) -> None:
        """Sets a knob to one of its positions."""
        value = self._choices(name, self.machine.state())[0][place]
        if name == "mode":
            self.mode = value
        elif name == "speed":
            self.speed = value
        elif name == "threshold":
            self.submit(c.SetThreshold(value))
        else:
            path = {"system": "reinforcement.system", "dead_zone": "response.dead_zone_uv",
                    "run_time": "reinforcement.run_us"}[name]  # fmt: skip
            self.submit(c.Adjust(path, value))


def _with(choices: tuple[int, ...], now: int) -> tuple[list[int], int]:
    """The choices, and the present value among them even if it is an odd one."""
    return sorted({*choices, now}), now
