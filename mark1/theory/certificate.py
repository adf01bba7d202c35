"""Certificates of separability and of its opposite, checked in exact rationals.

A separator (w, b) is a certificate that a set is separable: y_i (w . x_i + b) > 0 for all i. Multipliers lambda_i >= 0,
not all zero, with sum lambda_i y_i x_i = 0 (and sum lambda_i y_i = 0 when an offset is allowed) are a certificate that
it is not: summing lambda_i y_i (w . x_i + b) would give 0 for every (w, b), yet every term with lambda_i > 0 would be
above 0 (Gordan). This module only checks. It uses whole numbers and fractions of the standard library, no numpy and
none of the code that found the certificate, so that an error there cannot hide here.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction

Exact = int | Fraction


def exact(number: float | int | Fraction) -> Exact:
    """The number itself as a whole number or fraction; every finite float is a fraction."""
    value = Fraction(number)
    return value.numerator if value.denominator == 1 else value


def exact_row(row: Iterable[float]) -> list[tuple[int, Exact]]:
    """The non-zero places of a row, exactly."""
    return [(j, exact(number)) for j, number in enumerate(row) if number != 0]


def separator_margin(rows: Sequence[Sequence[float]], labels: Sequence[float], w: Sequence[Exact], b: Exact) -> Exact:
    """min y_i (w . x_i + b), exactly: the separator is proved when this is above 0."""
    margins = []
    for row, label in zip(rows, labels, strict=True):
        total: Exact = b
        for j, number in exact_row(row):
            total += w[j] * number
        margins.append(int(label) * total)
    return min(margins)


def proves_separable(rows: Sequence[Sequence[float]], labels: Sequence[float], w: Sequence[Exact], b: Exact) -> bool:
    """True when (w, b) puts every sample strictly on its own side."""
    return len(rows) > 0 and separator_margin(rows, labels, w, b) > 0


def proves_inseparable(
    rows: Sequence[Sequence[float]], labels: Sequence[float], multipliers: Sequence[Exact], *, with_offset: bool
) -> bool:
    """True when the multipliers are non-negative, not all zero, and cancel the samples exactly."""
    if any(m < 0 for m in multipliers) or not any(multipliers):
        return False
    total: dict[int, Exact] = {}
    balance: Exact = 0
    for row, label, multiplier in zip(rows, labels, multipliers, strict=True):
        if multiplier == 0:
            continue
        signed = int(label) * multiplier
        balance += signed
        for j, number in exact_row(row):
            total[j] = total.get(j, 0) + signed * number
    return not any(total.values()) and (balance == 0 or not with_offset)
