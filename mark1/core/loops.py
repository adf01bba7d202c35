"""The loops that numba compiles. Potentiometers are (A-units, banks); one bank means many-to-one wiring.

Each function is one thing the machine does, as in potentiometer.py, reinforcement.py and response.py, written out
for one potentiometer at a time. Imported by compiled.py only, and only when the compiled engine is used.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"
import numpy as np
from numba import njit

FORCED, CORRECTION, SPONTANEOUS = 0, 1, 2
ALPHA, BETA, GAMMA = 0, 1, 2
ERRORS, RUNS, END_STOPS, FACTS, TIME = 0, 1, 2, 3, 4


@njit(cache=True, inline="always")
def _push(values, lash, unit, bank, drive, backlash, low, high):
    """Turns one drive; 1 if the wiper arrived at a stop."""
    old = values[unit, bank]
    gear = old + lash[unit, bank] + drive
    new = min(max(old, gear - backlash), gear)
    lash[unit, bank] = gear - new
    new = min(max(new, low), high)
    values[unit, bank] = new
    return 1 if new != old and (new == low or new == high) else 0


@njit(cache=True, inline="always")
def _travel(speed, lag, coast, run):
    """The travel of one motor in a whole run, as potentiometer.travel_uv."""
    if run <= lag:
        return 0
    product = speed * (run - lag)
    moved = product // 1_000_000
    if coast:
        moved += ((product % 1_000_000) * 2 * coast + speed * coast * coast) // (2_000_000 * coast)
    return moved


@njit(cache=True)
def _sum_every(values, units, start, stop, sums):
    """Eight R-units at a time, so that the additions run side by side."""
    for block in range(0, values.shape[1], 8):
        a = b = c = d = e = f = g = h = 0.0
        for j in range(start, stop):
            row = values[units[j]]
            a += row[block]
            b += row[block + 1]
            c += row[block + 2]
            d += row[block + 3]
            e += row[block + 4]
            f += row[block + 5]
            g += row[block + 6]
            h += row[block + 7]
        found = (a, b, c, d, e, f, g, h)
        for i in range(8):
            if block + i < len(sums):
                sums[block + i] = found[i]


@njit(cache=True)
def _sum_one(values, units, start, stop, feeds, sums):
    for r in range(len(sums)):
        sums[r] = 0.0
    for j in range(start, stop):
        unit = units[j]
        sums[feeds[unit]] += values[unit, 0]


@njit(cache=True)
def _add_wiper_errors(noisy, errors, fired, feeds, count, every, sums):
    for i in range(len(noisy)):
        bank, unit = noisy[i] // count, noisy[i] % count
        if fired[unit]:
            sums[bank if every else feeds[unit]] += errors[i]


@njit(cache=True)
def _read(sums, threshold, dead_zone, states, undecided):
    for r in range(len(sums)):
        over = sums[r] - threshold
        undecided[r] = abs(over) <= dead_zone
        if not undecided[r]:
            states[r] = 1 if over > 0 else -1


@njit(cache=True)
def _due(mode, monovalent, targets, states, undecided, directions):
    """Directions of reinforcement; returns (answered wrongly, anything due)."""
    wrong = due = False
    for r in range(len(states)):
        target, direction = targets[r], 0
        missed = target != 0 and (undecided[r] or states[r] != target)
        wrong |= missed
        if mode == CORRECTION:
            direction = target if missed else 0
        elif mode == FORCED:
            direction = target
        elif target != 0:
            direction = states[r]
        if monovalent and direction < 0:
            direction = 0
        if mode == FORCED and target != 0:
            states[r] = target
        directions[r] = direction
        due |= direction != 0
    return wrong and mode != SPONTANEOUS, due


@njit(cache=True)
def _decay(values, present, p, q):
    for unit in range(values.shape[0]):
        if present[unit]:
            for bank in range(values.shape[1]):
                values[unit, bank] -= np.trunc(values[unit, bank] * p / q)


@njit(cache=True)
def _alpha(values, lash, full, units, start, stop, feeds, every, directions, backlash, low, high):
    """Active units of the reinforced source-sets; returns (any motor ran, arrivals at a stop)."""
    reached, ran = 0, False
    if every:
        for r in range(len(directions)):
            if directions[r] != 0:
                for j in range(start, stop):
                    unit = units[j]
                    ran = True
                    reached += _push(values, lash, unit, r, directions[r] * full[unit, r], backlash, low, high)
    else:
        for j in range(start, stop):
            unit = units[j]
            direction = directions[feeds[unit]]
            if direction != 0:
                ran = True
                reached += _push(values, lash, unit, 0, direction * full[unit, 0], backlash, low, high)
    return ran, reached


@njit(cache=True)
def _give_back(values, lash, speeds, health, fired, present, feeds, every, directions, r, n, rest, gained, s):
    """Gamma's return: the idle units of one source-set; returns (longest run, arrivals)."""
    low, high, backlash, lag, coast, exact, run = s[2], s[3], s[4], s[5], s[6], s[7], s[8]
    back = lag + run * n // rest
    each, left, rank, reached = gained // rest, gained % rest, 0, 0
    bank = r if every else 0
    for unit in range(len(present)):
        if not present[unit] or fired[unit] or (not every and feeds[unit] != r):
            continue
        if exact:
            share = each + (1 if rank < left else 0)
            drive = np.floor(share * health[unit, bank] / 1_000_000)
        else:
            drive = float(_travel(speeds[unit, bank], lag, coast, back))
        rank += 1
        reached += _push(values, lash, unit, bank, -directions[r] * drive, backlash, low, high)
    return back, reached


