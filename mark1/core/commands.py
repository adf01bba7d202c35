"""Commands: requests to the machine, imperative, plain data. Everything that changes a machine is one of these.

A command is stamped with machine time on entry. It is carried out, or refused with the fact CommandRejected; a
command that makes no sense at all (unknown unit, wrong shape) is a CommandError and leaves no trace.
Units, cells and R-units are numbered from 0 here; people and panels count from 1.
"""

from dataclasses import dataclass
from typing import Any, ClassVar


class Command:
    """Base of all commands. undoable: the machine keeps an undo point before it."""

    __slots__ = ()
    undoable: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class PresentStimulus(Command):
    """Show a card: light on every cell, 0 to 1."""

    light: Any


@dataclass(frozen=True, slots=True)
class ClearRetina(Command):
    """Take the card away: no light anywhere."""


@dataclass(frozen=True, slots=True)
class Reinforce(Command):
    """By hand: run the motors of one R-unit's active A-units for a time (none given: the set run time)."""

    response: int
    direction: int
    run_us: int | None = None
    undoable = True


@dataclass(frozen=True, slots=True)
class Teach(Command):
    """Automatic: reinforce the stimulus now on the retina towards its targets, as the mode says."""

    targets: Any
    mode: str = "error correction"
    undoable = True


@dataclass(frozen=True, slots=True)
class StartTraining(Command):
    """Run through a tray of cards. passes 0 goes on until stopped; order is 'fixed' or 'shuffled'."""

    lights: Any
    targets: Any
    mode: str = "error correction"
    passes: int = 1
    order: str = "fixed"
    until_correct: bool = False
    undoable = True


@dataclass(frozen=True, slots=True)
class StopTraining(Command):
    """End training at once; motors that run finish their run."""


@dataclass(frozen=True, slots=True)
class ResumeTraining(Command):
    """Go on with a training that was stopped or rewound."""

    undoable = True


@dataclass(frozen=True, slots=True)
class AssignCodes(Command):
    """Name the classes and the code of each (R1 is the lowest bit; 0 is never given: it means no answer)."""

    names: tuple[str, ...]
    codes: tuple[int, ...]
    undoable = True


@dataclass(frozen=True, slots=True)
class SetThreshold(Command):
    """The A-units' firing threshold: of one unit, or of all."""

    threshold: int
    unit: int | None = None
    undoable = True


@dataclass(frozen=True, slots=True)
class Adjust(Command):
    """Turn a control: a dotted configuration name (ADJUSTABLE in machine.py lists them) and its new value."""

    setting: str
    value: Any
    undoable = True


@dataclass(frozen=True, slots=True)
class SetToggle(Command):
    """A cell's toggle switch: 'normal', 'on' or 'off' (chosen: no source says what the toggles did)."""

    cell: int
    position: str
    undoable = True


@dataclass(frozen=True, slots=True)
class BreakCell(Command):
    """A cell's fault: 'dead', 'lit' (stuck lit), or 'none' to mend it."""

    cell: int
    fault: str
    undoable = True


@dataclass(frozen=True, slots=True)
class CutWire(Command):
    """Remove the connection from a cell to an A-unit."""

    unit: int
    cell: int
    undoable = True


@dataclass(frozen=True, slots=True)
class AddWire(Command):
    """Plug a new connection: kind 'excitatory' or 'inhibitory'."""

    unit: int
    cell: int
    kind: str
    undoable = True


@dataclass(frozen=True, slots=True)
class MoveWire(Command):
    """Pull a connection's plug at the cell and put it in at another; its kind stays."""

    unit: int
    cell: int
    to_cell: int
    undoable = True


@dataclass(frozen=True, slots=True)
class Rewire(Command):
    """Draw the plugboard anew (from the next seed, or the one given), or plug in a given table.

    in_use puts another number of R-units to use; given alone, it leaves the plugboard as it is. Values go back to
    zero: they meant nothing on another wiring. table: for each A-unit, signed cell numbers counted from 1.
    """

    seed: int | None = None
    in_use: int | None = None
    table: tuple[tuple[int, ...], ...] | None = None
    undoable = True


@dataclass(frozen=True, slots=True)
class PullUnit(Command):
    """Pull A-units out of the rack: they neither fire nor move."""

    units: tuple[int, ...]
    undoable = True


@dataclass(frozen=True, slots=True)
class PutBackUnit(Command):
    """Put pulled A-units back."""

    units: tuple[int, ...]
    undoable = True


@dataclass(frozen=True, slots=True)
class BreakMotor(Command):
    """A motor's health in parts per million: 0 is stuck, 500,000 runs at half speed, 1,000,000 is well."""

    unit: int
    health_ppm: int
    response: int | None = None
    undoable = True


@dataclass(frozen=True, slots=True)
class BreakWiper(Command):
    """A worn wiper: each reading is off by up to so many microvolts; 0 mends it."""

    unit: int
    noise_uv: int
    response: int | None = None
    undoable = True


@dataclass(frozen=True, slots=True)
class ReportPotentiometer(Command):
    """A potentiometer was turned by hand, or measured on a rig: its value is now this."""

    unit: int
    value_uv: int
    response: int | None = None
    undoable = True


@dataclass(frozen=True, slots=True)
class LoadValues(Command):
    """Set every potentiometer: whole microvolts, (banks, A-units)."""

    values_uv: Any
    undoable = True


@dataclass(frozen=True, slots=True)
class ResetValues(Command):
    """Run every potentiometer back to zero."""

    undoable = True


@dataclass(frozen=True, slots=True)
class Undo(Command):
    """Go back so many undo points. Time does not go back."""

    steps: int = 1


@dataclass(frozen=True, slots=True)
class Rewind(Command):
    """Back to the values at the start of the last training; the tray is at its first card, training stopped."""


@dataclass(frozen=True, slots=True)
class Restore(Command):
    """Become the machine of these saved bytes, its undo points included. Time and fact numbers never go back."""

    saved: bytes


ALL: dict[str, type[Command]] = {kind.__name__: kind for kind in Command.__subclasses__()}
