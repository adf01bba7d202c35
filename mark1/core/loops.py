"""The loops that numba compiles. Imported by compiled.py only, and only when the compiled engine is used.

Units are in the order of their source-sets here: R-unit r owns potentiometers [row[r], low[r]:high[r]]. Each function
is one thing the machine does, as in potentiometer.py, reinforcement.py and response.py, for one potentiometer at a
time. Sums are first taken in 32-bit floats, with a bound on their rounding; where that bound leaves the answer open,
in whole microvolts (which 64-bit floats add exactly, in any order). So every answer is exact.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"
import numpy as np
from numba import njit

FORCED, CORRECTION, SPONTANEOUS = 0, 1, 2
ALPHA, BETA, GAMMA = 0, 1, 2
ERRORS, RUNS, END_STOPS, FACTS, TIME = 0, 1, 2, 3, 4
# Places in the settings array; compiled.py fills it.
THRESHOLD, DEAD_ZONE, LOW, HIGH, BACKLASH, LAG, COAST, EXACT, RUN, TOTAL, DECAY_P, DECAY_Q = range(12)
MOST_US = 3_600_000_000  # as in config.py
SPAN = 512  # units added up in 32 bits before the result is kept in 64
ANY_ORDER = {"reassoc", "contract", "nsz"}


@njit(cache=True, fastmath=ANY_ORDER)
def _rough_span(values, mask):
    """A loop from 0 to the length: numba then knows that no index is negative, and LLVM adds many at a time."""
    total = np.float32(0)
    for i in range(len(values)):
        total += values[i] * np.float32(mask[i])
    return total


@njit(cache=True, fastmath=ANY_ORDER)
def _rough_spans(values, others, mask):
    """Two R-units at once: half of the work is turning the mask into floats. (Four at once are slower again.)"""
    first, second = np.float32(0), np.float32(0)
    for i in range(len(mask)):
        lit = np.float32(mask[i])
        first += values[i] * lit
        second += others[i] * lit
    return first, second


@njit(cache=True)
def _rough_sums(rough, mask, row, low, high, sums):
    """Fills in the sums of one card, roughly; two R-units at a time where every A-unit feeds both."""
    r = 0
    if low[len(low) - 1] == 0 and len(mask) <= SPAN:  # whole rows: no slices to make
        while r + 1 < len(sums):
            sums[r], sums[r + 1] = _rough_spans(rough[row[r]], rough[row[r + 1]], mask)
            r += 2
    while r < len(sums):
        values = rough[row[r]]
        total = 0.0
        for start in range(low[r], high[r], SPAN):
            stop = min(start + SPAN, high[r])
            total += _rough_span(values[start:stop], mask[start:stop])
        sums[r] = total
        r += 1


@njit(cache=True)
def _beyond_doubt(sums, targets, threshold, doubt):
    """Whether every R-unit is in use and answers rightly, whatever the rounding."""
    right = True
    for r in range(len(sums)):
        right &= (sums[r] - threshold) * targets[r] > doubt
    return right


@njit(cache=True, fastmath=ANY_ORDER)
def _exact_sum(values, mask):
    total = 0.0
    for i in range(len(values)):
        total += values[i] * np.float64(mask[i])
    return total


@njit(cache=True)
def _wiper_error(noisy_bank, noisy_unit, errors, mask, row, low, high):
    """What worn wipers add to one R-unit's sum."""
    total = 0.0
    for i in range(len(errors)):
        unit = noisy_unit[i]
        if noisy_bank[i] == row and low <= unit < high and mask[unit]:
            total += errors[i]
    return total


@njit(cache=True)
def _push(values, rough, lash, drive, backlash, low, high):
    """Turns a row of drives; returns how many wipers arrived at a stop."""
    reached = 0
    for i in range(len(drive)):
        old = values[i]
        gear = old + lash[i] + drive[i]
        new = gear - backlash if gear - backlash > old else old
        new = gear if gear < new else new
        lash[i] = gear - new
        new = low if new < low else new
        new = high if new > high else new
        values[i] = new
        rough[i] = new
        reached += new != old and (new == low or new == high)  # noqa: SIM109
    return reached


