"""The twin: the textbook perceptron with A-units, in naive loops, standard library only. IDEAL must equal it exactly.

wires: for each A-unit a list of signed cell numbers from 1; cards: lists of 0/1; targets: lists of -1, 0, +1.
One potentiometer per A-unit; A-unit a feeds R-unit a mod k. Values are whole microvolts.
"""

STEP = 550_000  # one reinforcement: 250,000 us at 2.2 uV/us
BETA_US = 4_000_000  # run time that a beta reinforcement shares out


def fires(wires, threshold, card):
    return sum(card[abs(w) - 1] * (1 if w > 0 else -1) for w in wires) >= threshold


def sums_of(values, active, k):
    return [sum(v for a, v in enumerate(values) if active[a] and a % k == r) for r in range(k)]


def share(total, units):
    """A total in whole microvolts among units; what is left over goes one each to the first."""
    return [total // units + (1 if i < total % units else 0) for i in range(units)]


def reinforce(values, active, r, k, direction, system):
    own = [a for a in range(len(values)) if a % k == r]
    on, off = [a for a in own if active[a]], [a for a in own if not active[a]]
    if system == "beta":
        for other in range(k):
            members = on if other == r else [a for a in range(len(values)) if a % k == other]
            for a in members:
                values[a] += direction * (2_200_000 * (BETA_US // len(members)) // 1_000_000)
        return
    for a in on:
        values[a] += direction * STEP
    if system == "gamma" and on and off:
        for a, back in zip(off, share(STEP * len(on), len(off))):
            values[a] -= direction * back


def train(wires, threshold, cards, targets, states, mode, system, passes):
    """Returns (values, states, errors in each pass)."""
    k = len(targets[0])
    values, states, history = [0] * len(wires), list(states), []
    for _ in range(passes):
        errors = 0
        for card, target in zip(cards, targets):
            active = [fires(w, threshold, card) for w in wires]
            sums = sums_of(values, active, k)
            undecided = [s == 0 for s in sums]
            states = [st if u else (1 if s > 0 else -1) for s, u, st in zip(sums, undecided, states)]
            missed = [t != 0 and (u or s != t) for t, u, s in zip(target, undecided, states)]
            errors += any(missed)
            for r in range(k):
                if mode == "error correction":
                    direction = target[r] if missed[r] else 0
                elif mode == "forced":  # monovalent: only the forced side gains
                    direction = max(target[r], 0)
                else:
                    direction = states[r] if target[r] else 0
                if direction:
                    reinforce(values, active, r, k, direction, system)
            if mode == "forced":
                states = [t or s for t, s in zip(target, states)]
        history.append(0 if mode == "spontaneous" else errors)
    return values, states, history