@njit(cache=True)
def _returns(values, lash, full, speeds, health, units, start, stop, fired, present, feeds, every, directions, s):
    """Gamma's returns of all reinforced source-sets; returns (longest run, arrivals)."""
    longest, reached = s[8], 0
    for r in range(len(directions)):
        if directions[r] == 0:
            continue
        n, rest, gained = 0, 0, 0.0
        bank = r if every else 0
        for unit in range(len(present)):
            if present[unit] and (every or feeds[unit] == r):
                if fired[unit]:
                    n += 1
                    gained += full[unit, bank]
                else:
                    rest += 1
        if n and rest:
            back, arrived = _give_back(
                values, lash, speeds, health, fired, present, feeds, every, directions, r, n, rest, np.int64(gained), s
            )
            longest = max(longest, back)
            reached += arrived
    return longest, reached


@njit(cache=True)
def _beta(values, lash, speeds, fired, present, feeds, every, direction, r, responses, s):
    """Beta for one R-unit: every source-set gains K in all; returns (any motor ran, longest run, arrivals)."""
    low, high, backlash, lag, coast, total = s[2], s[3], s[4], s[5], s[6], s[9]
    counts = np.zeros(responses, np.int64)
    for unit in range(len(present)):
        for bank in range(responses if every else 1):
            to = bank if every else feeds[unit]
            if fired[unit] if to == r else present[unit]:
                counts[to] += 1
    longest, reached, ran = 0, 0, False
    for to in range(responses):
        if counts[to]:
            ran = True
            longest = max(longest, lag + total // counts[to])
    for unit in range(len(present)):
        for bank in range(responses if every else 1):
            to = bank if every else feeds[unit]
            if fired[unit] if to == r else present[unit]:
                drive = _travel(speeds[unit, bank], lag, coast, lag + total // counts[to])
                reached += _push(values, lash, unit, bank, direction * float(drive), backlash, low, high)
    return ran, longest, reached


@njit(cache=True)
def _book(books, ran, longest, coast, reached):
    books[FACTS] += 1
    if ran:
        books[RUNS] += 1
        books[FACTS] += 2 + (1 if reached else 0)
        books[TIME] += longest + coast
        books[END_STOPS] += reached


@njit(cache=True)
def present(
    starts, units, rows, targets, errors, noisy, values, lash, full, speeds, health, feeds, present_units, s, mode,
    system, monovalent, states, undecided, sums, corrections, books,
):  # fmt: skip
    """Presents cards one after the other; see compiled.compiled_engine for the arguments, rehearsal for the meaning."""
    threshold, dead_zone, low, high, backlash, coast = s[0], s[1], s[2], s[3], s[4], s[6]
    responses, count, every = len(states), values.shape[0], values.shape[1] > 1
    directions = np.zeros(responses, np.int64)
    fired = np.zeros(count, np.bool_)
    marked = system != ALPHA or len(noisy) > 0
    for i in range(len(rows)):
        start, stop = starts[rows[i]], starts[rows[i] + 1]
        if s[10]:
            _decay(values, present_units, s[10], s[11])
        if marked:
            fired[:] = False
            for j in range(start, stop):
                fired[units[j]] = True
        if every:
            _sum_every(values, units, start, stop, sums)
        else:
            _sum_one(values, units, start, stop, feeds, sums)
        if len(noisy):
            _add_wiper_errors(noisy, errors[i], fired, feeds, count, every, sums)
        _read(sums, threshold, dead_zone, states, undecided)
        wrong, due = _due(mode, monovalent, targets[i], states, undecided, directions)
        if wrong:
            books[ERRORS] += 1
        if not due:
            continue
        for r in range(responses):
            corrections[r] += directions[r] != 0
        if system == BETA:
            for r in range(responses):
                if directions[r] != 0:
                    ran, longest, reached = _beta(
                        values, lash, speeds, fired, present_units, feeds, every, directions[r], r, responses, s
                    )
                    _book(books, ran, longest, coast, reached)
            continue
        ran, reached = _alpha(
            values, lash, full, units, start, stop, feeds, every, directions, backlash, low, high
        )
        longest = s[8]
        if system == GAMMA:
            longest, more = _returns(
                values, lash, full, speeds, health, units, start, stop, fired, present_units, feeds, every, directions, s
            )
            reached += more
        _book(books, ran, longest, coast, reached)