@njit(cache=True)
def _switch_on(full, mask, direction, drive):
    """Drives of the active units of a row; returns how many there are."""
    count = 0
    for i in range(len(drive)):
        drive[i] = full[i] * (direction * mask[i])
        count += mask[i]
    return count


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
def _decay(values, rough, present, p, q):
    for bank in range(values.shape[0]):
        for unit in range(values.shape[1]):
            if present[unit]:
                values[bank, unit] -= np.trunc(values[bank, unit] * p / q)
                rough[bank, unit] = values[bank, unit]


@njit(cache=True)
def _alpha(values, rough, lash, full, mask, row, low, high, directions, drive, s):
    """Active units of the reinforced source-sets; returns (any motor ran, arrivals at a stop)."""
    reached, ran = 0, 0
    backlash, bottom, top = float(s[BACKLASH]), float(s[LOW]), float(s[HIGH])
    for r in range(len(directions)):
        if directions[r] != 0:
            b, a, z = row[r], low[r], high[r]
            ran += _switch_on(full[b][a:z], mask[a:z], directions[r], drive[a:z])
            reached += _push(values[b][a:z], rough[b][a:z], lash[b][a:z], drive[a:z], backlash, bottom, top)
    return ran > 0, reached


@njit(cache=True)
def _give_back(full, speeds, health, mask, present, direction, drive, s):
    """Gamma's return by the idle units of one source-set, as drives; returns their run, 0 if there is none."""
    n, rest, gained = 0, 0, 0.0
    for i in range(len(drive)):
        drive[i] = 0.0
        if mask[i]:
            n += 1
            gained += full[i]
        elif present[i]:
            rest += 1
    if n == 0 or rest == 0:
        return 0
    back = s[LAG] + min(s[RUN] * n // rest, MOST_US)
    each, left, rank = np.int64(gained) // rest, np.int64(gained) % rest, 0
    for i in range(len(drive)):
        if mask[i] or not present[i]:
            continue
        if s[EXACT]:
            share = each + (1 if rank < left else 0)
            drive[i] = -direction * np.floor(share * health[i] / 1_000_000)
        else:
            drive[i] = -direction * float(_travel(speeds[i], s[LAG], s[COAST], back))
        rank += 1
    return back


@njit(cache=True)
def _returns(values, rough, lash, full, speeds, health, mask, present, row, low, high, directions, drive, s):
    """Gamma's returns in all reinforced source-sets; returns (longest run, arrivals)."""
    longest, reached = s[RUN], 0
    backlash, bottom, top = float(s[BACKLASH]), float(s[LOW]), float(s[HIGH])
    for r in range(len(directions)):
        if directions[r] != 0:
            b, a, z = row[r], low[r], high[r]
            back = _give_back(
                full[b][a:z], speeds[b][a:z], health[b][a:z], mask[a:z], present[a:z], directions[r], drive[a:z], s
            )
            if back:
                longest = max(longest, back)
                reached += _push(values[b][a:z], rough[b][a:z], lash[b][a:z], drive[a:z], backlash, bottom, top)
    return longest, reached


@njit(cache=True)
def _beta(values, rough, lash, speeds, shared, shared_us, mask, row, low, high, direction, own, drive, s):
    """Beta for one R-unit: every source-set gains K in all; returns (any motor ran, longest run, arrivals)."""
    longest, reached, ran = 0, 0, False
    backlash, bottom, top = float(s[BACKLASH]), float(s[LOW]), float(s[HIGH])
    for r in range(len(row)):
        b, a, z = row[r], low[r], high[r]
        run = shared_us[r]
        if r == own:
            run = _own_share(speeds[b][a:z], mask[a:z], direction, drive[a:z], s)
        else:
            for unit in range(a, z):
                drive[unit] = direction * shared[b, unit]
        if run < 0:
            continue
        ran = True
        longest = max(longest, run)
        reached += _push(values[b][a:z], rough[b][a:z], lash[b][a:z], drive[a:z], backlash, bottom, top)
    return ran, longest, reached


@njit(cache=True)
def _own_share(speeds, mask, direction, drive, s):
    """Beta's drives in the reinforced source-set; returns their run, -1 if no unit is active."""
    count = 0
    for i in range(len(mask)):
        count += mask[i]
    if count == 0:
        return -1
    run = s[LAG] + s[TOTAL] // count
    for i in range(len(mask)):
        drive[i] = direction * float(_travel(speeds[i], s[LAG], s[COAST], run)) if mask[i] else 0.0
    return run


@njit(cache=True)
def _book(books, ran, longest, coast, reached):
    books[FACTS] += 1
    if ran:
        books[RUNS] += 1
        books[FACTS] += 2 + (1 if reached else 0)
        books[TIME] += longest + coast
        books[END_STOPS] += reached


@njit(cache=True)
def _steepest(full, speeds, system, s):
    """No presentation moves a value further than this."""
    units = full.shape[1]
    if system == ALPHA:
        return full.max()
    longest = s[LAG] + max(s[RUN] * units, s[TOTAL])
    fastest = float(_travel(speeds.max(), s[LAG], s[COAST], longest))
    return (full.max() * units + fastest) * full.shape[0] if system == GAMMA else fastest * 64.0


@njit(cache=True)
def present(
    masks, rows, targets, errors, noisy_bank, noisy_unit, values, rough, lash, full, speeds, health, shared, shared_us,
    row, low, high, present_units, s, mode, system, monovalent, states, undecided, sums, corrections, books,
):  # fmt: skip
    """Presents cards one after the other; compiled.py says what the arguments are, rehearsal.py what they mean."""
    directions, overs = np.zeros(len(states), np.int64), np.zeros(len(states))
    drive = np.zeros(values.shape[1])
    largest, steepest = np.abs(values).max(), _steepest(full, speeds, system, s)
    threshold, dead_zone, reach = float(s[THRESHOLD]), float(s[DEAD_ZONE]), max(float(s[HIGH]), -float(s[LOW]))
    for i in range(len(rows)):
        mask = masks[rows[i]]
        if s[DECAY_P]:
            _decay(values, rough, present_units, s[DECAY_P], s[DECAY_Q])
        doubt = dead_zone + largest * values.shape[1] * (SPAN + 2) * 2.0**-23
        _rough_sums(rough, mask, row, low, high, overs)
        exact = i == len(rows) - 1 or len(noisy_unit) > 0
        if mode == CORRECTION and not exact and _beyond_doubt(overs, targets[i], threshold, doubt):
            states[:] = targets[i]
            continue
        for r in range(len(states)):
            if exact or abs(overs[r] - threshold) <= doubt:
                sums[r] = _exact_sum(values[row[r]][low[r] : high[r]], mask[low[r] : high[r]])
                sums[r] += _wiper_error(noisy_bank, noisy_unit, errors[i], mask, row[r], low[r], high[r])
                overs[r] = sums[r]
            undecided[r] = abs(overs[r] - threshold) <= dead_zone
            if not undecided[r]:
                states[r] = 1 if overs[r] > threshold else -1
        wrong, due = _due(mode, monovalent, targets[i], states, undecided, directions)
        books[ERRORS] += wrong
        if not due:
            continue
        largest = min(largest + steepest, reach)
        for r in range(len(states)):
            corrections[r] += directions[r] != 0
        if system == BETA:
            for r in range(len(states)):
                if directions[r] != 0:
                    ran, longest, reached = _beta(
                        values, rough, lash, speeds, shared, shared_us, mask, row, low, high, directions[r], r, drive, s
                    )
                    _book(books, ran, longest, s[COAST], reached)
            continue
        ran, reached = _alpha(values, rough, lash, full, mask, row, low, high, directions, drive, s)
        longest = s[RUN]
        if system == GAMMA:
            longest, more = _returns(
                values, rough, lash, full, speeds, health, mask, present_units, row, low, high, directions, drive, s
            )
            reached += more
        _book(books, ran, longest, s[COAST], reached)
