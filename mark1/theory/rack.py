"""The convergence theorem for a rack with unequal motors, stops, a dead zone, backlash and worn wipers.

Stated and proved in docs/theory_rack.md: for any shaft positions u inside the stops,
corrections <= sum_a (u_a - p_a(0))^2 / s_a / room, room = min over cards i of
2 y_i (x_i . u - t) - 2 d - sum_a |x_ia| (B_a + 2 w_a) - sum_a s_a x_ia^2. A stuck motor has s_a = 0 and u_a = p_a(0).
rack_program.py proposes u; the bound printed is computed from it here, in exact fractions, so no solver is trusted.
run_rack is the same motor law in a few lines, for tests; the machine in core is the real one.
Left out: runs of changing length, decay, the gamma system (see the page).
"""

from dataclasses import dataclass
from fractions import Fraction
from math import floor

import numpy as np
from numpy.typing import NDArray

from mark1.core.errors import InputError, Mark1Error
from mark1.theory.exact_sums import WholeRows, fractions_of, whole_rows
from mark1.theory.problem import Counts, Floats, Problem


@dataclass(frozen=True, slots=True)
class Rack:
    """The motors and the R-unit, one number for each A-unit where an array is asked; one unit throughout."""

    travel: Floats  # s: how far one correction turns each shaft; 0: a stuck motor
    low: Floats  # the stops: values stay from low to high; infinite where there is no stop
    high: Floats
    backlash: Floats  # B: play between shaft and wiper
    wear: Floats  # w: a worn wiper is read wrong by this much at most
    dead_zone: float = 0.0
    threshold: float = 0.0

    @property
    def has_stops(self) -> bool:
        """True when some potentiometer has an end."""
        return bool(np.isfinite(self.low).any() or np.isfinite(self.high).any())

    @property
    def shaft_low(self) -> Floats:
        """How far down a shaft turns: the stop and half the play."""
        return np.asarray(self.low - self.backlash / 2)

    @property
    def shaft_high(self) -> Floats:
        """How far up a shaft turns."""
        return np.asarray(self.high + self.backlash / 2)

    @property
    def has_backlash(self) -> bool:
        """True when some gear has play."""
        return bool(self.backlash.any())

    @property
    def stuck(self) -> NDArray[np.bool_]:
        """Which motors never move."""
        return np.asarray(self.travel == 0)


def make_rack(
    travel: Floats,
    *,
    stop: Floats | float = np.inf,
    low: Floats | float | None = None,
    backlash: Floats | float = 0.0,
    wear: Floats | float = 0.0,
    dead_zone: float = 0.0,
    threshold: float = 0.0,
) -> Rack:
    """Checks the numbers and spreads single ones over all A-units; the lower stop is -stop unless low is given."""
    s = np.asarray(travel, dtype=np.float64)
    high, B, w = (np.array(np.broadcast_to(np.float64(each), s.shape)) for each in (stop, backlash, wear))
    below = -high if low is None else np.array(np.broadcast_to(np.float64(low), s.shape))
    if s.ndim != 1 or not (np.isfinite(s).all() and (s >= 0).all()):
        raise InputError("The travel of every motor must be a number from 0 (a stuck motor) on.")
    if not ((high > below).all() and dead_zone >= 0 and all((e >= 0).all() and np.isfinite(e).all() for e in (B, w))):
        raise InputError("The upper stop must lie above the lower one; backlash, wear and dead zone must be 0 or more.")
    return Rack(s, below, high, B, w, float(dead_zone), float(threshold))


@dataclass(frozen=True, slots=True)
class RackBound:
    """A bound on corrections and the values u that prove it; corrections is None when there is none."""

    corrections: Fraction | None
    u: Floats
    margin: float
    sentence: str
    none_exists: bool = False  # proved: no u fulfils the theorem's condition

    @property
    def most(self) -> int | None:
        """The most corrections it allows: a whole number."""
        return None if self.corrections is None else floor(self.corrections)


