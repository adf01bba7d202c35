"""Commands: requests to the machine, imperative, plain data. Everything that changes a machine is one of these.

Named tuples, as facts are: cheap to make, immutable, quick to import. A command is stamped with machine time on
entry. It is carried out, or refused with the fact CommandRejected; a command that makes no sense at all (unknown
unit, wrong shape) is a CommandError and leaves no trace.
Units, cells and R-units are numbered from 0 here; people and panels count from 1.
"""

from typing import Any, NamedTuple, TypeAlias


class PresentStimulus(NamedTuple):
    """Show a card: light on every cell, 0 to 1."""

    light: Any


class ClearRetina(NamedTuple):
    """Take the card away: no light anywhere."""


class Reinforce(NamedTuple):
    """By hand: run the motors of one R-unit's active A-units for a time (none given: the set run time)."""

    response: int
    direction: int
    run_us: int | None = None


class Teach(NamedTuple):
    """Automatic: reinforce the stimulus now on the retina towards its targets, as the mode says."""

    targets: Any
    mode: str = "error correction"


class StartTraining(NamedTuple):
    """Run through a tray of cards. passes 0 goes on until stopped; order is 'fixed' or 'shuffled'."""

    lights: Any
    targets: Any
    mode: str = "error correction"
    passes: int = 1
    order: str = "fixed"
    until_correct: bool = False


class StopTraining(NamedTuple):
    """End training at once; motors that run finish their run."""


class ResumeTraining(NamedTuple):
    """Go on with a training that was stopped or rewound."""


class AssignCodes(NamedTuple):
    """Name the classes and the code of each (R1 is the lowest bit; 0 is never given: it means no answer)."""

    names: tuple[str, ...]
    codes: tuple[int, ...]


class SetNote(NamedTuple):
    """Keep a text with the machine, such as how its cards were looked at; an empty text removes the note."""

    name: str
    text: str


class SetThreshold(NamedTuple):
    """The A-units' firing threshold: of one unit, or of all."""

    threshold: int
    unit: int | None = None


class Adjust(NamedTuple):
    """Turn a control: a dotted configuration name (ADJUSTABLE in orders.py lists them) and its new value."""

    setting: str
    value: Any


class SetToggle(NamedTuple):
    """A cell's toggle switch: 'normal', 'on' or 'off' (chosen: no source says what the toggles did)."""

    cell: int
    position: str


class BreakCell(NamedTuple):
    """A cell's fault: 'dead', 'lit' (stuck lit), or 'none' to mend it."""

    cell: int
    fault: str


class CutWire(NamedTuple):
    """Remove the connection from a cell to an A-unit."""

    unit: int
    cell: int


class AddWire(NamedTuple):
    """Plug a new connection: kind 'excitatory' or 'inhibitory'."""

    unit: int
    cell: int
    kind: str


class MoveWire(NamedTuple):
    """Pull a connection's plug at the cell and put it in at another; its kind stays."""

    unit: int
    cell: int
    to_cell: int


class Rewire(NamedTuple):
    """Draw the plugboard anew (from the next seed, or the one given), or plug in a given table.

    in_use puts another number of R-units to use; given alone, it leaves the plugboard as it is. Values go back to
    zero: they meant nothing on another wiring. table: for each A-unit, signed cell numbers counted from 1.
    """

    seed: int | None = None
    in_use: int | None = None
    table: tuple[tuple[int, ...], ...] | None = None


class PullUnit(NamedTuple):
    """Pull A-units out of the rack: they neither fire nor move."""

    units: tuple[int, ...]


class PutBackUnit(NamedTuple):
    """Put pulled A-units back."""

    units: tuple[int, ...]


class BreakMotor(NamedTuple):
    """A motor's health in parts per million: 0 is stuck, 500,000 runs at half speed, 1,000,000 is well."""

    unit: int
    health_ppm: int
    response: int | None = None


class BreakWiper(NamedTuple):
    """A worn wiper: each reading is off by up to so many microvolts; 0 mends it."""

    unit: int
    noise_uv: int
    response: int | None = None


class ReportPotentiometer(NamedTuple):
    """A potentiometer was turned by hand, or measured on a rig: its value is now this."""

    unit: int
    value_uv: int
    response: int | None = None


class LoadValues(NamedTuple):
    """Set every potentiometer: whole microvolts, (banks, A-units)."""

    values_uv: Any


class ResetValues(NamedTuple):
    """Run every potentiometer back to zero."""


class Undo(NamedTuple):
    """Go back so many undo points. Time does not go back."""

    steps: int = 1


class Rewind(NamedTuple):
    """Back to the values at the start of the last training; the tray is at its first card, training stopped."""


class Restore(NamedTuple):
    """Become the machine of these saved bytes, its undo points included. Time and fact numbers never go back."""

    saved: bytes


Command: TypeAlias = (
    PresentStimulus
    | ClearRetina
    | Reinforce
    | Teach
    | StartTraining
    | StopTraining
    | ResumeTraining
    | AssignCodes
    | SetNote
    | SetThreshold
    | Adjust
    | SetToggle
    | BreakCell
    | CutWire
    | AddWire
    | MoveWire
    | Rewire
    | PullUnit
    | PutBackUnit
    | BreakMotor
    | BreakWiper
    | ReportPotentiometer
    | LoadValues
    | ResetValues
    | Undo
    | Rewind
    | Restore
)
ALL: dict[str, type[Any]] = {kind.__name__: kind for kind in Command.__args__}
# Before any other command the machine keeps an undo point. Names of classes and notes are labels, no steps.
NOT_UNDONE = (PresentStimulus, ClearRetina, StopTraining, AssignCodes, SetNote, Undo, Rewind, Restore)
# What touches neither values nor wiring nor settings: a training is still its own after these.
HARMLESS = (PresentStimulus, ClearRetina, StopTraining, ResumeTraining, AssignCodes, SetNote)
