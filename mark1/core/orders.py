"""Orders: how each command is carried out. Check first, change afterwards: a refused command leaves no trace.

Two ways to refuse. CommandError for what can never be done (unknown unit, wrong shape); RejectedError for what
cannot be done now (motors run, training runs), which the machine tells as the fact CommandRejected.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from mark1.core import commands as c
from mark1.core import facts, plugboard, wiring
from mark1.core.config import MODES, MOST_US, MachineConfig, one_of, whole
from mark1.core.errors import CommandError, ConfigError
from mark1.core.potentiometer import WELL_PPM
from mark1.core.response import Codebook
from mark1.core.retina import FAULTS, TOGGLES, light_ppm
from mark1.core.schedule import CELLS_SETTLED, NEXT_CARD, RESPONSE_DUE, UNITS_SETTLED
from mark1.core.sequencer import Sequencer, checked_tray
from mark1.core.works import ANSWERED, CORRECTING, IDLE, Works

# What Adjust may turn, and when: controls that change neither the number of units nor the wiring.
ADJUSTABLE = (
    "retina.threshold_ppm",
    "retina.noise_ppm",
    "response.threshold_uv",
    "response.dead_zone_uv",
    "reinforcement.run_us",
    "reinforcement.system",
    "reinforcement.polarity",
    "reinforcement.beta_total_us",
    "reinforcement.decay_p",
    "reinforcement.decay_q",
)


class RejectedError(Exception):
    """The command cannot be carried out now; the reason is a sentence."""


def _number(name: str, value: object, count: int) -> int:
    """A unit's number; people count from 1, so the sentence does too."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 0 <= value < count:
        raise CommandError(f"there is no {name} {value!r}; this machine has {count}, numbered here from 0.")
    return int(value)


def _checked(check: Callable[..., None], *words: Any) -> None:
    try:
        check(*words)
    except ConfigError as error:
        raise CommandError(str(error)) from None


def _at_rest(works: Works, what: str) -> None:
    if works.motors_run():
        raise RejectedError(f"{what} must wait until the motors rest.")


def _not_training(works: Works, what: str) -> None:
    if works.sequencer.running:
        raise RejectedError(f"{what} must wait: training is running; stop it first.")


# -- cards -----------------------------------------------------------------------------------------------------


def _present(works: Works, command: c.PresentStimulus) -> None:
    light = light_ppm(command.light, works.config.retina)
    _not_training(works, "showing a card by hand")
    works.present(light, -1)


def _clear(works: Works, command: c.ClearRetina) -> None:
    _not_training(works, "clearing the retina")
    _drop_presentation(works)
    works.retina.expose(np.zeros(works.config.retina.cells, np.int32), works.now_us)
    works.retina.outputs = works.retina.seen(works.retina.light)  # what is stuck or switched on stays on
    works.association.silence()
    works.tell(facts.RetinaCleared)


def _drop_presentation(works: Works) -> None:
    works.schedule.drop((CELLS_SETTLED, UNITS_SETTLED, RESPONSE_DUE, NEXT_CARD))
    works.phase, works.card = IDLE, -1


# -- reinforcement ---------------------------------------------------------------------------------------------


def _answered(works: Works, what: str) -> None:
    _not_training(works, what)
    if works.phase != ANSWERED:
        raise RejectedError(f"{what} needs an answer first: show a card and let it settle.")


def _reinforce(works: Works, command: c.Reinforce) -> None:
    response = _number("R-unit", command.response, works.sources.responses)
    if command.direction not in (-1, 1):
        raise CommandError(f"the direction is {command.direction!r}, but must be -1 or +1.")
    run_us = works.config.reinforcement.run_us if command.run_us is None else command.run_us
    _checked(whole, "run_us", run_us, 0, MOST_US)
    _answered(works, "reinforcement")
    directions = np.zeros(works.sources.responses, np.int8)
    directions[response] = command.direction
    works.reinforce(directions, run_us, "by hand")


def _teach(works: Works, command: c.Teach) -> None:
    _checked(one_of, "mode", command.mode, MODES)
    tray = checked_tray([np.zeros(works.config.retina.cells)], [command.targets], works.config.retina.cells,
                        works.sources.responses)  # fmt: skip
    _answered(works, "teaching")
    works.teach(tray.targets[0], command.mode)


# -- training --------------------------------------------------------------------------------------------------


def _start(works: Works, command: c.StartTraining) -> None:
    tray = checked_tray(command.lights, command.targets, works.config.retina.cells, works.sources.responses)
    if command.targets is None and command.mode != "spontaneous":
        raise CommandError(f"{command.mode} needs targets; only spontaneous learning goes without.")
    times = (works.config.retina.settle_us, works.config.association.settle_us, works.config.response.settle_us)
    if command.passes == 0 and not any(times):  # also until correct: with no A-unit firing that never comes
        raise CommandError("on a machine that takes no time, a training without end would stop the clock; give passes.")
    _not_training(works, "a new training")
    words = (command.mode, command.passes, command.order, command.until_correct)
    works.sequencer = Sequencer.start(tray, *words, works.streams["order"])
    works.sequencer.corrected_before = works.counters.corrections.copy()
    works.sequencer.disturbed = works.motors_run()  # a run that ends later is none of this training's
    _take_up(works)