@dataclass(frozen=True, slots=True)
class RackRun:
    """The values a rack ended with, the corrected samples in order, and how often a shaft met its stop."""

    values: Floats
    shafts: Floats
    indices: Counts
    converged: bool
    stops_met: int

    @property
    def corrections(self) -> int:
        """How many corrections were made."""
        return len(self.indices)


def shaft_of(rack: Rack, values: Floats, lash: Floats | None = None) -> Floats:
    """Shaft positions for values and lash taken up (0..backlash, counted upward; the middle when not given)."""
    taken = rack.backlash / 2 if lash is None else np.asarray(lash, dtype=np.float64)
    return np.asarray(values + taken - rack.backlash / 2, dtype=np.float64)


def run_rack(problem: Problem, rack: Rack, *, start: Floats | None = None, max_corrections: int = 100_000) -> RackRun:
    """Error correction in the rack's own law: the shaft steps and is clipped, the wiper follows with play.

    A worn wiper always misreads against the card, which makes the most mistakes.
    """
    v = np.zeros(problem.d) if start is None else np.array(start, dtype=np.float64)
    p, half = shaft_of(rack, v), rack.backlash / 2
    indices: list[int] = []
    quiet, i, met = 0, 0, 0
    while quiet < problem.n and len(indices) < max_corrections:
        x, y = problem.X[i], problem.y[i]
        if y * (x @ v - rack.threshold) - np.abs(x) @ rack.wear <= rack.dead_zone:
            wanted = p + y * rack.travel * x
            p = np.clip(wanted, rack.shaft_low, rack.shaft_high)
            met += int(np.count_nonzero(p != wanted))
            v = np.clip(v, p - half, p + half)
            indices.append(i)
            quiet = 0
        else:
            quiet += 1
        i = (i + 1) % problem.n
    return RackRun(v, p, np.array(indices, dtype=np.int64), quiet >= problem.n, met)


def rack_bound(problem: Problem, rack: Rack, start: Floats | None = None) -> RackBound:
    """The least bound the theorem gives from these shaft positions, or none with the reason in words."""
    from mark1.theory.rack_program import most_room

    p0 = np.zeros(problem.d) if start is None else np.asarray(start, dtype=np.float64)
    if rack.travel.shape != (problem.d,):
        raise InputError(f"The rack has {len(rack.travel)} motors but the samples have {problem.d} places.")
    best = _proved(problem, rack, p0, p0) or _proved(problem, rack, _nearest(problem, rack, p0), p0)
    if best is not None:
        return best
    # Where the cone program fails, the u of most room still gives a bound, if any u does.
    room = most_room(problem, rack, *shaft_box(rack, p0), needs(whole_rows(problem.X), rack))
    return _proved(problem, rack, room.values, p0) or _no_bound(rack, room.most)


def _nearest(problem: Problem, rack: Rack, p0: Floats) -> Floats | None:
    """The u of the cone program, which gives the least bound; None where the solver fails."""
    from mark1.theory.rack_program import nearest_values

    try:
        return nearest_values(problem, rack, p0)
    except Mark1Error:
        return None


def _proved(problem: Problem, rack: Rack, u: Floats | None, p0: Floats) -> RackBound | None:
    """The bound that u proves, if it proves one."""
    exact = None if u is None else exact_bound(problem, rack, u, p0)
    if u is None or exact is None:
        return None
    margin = float((problem.y * (problem.X @ u - rack.threshold)).min())
    return RackBound(exact, u, margin, f"At most {floor(exact):,} corrections, by the theorem for {_conditions(rack)}.")


def _no_bound(rack: Rack, most_room_left: Fraction | None) -> RackBound:
    """Says that there is none only if that is proved."""
    none = most_room_left is not None and most_room_left <= 0
    where = "inside the stops " if rack.has_stops else ""
    proved = f"No proven bound for this rack: no setting {where}leaves enough margin."
    sentence = proved if none else "No bound was found for this rack."
    return RackBound(None, np.zeros(len(rack.travel)), 0.0, sentence, none)


