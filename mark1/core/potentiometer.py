"""The motor-driven potentiometers: values in whole microvolts, moved by motors in closed form.

Documented: rotary potentiometers turned by motors, wiper continuous from -11 V to +11 V. Everything about the motors
is chosen: speed and its spread, lag, coasting, backlash, clutch at the stops. A motor's travel since the start of its
run is one whole-number floor of a polynomial in time, never a sum over ticks: it does not matter when one looks.
Left out: load, temperature, wear.
"""

from __future__ import annotations  # numpy.random is loaded when the first machine is built, not before

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mark1.core import chance
from mark1.core.config import PotentiometerConfig
from mark1.core.sources import Floats

Int64 = NDArray[np.int64]
Flags = NDArray[np.bool_]
WELL_PPM = 1_000_000
MOST_KEPT = 1_000_000  # travels kept for the next time
ALL = slice(None)  # every bank: then nothing need be copied in or out


def travel_uv(speed: Int64, lag_us: int, coast_us: int, run_us: Int64 | int, elapsed_us: int | None) -> Int64:
    """How far motors of these speeds (uv/s) have turned, elapsed_us after their start; None: when they rest again.

    Lag, then constant speed until run_us, then constant deceleration for coast_us. A run shorter than its lag moves
    nothing. Split into quotient and rest so that 64 bits suffice; the result is the floor of the whole expression.
    """
    passed = run_us + coast_us if elapsed_us is None else np.minimum(elapsed_us, run_us + coast_us)
    driven = np.maximum(np.minimum(passed, run_us) - lag_us, 0)
    moved, rest = np.divmod(speed * driven, 1_000_000)
    if coast_us:
        u = np.maximum(passed - run_us, 0)
        moved = moved + (rest * 2 * coast_us + speed * (2 * coast_us * u - u * u)) // (2_000_000 * coast_us)
    result: Int64 = np.where(run_us > lag_us, moved, 0)
    return result


@dataclass(slots=True)
class Run:
    """One run of motors: directions (rows of the banks named, A-units), all started together."""

    number: int
    start_us: int
    rest_us: int
    banks: tuple[int, ...]
    directions: NDArray[np.int8]
    run_us: Int64 | int
    exact_uv: Floats | None = None  # where not NaN: the travel when at rest, instead of what time gives
    travel_uv: Floats | None = None  # the travel when at rest, where it is known already; never saved


def turned(values: Floats, lash: Floats, drive: Floats, backlash: Floats) -> Floats:
    """Where wipers go when their drives turn: the lash, changed in place, is taken up first. Uses up the drive."""
    drive += values
    if not backlash:
        return drive
    drive += lash
    new: Floats = drive - backlash
    np.maximum(new, values, out=new)
    np.minimum(new, drive, out=new)
    np.subtract(drive, new, out=lash)
    return new