def _resume(works: Works, command: c.ResumeTraining) -> None:
    _not_training(works, "resuming")
    if works.sequencer.tray is None or works.sequencer.outcome not in ("", "stopped"):
        raise RejectedError("there is no stopped training to resume.")
    works.sequencer.running, works.sequencer.outcome = True, ""
    _take_up(works)


def _take_up(works: Works) -> None:
    _drop_presentation(works)
    s = works.sequencer
    assert s.tray is not None
    works.tell(facts.TrainingStarted, len(s.tray.lights), s.mode, s.passes)
    works.phase = CORRECTING
    works.go_on_if_at_rest()


def _stop(works: Works, command: c.StopTraining) -> None:
    if not works.sequencer.running:
        raise RejectedError("no training is running.")
    answered = works.phase == CORRECTING and works.card >= 0
    between = works.phase == IDLE and (works.sequencer.position > 0 or works.sequencer.passes_done > 0)
    if answered and works.sequencer.advance(works.streams["order"]):  # this card is done, only its motors still run
        works.tell_pass()
    works.waiting.clear()
    _drop_presentation(works)
    works.phase = ANSWERED if answered or between else IDLE  # the last card is still there, with its answer
    if works.sequencer.running:
        works.sequencer.stop()
        works.tell(facts.TrainingEnded, works.sequencer.outcome)


def _assign(works: Works, command: c.AssignCodes) -> None:
    if not all(isinstance(name, str) and name for name in command.names):
        raise CommandError("every class needs a name that is a text.")
    if not all(isinstance(code, int | np.integer) and not isinstance(code, bool) for code in command.codes):
        raise CommandError("every code must be a whole number.")
    book = Codebook(tuple(command.names), tuple(int(code) for code in command.codes))
    book.check(works.sources.responses)
    works.codebook = book
    works.tell(facts.ControlSet, "codes")


def _note(works: Works, command: c.SetNote) -> None:
    if not isinstance(command.name, str) or not isinstance(command.text, str) or not command.name:
        raise CommandError("a note needs a name and a text.")
    if len(command.name) > 100 or len(command.text) > 100_000:
        raise CommandError("a note's name has at most 100 characters, its text at most 100,000.")
    rest = {name: text for name, text in works.notes.items() if name != command.name}
    works.notes = rest | ({command.name: command.text} if command.text else {})
    works.tell(facts.ControlSet, "note")


# -- controls, wires, faults -----------------------------------------------------------------------------------


def _threshold(works: Works, command: c.SetThreshold) -> None:
    _checked(whole, "threshold", command.threshold, -16_000, 16_000)
    unit = None if command.unit is None else _number("A-unit", command.unit, works.sources.units)
    works.association.set_threshold(command.threshold, unit)
    works.tell(facts.ControlSet, "threshold")


def _adjust(works: Works, command: c.Adjust) -> None:
    if command.setting not in ADJUSTABLE:
        raise CommandError(f"{command.setting!r} cannot be adjusted; what can: {', '.join(ADJUSTABLE)}.")
    config = works.config.with_(**{command.setting.replace(".", "__"): command.value})
    works.adjust(config)
    works.tell(facts.ControlSet, command.setting)


def _toggle(works: Works, command: c.SetToggle) -> None:
    cell = _number("S-unit", command.cell, works.config.retina.cells)
    _checked(one_of, "position", command.position, TOGGLES)
    works.retina.set_toggle(cell, command.position)
    works.tell(facts.ControlSet, "toggle")


def _break_cell(works: Works, command: c.BreakCell) -> None:
    cell = _number("S-unit", command.cell, works.config.retina.cells)
    _checked(one_of, "fault", command.fault, FAULTS)
    works.retina.set_fault(cell, command.fault)
    works.tell(facts.ControlSet, "cell fault")


def _wire(works: Works, command: Any) -> tuple[int, int]:
    unit = _number("A-unit", command.unit, works.sources.units)
    cell = _number("S-unit", command.cell, works.config.retina.cells)
    return unit, cell


def _cut(works: Works, command: c.CutWire) -> None:
    works.plugboard.cut(*_wire(works, command))
    works.tell(facts.PlugboardChanged, "cut")


def _add(works: Works, command: c.AddWire) -> None:
    works.plugboard.add(*_wire(works, command), command.kind)
    works.tell(facts.PlugboardChanged, "added")


def _move(works: Works, command: c.MoveWire) -> None:
    to_cell = _number("S-unit", command.to_cell, works.config.retina.cells)
    works.plugboard.move(*_wire(works, command), to_cell)
    works.tell(facts.PlugboardChanged, "moved")