def _conditions(rack: Rack) -> str:
    present = [
        ("unequal motors", len(set(rack.travel[~rack.stuck])) > 1), ("stuck motors", bool(rack.stuck.any())),
        ("stops", rack.has_stops), ("a dead zone", rack.dead_zone > 0), ("backlash", rack.has_backlash),
        ("worn wipers", bool(rack.wear.any())),
    ]  # fmt: skip
    names = [name for name, holds in present if holds] or ["equal motors without stops"]
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def shaft_box(rack: Rack, start: Floats) -> tuple[Floats, Floats]:
    """Between which positions u may lie: the widened stops; for a stuck motor where it stands."""
    return np.where(rack.stuck, start, rack.shaft_low), np.where(rack.stuck, start, rack.shaft_high)


def needs(rows: WholeRows, rack: Rack) -> list[Fraction]:
    """What the theorem takes from twice the margin of each card: dead zone, play, wear and the size of the step."""
    lash, wear = fractions_of(rack.backlash), fractions_of(rack.wear)
    play = rows.sizes().sums([b + 2 * w for b, w in zip(lash, wear, strict=True)])
    both = zip(play, rows.squares().sums(fractions_of(rack.travel)), strict=True)
    return [2 * Fraction(rack.dead_zone) + loose + step for loose, step in both]


def exact_bound(problem: Problem, rack: Rack, u: Floats, start: Floats) -> Fraction | None:
    """The theorem's bound for one u in exact fractions, or None when its conditions fail for this u."""
    U, V, s = fractions_of(u), fractions_of(start), fractions_of(rack.travel)
    kept = all(a == v for a, v, t in zip(U, V, s, strict=True) if not t)
    if not (kept and _inside(rack, U) and _inside(rack, V)):
        return None
    rows, t = whole_rows(problem.X), Fraction(rack.threshold)
    cards = zip(problem.y, rows.sums(U), needs(rows, rack), strict=True)
    room = min(2 * int(y) * (x_u - t) - c for y, x_u, c in cards)
    far = sum(((a - v) ** 2 / t for a, v, t in zip(U, V, s, strict=True) if t), Fraction(0))
    return None if room <= 0 else far / room


def _inside(rack: Rack, values: list[Fraction]) -> bool:
    """Whether shafts stand within their stops, the play counted in."""
    stops = zip(values, rack.low.tolist(), rack.high.tolist(), fractions_of(rack.backlash), strict=True)
    return all(
        (low == -np.inf or v >= Fraction(low) - B / 2) and (high == np.inf or v <= Fraction(high) + B / 2)
        for v, low, high, B in stops
    )


def fits_inside(problem: Problem, rack: Rack, start: Floats | None = None) -> bool | None:
    """Whether some values inside the stops answer every card beyond the dead zone; proved exactly, None if undecided.

    A stuck motor's value stays where it starts. Worn wipers count in the cards' favour: even luck would not help.
    """
    from mark1.theory.rack_program import most_room

    v0 = np.zeros(problem.d) if start is None else np.asarray(start, dtype=np.float64)
    low, high = np.where(rack.stuck, v0, rack.low), np.where(rack.stuck, v0, rack.high)
    rows, d = whole_rows(problem.X), Fraction(rack.dead_zone)
    lucky = [2 * (d - w) for w in rows.sizes().sums(fractions_of(rack.wear))]
    found = most_room(problem, rack, low, high, lucky)
    if found.most is not None and found.most <= 0:
        return False
    if found.values is None:
        return None
    sums = rows.sums(fractions_of(found.values))
    right = all(int(y) * (s - Fraction(rack.threshold)) > d for y, s in zip(problem.y, sums, strict=True))
    return True if right else None