class Rack:
    """All potentiometers: (banks, A-units)."""

    def __init__(self, config: PotentiometerConfig, shape: tuple[int, int], speeds: Int64) -> None:
        self.config = config
        self.values: Floats = np.zeros(shape)
        self.lash: Floats = np.full(shape, float(config.backlash_uv // 2))  # chosen: drives start mid-slack
        self.speeds = speeds
        self.health = np.full(shape, WELL_PPM, np.int64)
        self.wiper_noise = np.zeros(shape, np.int64)
        self.runs: dict[int, Run] = {}
        self.note()

    def note(self) -> None:
        """Takes up new speeds, health, wipers or values."""
        self.effective_speeds: Int64 = self.speeds * self.health // WELL_PPM
        self._full: dict[int, tuple[Floats, float]] = {}
        self._rows_travel: dict[tuple[int, int], Floats] = {}
        self.noisy = np.flatnonzero(self.wiper_noise)
        # Constants as arrays of no dimension: numpy takes these twice as fast as Python's numbers.
        low, high = self.config.stops or (0, 0)
        self._backlash, self._low, self._high = (np.array(float(n)) for n in (self.config.backlash_uv, low, high))
        self._even = low == -high
        self._room = 0.0  # no wiper is nearer to a stop than this; 0: not known
        self._crowded = 0  # how often in a row a wiper may have been at a stop

    # -- moving ------------------------------------------------------------------------------------------------

    def full_travel(self, run_us: int) -> tuple[Floats, float]:
        """The travel of every motor in a whole run of this length, and the largest of them; kept for the next time."""
        if run_us not in self._full:
            if len(self._full) >= 64:
                self._full.clear()
            travel = self._travel(ALL, run_us, None)
            self._full[run_us] = travel, float(travel.max())
        return self._full[run_us]

    @staticmethod
    def weakened(share_uv: Floats, health: Int64) -> Floats:
        """What a motor of this health makes of a share that is given to it."""
        return np.floor(share_uv * health / WELL_PPM)

    def row_travel(self, bank: int, run_us: int) -> Floats:
        """The travel of the motors of one bank in a whole run; kept, because gamma and beta repeat a few lengths."""
        key = (bank, run_us)
        if key not in self._rows_travel:
            if len(self._rows_travel) * self.values.shape[1] > MOST_KEPT:
                self._rows_travel.clear()
            self._rows_travel[key] = self._travel(bank, run_us, None)
        return self._rows_travel[key]

    def _travel(self, rows: Any, run_us: Int64 | int, elapsed_us: int | None) -> Floats:
        c = self.config
        return travel_uv(self.effective_speeds[rows], c.lag_us, c.coast_us, run_us, elapsed_us).astype(np.float64)

    def finish(self, run: Run) -> list[tuple[int, int]]:
        """Ends a run; returns the potentiometers that arrived at a stop, as (bank, A-unit)."""
        del self.runs[run.number]
        arrived = self._push(self._rows(run), *self._drive(run, None))
        return [] if arrived is None else [(run.banks[i], int(unit)) for i, unit in np.argwhere(arrived)]

    def push(self, rows: Any, drive: Floats, most: float) -> int:
        """Turns drives by so much, at most `most`; returns how many arrived at a stop."""
        arrived = self._push(rows, drive, most)
        return 0 if arrived is None else int(np.count_nonzero(arrived))

    def _push(self, rows: Any, drive: Floats, most: float) -> Flags | None:
        if rows is ALL:
            self.values, self.lash, arrived = self.moved(self.values, self.lash, drive, most)
            return arrived
        lash = self.lash[rows]
        self.values[rows], new_lash, arrived = self.moved(self.values[rows], lash, drive, most)
        if new_lash is not lash:
            self.lash[rows] = new_lash
        return arrived

    def moved(self, values: Floats, lash: Floats, drive: Floats, most: float) -> tuple[Floats, Floats, Flags | None]:
        """Wipers, lash and arrivals at a stop after a drive: lash is taken up first; at a stop the clutch slips."""
        lash = lash.copy()
        new = turned(values, lash, drive, self._backlash)
        if self.config.stops is None:
            return new, lash, None
        self._room -= most
        return (new, lash, None) if self._room > 0 else (new, lash, self._stopped(values, new))

    def _stopped(self, values: Floats, new: Floats) -> Flags | None:
        """Some wiper may be at a stop: hold it there, and say which arrived; now and then, measure the room anew."""
        low, high = self._low, self._high
        self._crowded += 1
        if self._crowded % 64 == 1:
            wipers = self.values, new
            self._room = float(min(*(high - v.max() for v in wipers), *(v.min() - low for v in wipers)))
            if self._room > 0:
                self._crowded = 0
                return None
        np.maximum(new, low, out=new)
        np.minimum(new, high, out=new)
        arrived: Flags = np.equal(np.abs(new), high) if self._even else (new == low) | (new == high)
        arrived &= values != new
        return arrived if np.count_nonzero(arrived) else None

    def _drive(self, run: Run, elapsed_us: int | None) -> tuple[Floats, float]:
        rows = self._rows(run)
        if elapsed_us is None and run.travel_uv is not None:
            return run.directions * run.travel_uv, float(run.travel_uv.max())
        if elapsed_us is None and isinstance(run.run_us, int):
            full, most = self.full_travel(run.run_us)
            travel = full[rows]
        else:
            travel = self._travel(rows, run.run_us, elapsed_us)
            most = float(travel.max())
        if run.exact_uv is not None:
            travel = _shared(travel, run.exact_uv, self.health[rows], elapsed_us is None)
            most = float(travel.max())
        return run.directions * travel, most

    def _rows(self, run: Run) -> Any:
        return ALL if len(run.banks) == len(self.values) else list(run.banks)

    # -- looking -----------------------------------------------------------------------------------------------

    def values_at(self, now_us: int) -> Floats:
        """Where every wiper is at this moment, motors in flight included."""
        if not self.runs:
            return self.values
        values = self.values.copy()
        room = self._room
        for run in self.runs.values():
            rows = self._rows(run)
            drive, most = self._drive(run, now_us - run.start_us)
            new, _, _ = self.moved(self.values[rows], self.lash[rows], drive, most)
            values[rows] = np.where(run.directions != 0, new, values[rows])
            self._room = room
        return values

    @property
    def undisturbed(self) -> bool:
        """Whether no motor runs and no wiper is worn, so that a reading gives the values themselves."""
        return not self.runs and not len(self.noisy)

    def read(self, now_us: int, noise: np.random.PCG64) -> Floats:
        """What the wipers give: their values, off by a little where a wiper is worn."""
        values = self.values_at(now_us)
        if not len(self.noisy):
            return values
        values = values.copy()
        values.ravel()[self.noisy] += self.draw_noise(noise, 1)[0]
        return values

    def draw_noise(self, noise: np.random.PCG64, readings: int) -> Int64:
        """Errors of the worn wipers in the next readings: (readings, worn wipers)."""
        widths = self.wiper_noise.ravel()[self.noisy]
        return chance.around_zero(noise, widths, (readings, len(self.noisy)))

    def busy(self) -> Flags:
        """Which motors are in a run."""
        mask = np.zeros(self.values.shape, np.bool_)
        for run in self.runs.values():
            mask[self._rows(run)] |= run.directions != 0
        return mask

    # -- other changes -----------------------------------------------------------------------------------------

    def decay(self, p: int, q: int, pulled: Flags | None) -> None:
        """Every value that is free to move loses trunc(value * p / q)."""
        loss = np.trunc(self.values * p / q)
        if pulled is not None:
            loss[:, pulled] = 0
        if self.runs:
            loss[self.busy()] = 0
        self.values -= loss
        if not self._even:
            self._room = 0.0  # nearer to zero may be nearer to a stop

    def set_value(self, bank: int, unit: int, value_uv: int) -> None:
        """One wiper, turned by hand."""
        self.values[bank, unit] = value_uv
        self._room = 0.0

    def set_all(self, values_uv: Floats) -> None:
        """Every wiper."""
        self.values = values_uv.astype(np.float64)
        self._room = 0.0

    def set_moved(self, values_uv: Floats, lash_uv: Floats) -> None:
        """Wipers and lash as an engine of the rehearsal left them."""
        self.values, self.lash = np.ascontiguousarray(values_uv), np.ascontiguousarray(lash_uv)
        self._room = 0.0

    def set_health(self, bank: int, unit: int, health_ppm: int) -> None:
        """One motor stuck, slow or well."""
        self.health = self.health.copy()
        self.health[bank, unit] = health_ppm
        self.note()

    def set_wiper_noise(self, bank: int, unit: int, noise_uv: int) -> None:
        """One wiper worn or mended."""
        self.wiper_noise = self.wiper_noise.copy()
        self.wiper_noise[bank, unit] = noise_uv
        self.note()


def _shared(travel: Floats, exact: Floats, health: Int64, at_rest: bool) -> Floats:
    """Gamma's exact shares where given: reached exactly at rest, never overshot on the way."""
    share = Rack.weakened(exact, health)
    given = np.isfinite(exact)
    return np.where(given, share if at_rest else np.minimum(travel, share), travel)


def draw_speeds(config: PotentiometerConfig, shape: tuple[int, int], seed: int) -> Int64:
    """Each motor's speed for its life: evenly spread about the nominal one (chosen)."""
    most = config.speed_uv_s * config.spread_ppm // 1_000_000
    if not most:
        return np.full(shape, config.speed_uv_s, np.int64)
    return config.speed_uv_s + chance.around_zero(chance.stream(seed, "speeds"), most, shape)
