"""Exact null vectors of whole-number matrices: turns a solver's approximate multipliers into exact ones.

Small systems are eliminated in fractions. Larger ones are solved modulo a prime, lifted to a high power of it (Dixon's
p-adic method) and turned back into fractions: 500 unknowns, whose numbers have over a thousand bits, take seconds.
What comes out is only a proposal; certificate.py checks it.
"""

from fractions import Fraction
from math import lcm, log2

import numpy as np
from numpy.typing import NDArray

PRIME = 2_147_483_629  # below 2^31, so that a product of two residues fits in 63 bits
_SMALL = 40  # up to this many unknowns fractions are quick
Integers = NDArray[np.int64]


def null_vector(A: NDArray[np.float64]) -> list[int] | None:
    """Whole numbers v, not all zero, with A v = 0, when A has exactly one such direction; else None."""
    if A.shape[1] <= _SMALL:
        return _null_by_fractions([[Fraction(float(a)) for a in row] for row in A], A.shape[1])
    return _null_by_lifting(_as_whole(A))


def _as_whole(A: NDArray[np.float64]) -> Integers:
    """Each row (an equation) times the power of two that makes it whole: int64 when small, else Python's own ints."""
    rows = []
    for row in A.tolist():
        exact = [Fraction(a) for a in row]
        scale = lcm(*(a.denominator for a in exact))
        rows.append([int(a * scale) for a in exact])
    small = max(abs(a) for row in rows for a in row) <= 2**20
    return np.array(rows, dtype=np.int64 if small else object)


def _null_by_fractions(rows: list[list[Fraction]], size: int) -> list[int] | None:
    pivots: list[int] = []
    for column in range(size):
        r = len(pivots)
        found = next((i for i in range(r, len(rows)) if rows[i][column]), None)
        if found is None:
            continue
        rows[r], rows[found] = rows[found], rows[r]
        lead = rows[r][column]
        rows[r] = [a / lead for a in rows[r]]
        for i, row in enumerate(rows):
            if i != r and row[column]:
                rows[i] = [a - row[column] * p for a, p in zip(row, rows[r], strict=True)]
        pivots.append(column)
    free = [c for c in range(size) if c not in pivots]
    if len(free) != 1:
        return None
    solution = {free[0]: Fraction(1)} | {c: -rows[r][free[0]] for r, c in enumerate(pivots)}
    return _whole([solution[c] for c in range(size)])


def _whole(values: list[Fraction]) -> list[int]:
    scale = lcm(*(v.denominator for v in values))
    return [int(v * scale) for v in values]


def _independent(A: Integers) -> tuple[list[int], list[int]]:
    """Row and column numbers of a largest square part of A that is invertible modulo the prime."""
    M, order = (A % PRIME).astype(np.int64), np.arange(A.shape[0])
    columns: list[int] = []
    for column in range(A.shape[1]):
        r = len(columns)
        nonzero = np.flatnonzero(M[r:, column])
        if not len(nonzero):
            continue
        swap = r + int(nonzero[0])
        M[[r, swap]], order[[r, swap]] = M[[swap, r]], order[[swap, r]]
        M[r] = M[r] * pow(int(M[r, column]), -1, PRIME) % PRIME
        below = np.flatnonzero(M[r + 1 :, column]) + r + 1
        M[below] = (M[below] - M[below, column][:, None] * M[r] % PRIME) % PRIME
        columns.append(column)
    return [int(i) for i in order[: len(columns)]], columns


def _inverse(B: Integers) -> Integers:
    """B^-1 modulo the prime, by Gauss and Jordan."""
    n = len(B)
    M = np.hstack([(B % PRIME).astype(np.int64), np.eye(n, dtype=np.int64)])
    for c in range(n):
        swap = c + int(np.flatnonzero(M[c:, c])[0])
        M[[c, swap]] = M[[swap, c]]
        M[c] = M[c] * pow(int(M[c, c]), -1, PRIME) % PRIME
        others = np.flatnonzero(M[:, c])
        others = others[others != c]
        M[others] = (M[others] - M[others, c][:, None] * M[c] % PRIME) % PRIME
    return M[:, n:]


def _null_by_lifting(A: Integers) -> list[int] | None:
    rows, columns = _independent(A)
    free = [c for c in range(A.shape[1]) if c not in columns]
    if len(free) != 1:
        return None
    B, right = A[np.ix_(rows, columns)], -A[rows, free[0]]
    solution = _solve_lifted(B, right)
    if solution is None:
        return None
    placed = dict(zip(columns, solution, strict=True)) | {free[0]: Fraction(1)}
    return _whole([placed[c] for c in range(A.shape[1])])


def _solve_lifted(B: Integers, right: Integers) -> list[Fraction] | None:
    """B x = right over the fractions: digits of x base p one after another, then rational reconstruction."""
    inverse, residue = _inverse(B), right.copy()
    # By Cramer and Hadamard no numerator or denominator passes the product of the row lengths.
    lengths = np.sqrt((B.astype(np.float64) ** 2).sum(axis=1) + right.astype(np.float64) ** 2)
    bits = float(np.log2(np.maximum(lengths, 1.0)).sum()) + 2
    digits = int(2 * bits / log2(PRIME)) + 2
    powers = [0] * len(B)
    weight = 1
    for _ in range(digits):
        digit = (inverse * (residue % PRIME).astype(np.int64) % PRIME).sum(axis=1) % PRIME
        powers = [p + weight * int(x) for p, x in zip(powers, digit, strict=True)]
        residue = (residue - B @ digit.astype(B.dtype)) // PRIME
        weight *= PRIME
    return _reconstruct(powers, weight, 1 << (int(bits) + 1))


def _reconstruct(values: list[int], modulus: int, limit: int) -> list[Fraction] | None:
    """Fractions with numerator and denominator below limit; a denominator once found is tried on the next ones."""
    common, found = 1, []
    for value in values:
        scaled = value * common % modulus
        numerator = scaled if scaled <= modulus // 2 else scaled - modulus
        if abs(numerator) > limit:
            numerator, factor = _euclid(scaled, modulus, limit)
            if factor == 0:
                return None
            common *= factor
        found.append(Fraction(numerator, common))
    return found


def _euclid(value: int, modulus: int, limit: int) -> tuple[int, int]:
    """The fraction with a small numerator and denominator that equals value modulo the modulus."""
    r0, r1, t0, t1 = modulus, value, 0, 1
    while r1 > limit:
        quotient = r0 // r1
        r0, r1, t0, t1 = r1, r0 - quotient * r1, t1, t0 - quotient * t1
    return (r1, t1) if t1 > 0 else (-r1, -t1)
