"""What a bound is for: this machine's own training on these cards, or a new machine with its settings.

A count of corrections may stand beside a bound only if nothing but one training by error correction, on these very
cards, made it: the core says so (TrainingState.disturbed, TrainingState.corrected). The theorem allows any start, so
that bound is computed from where the values and the gears stood when the training began. In every other case the bound
is the one of a new machine, and the reason why the count says nothing about it is given in words.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mark1.core import snapshot
from mark1.core.machine import Mark1
from mark1.core.retina import FULL_PPM
from mark1.core.state import MachineState, TrainingState
from mark1.theory.findings import NEW_MACHINE, THIS_TRAINING, Findings, examine
from mark1.theory.problem import Floats
from mark1.theory.rack import Rack
from mark1.theory.response import ResponseProblem, bank_of, new_shafts, outside_theorem, rack_of, shafts_of

PROVED = "proved: training by error correction from {start}, settings unchanged, cards in any order"


@dataclass(frozen=True, slots=True)
class Account:
    """Where the account of corrections begins; why_not says why it is not this machine's own (empty: it is)."""

    why_not: str
    values: Floats | None = None  # (banks, A-units) in microvolts when this training began
    lash: Floats | None = None

    def shafts(self, state: MachineState, at: ResponseProblem, rack: Rack) -> Floats:
        """Where one R-unit's motors stand at the beginning."""
        if self.why_not or self.values is None or self.lash is None:
            return new_shafts(rack)
        here = bank_of(state, at.response)
        return shafts_of(rack, self.values[here, at.units], self.lash[here, at.units])


def account_of(machine: Mark1, lights: Any, targets: Any) -> Account:
    """Whether the machine's last training was on these cards and nothing else touched it, and where it began."""
    saved = snapshot.unpack(machine.save())
    tray = saved["sequencer"]["tray"]
    same_answers = tray is not None and np.array_equal(tray["targets"], targets)
    reason = why_not_comparable(machine.state().training, same_cards(tray, lights), same_answers)
    start = saved["training_start"]
    if not reason and start is None:
        reason = "the machine does not remember how its training began"
    return Account(reason) if reason else Account("", start["values"], start["lash"])


def why_not_comparable(training: TrainingState, same_cards: bool, same_answers: bool) -> str:
    """Why a machine's count of corrections may not be held against the bound; empty when it may."""
    if training.cards == 0:
        return "the machine has not been trained"
    if training.mode != "error correction":
        return f"the machine was trained by {training.mode} learning, not by error correction"
    if not same_cards:
        return "the machine was last trained on other cards"
    if not same_answers:
        return "the machine was last trained to give other answers to these cards"
    if training.disturbed:
        return "since that training began something else has touched its values, wiring or settings"
    return ""


def same_cards(tray: dict[str, Any] | None, lights: Any) -> bool:
    """Whether these are the very cards of a saved tray."""
    if tray is None:
        return False
    return np.array_equal(np.rint(np.asarray(lights) * FULL_PPM), np.rint(tray_lights(tray) * FULL_PPM))


def tray_lights(tray: dict[str, Any]) -> Floats:
    """The cards of a saved tray as light from 0 to 1."""
    if "bits" in tray:
        return np.unpackbits(tray["bits"], axis=1, count=tray["cells"]).astype(np.float64)
    return np.asarray(tray["lights"] / FULL_PPM, dtype=np.float64)


def examine_response(state: MachineState, at: ResponseProblem, account: Account) -> Iterator[Findings]:
    """The findings on one R-unit as they become known; each says what its bound is for."""
    rack = rack_of(state, at)
    whose, start, from_new = NEW_MACHINE if account.why_not else THIS_TRAINING, None, True
    if rack is not None:
        start = account.shafts(state, at, rack)
        from_new = bool(np.array_equal(start, new_shafts(rack)))
    for found in examine(at.problem, rack, start):
        found = replace(found, bound_for=whose, from_new=from_new, not_comparable=account.why_not)
        if rack is None and found.separable:
            found = replace(found, rack_sentence=f"No proven bound for this rack: {outside_theorem(state)}.")
        yield found


def stands_beside(found: Findings, training: TrainingState) -> bool:
    """For a display that looks later: whether the count training.corrected may still stand beside the bound."""
    return found.comparable and not training.disturbed


def bound_sentence(found: Findings, corrections: int) -> str:
    """The bound in full, with the count where it may stand beside it and never otherwise; empty without a verdict."""
    if found.rack_bound is None:
        return _textbook_sentence(found)
    if not found.comparable:
        return f"{found.bound_words[:-1]}; this machine's own count is not comparable: {found.not_comparable}."
    made = "1 correction" if corrections == 1 else f"{corrections:,} corrections"
    start = "a new machine" if found.from_new else "the values it began with"
    proved = PROVED.format(start=start)
    return f"{made} made; at most {found.rack_bound:,} are possible for this rack ({proved})."


def _textbook_sentence(found: Findings) -> str:
    if not found.separable:
        return ""
    known = found.ideal_bound
    value = "" if known is None else (
        f" Textbook value without stops, dead zone and backlash: {known:,} (not a limit for this machine)."
    )  # fmt: skip
    return (found.rack_sentence or "No proven bound for this rack.") + value