def _rewire(works: Works, command: c.Rewire) -> None:
    config = works.config if command.in_use is None else works.config.with_(response__in_use=command.in_use)
    works.codebook.check(config.response.in_use)
    seed = (works.wiring_seed + 1) % 2**64 if command.seed is None else command.seed
    _checked(whole, "seed", seed, 0, 2**64 - 1)
    table = _table(works, config, command, seed)
    _not_training(works, "rewiring")
    _at_rest(works, "rewiring")
    _drop_presentation(works)
    if table is not works.plugboard.table:
        works.plugboard.plug(table)
        works.wiring_seed = seed
    works.connect(config)
    works.association.silence()  # what fired, fired by other wires
    works.sequencer = Sequencer()  # its targets may not fit any more
    works.tell(facts.PlugboardChanged, "rewired")


def _table(works: Works, config: MachineConfig, command: c.Rewire, seed: int) -> wiring.Table:
    if command.table is None and command.seed is None and command.in_use is not None:
        return works.plugboard.table  # only the A-R wiring changes
    if command.table is None:
        return wiring.draw(config, seed)
    if len(command.table) != works.sources.units:
        raise CommandError(f"the table has {len(command.table)} rows, but there are {works.sources.units} A-units.")
    return plugboard.from_rows(command.table, config.retina.cells)


def _set_pulled(works: Works, units: tuple[int, ...], pulled: bool, word: str) -> None:
    numbers = tuple(_number("A-unit", unit, works.sources.units) for unit in units)
    _at_rest(works, word)
    works.association.set_pulled(numbers, pulled)
    works.tell(facts.ControlSet, word)


def _pull(works: Works, command: c.PullUnit) -> None:
    _set_pulled(works, command.units, True, "pulling a unit")


def _put_back(works: Works, command: c.PutBackUnit) -> None:
    _set_pulled(works, command.units, False, "putting a unit back")


# -- potentiometers --------------------------------------------------------------------------------------------


def _pot(works: Works, command: Any) -> tuple[int, int]:
    unit = _number("A-unit", command.unit, works.sources.units)
    response = None if command.response is None else _number("R-unit", command.response, works.sources.responses)
    bank = works.sources.bank_of(unit, response)
    if bank is None:
        what = "names no R-unit" if response is None else f"does not feed R-unit {response}"
        raise CommandError(f"A-unit {unit} {what}, so there is no such potentiometer.")
    if works.rack.runs and works.rack.busy()[bank, unit]:
        raise RejectedError("that potentiometer's motor is running.")
    return bank, unit


def _break_motor(works: Works, command: c.BreakMotor) -> None:
    _checked(whole, "health_ppm", command.health_ppm, 0, WELL_PPM)
    works.rack.set_health(*_pot(works, command), command.health_ppm)
    works.tell(facts.ControlSet, "motor fault")


def _break_wiper(works: Works, command: c.BreakWiper) -> None:
    _checked(whole, "noise_uv", command.noise_uv, 0, 1_000_000_000)
    works.rack.set_wiper_noise(*_pot(works, command), command.noise_uv)
    works.tell(facts.ControlSet, "wiper fault")


def _report(works: Works, command: c.ReportPotentiometer) -> None:
    low, high = works.config.potentiometer.stops or (-(10**12), 10**12)
    _checked(whole, "value_uv", command.value_uv, low, high)
    works.rack.set_value(*_pot(works, command), command.value_uv)
    works.tell(facts.ValuesSet, "reported")


def _load_values(works: Works, command: c.LoadValues) -> None:
    values = np.asarray(command.values_uv, dtype=np.float64)
    low, high = works.config.potentiometer.stops or (-(10**12), 10**12)
    if values.shape != works.rack.values.shape:
        raise CommandError(f"the values have shape {values.shape}, but this rack has {works.rack.values.shape}.")
    if not (np.isfinite(values).all() and (values == np.trunc(values)).all()):
        raise CommandError("every value must be a whole number of microvolts.")
    if values.min() < low or values.max() > high:
        raise CommandError(f"every value must lie between the stops, {low:,} and {high:,} microvolts.")
    _at_rest(works, "loading values")
    works.rack.set_all(values)
    works.tell(facts.ValuesSet, "loaded")


def _reset_values(works: Works, command: c.ResetValues) -> None:
    _not_training(works, "resetting the values")
    _at_rest(works, "resetting the values")
    works.rack.set_all(np.zeros_like(works.rack.values))
    works.tell(facts.ValuesSet, "reset")


CARRY_OUT: dict[type[Any], Callable[[Works, Any], None]] = {
    c.PresentStimulus: _present,
    c.ClearRetina: _clear,
    c.Reinforce: _reinforce,
    c.Teach: _teach,
    c.StartTraining: _start,
    c.ResumeTraining: _resume,
    c.StopTraining: _stop,
    c.AssignCodes: _assign,
    c.SetNote: _note,
    c.SetThreshold: _threshold,
    c.Adjust: _adjust,
    c.SetToggle: _toggle,
    c.BreakCell: _break_cell,
    c.CutWire: _cut,
    c.AddWire: _add,
    c.MoveWire: _move,
    c.Rewire: _rewire,
    c.PullUnit: _pull,
    c.PutBackUnit: _put_back,
    c.BreakMotor: _break_motor,
    c.BreakWiper: _break_wiper,
    c.ReportPotentiometer: _report,
    c.LoadValues: _load_values,
    c.ResetValues: _reset_values,
}
