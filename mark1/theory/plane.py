"""Geometry of two-dimensional problems, for the pictures: the cone of correct w, and the region of (w, b).

In w-space a sample is the line w . x_i = 0 and a separator is a point; the correct w form an open cone from the origin.
With an offset, the (w, b) that keep y_i (w . x_i + b) >= 1 form a polyhedron in three dimensions.
"""

from dataclasses import dataclass

import numpy as np

from mark1.core.errors import InputError
from mark1.theory.problem import Floats, Problem


@dataclass(frozen=True, slots=True)
class Cone:
    """The directions between two angles (radians, low < high); every w inside separates through the origin."""

    low: float
    high: float

    def contains(self, w: Floats) -> bool:
        """Whether w lies strictly inside."""
        angle = float(np.arctan2(w[1], w[0]))
        middle, half = (self.low + self.high) / 2, (self.high - self.low) / 2
        away = (angle - middle + np.pi) % (2 * np.pi) - np.pi
        return bool(np.any(w)) and abs(away) < half


def require_plane(problem: Problem) -> None:
    """Raises when the samples are not points of the plane."""
    if problem.d != 2:
        raise InputError(f"This picture needs samples in two dimensions; these have {problem.d}.")


def feasible_cone(problem: Problem) -> Cone | None:
    """All w with y_i w . x_i > 0 for every i, or None when there is none."""
    require_plane(problem)
    normals = problem.signed
    if not normals.any(axis=1).all():
        return None
    angles = np.arctan2(normals[:, 1], normals[:, 0])
    for middle in angles:  # in a feasible set all normals lie in an open half-plane around one of them
        turned = (angles - middle + np.pi) % (2 * np.pi) - np.pi
        low, high = middle + turned.max() - np.pi / 2, middle + turned.min() + np.pi / 2
        if low < high - 1e-12 and turned.max() - turned.min() < np.pi:
            return Cone(float(low), float(high))
    return None


def clip_polygon(polygon: Floats, normal: Floats, least: float) -> Floats:
    """The part of a convex polygon where normal . p >= least (Sutherland and Hodgman, one edge)."""
    kept: list[Floats] = []
    for here, there in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        a, b = float(normal @ here) - least, float(normal @ there) - least
        if a >= 0:
            kept.append(here)
        if (a >= 0) != (b >= 0):
            kept.append(here + (there - here) * a / (a - b))
    return np.array(kept).reshape(-1, polygon.shape[1])


def cross_section(problem: Problem, direction: Floats, window: tuple[float, float, float, float]) -> Floats:
    """The polygon of (t, b) with y_i (t direction . x_i + b) >= 1, cut to the window (left, right, bottom, top)."""
    require_plane(problem)
    left, right, bottom, top = window
    polygon = np.array([[left, bottom], [right, bottom], [right, top], [left, top]])
    for x, y in zip(problem.X, problem.y, strict=True):
        if len(polygon):
            polygon = clip_polygon(polygon, y * np.array([direction @ x, 1.0]), 1.0)
    return polygon


def region_faces(problem: Problem, centre: Floats, half: Floats) -> list[Floats]:
    """The faces of the region of (w1, w2, b) cut to a box; one polygon for each sample or side that bounds it."""
    require_plane(problem)
    rows = [y * np.array([x[0], x[1], 1.0]) for x, y in zip(problem.X, problem.y, strict=True)]
    planes = [(row, 1.0) for row in rows]
    for axis in range(3):
        side = np.eye(3)[axis]
        planes += [(side, centre[axis] - half[axis]), (-side, -centre[axis] - half[axis])]
    return [face for i in range(len(planes)) if len(face := _face(planes, i, float(np.linalg.norm(half)) * 4)) >= 3]


def _face(planes: list[tuple[Floats, float]], i: int, size: float) -> Floats:
    """A large square in plane i, clipped by all other planes."""
    normal, least = planes[i]
    unit = normal / np.linalg.norm(normal)
    foot = unit * least / np.linalg.norm(normal)
    across = np.cross(unit, np.eye(3)[np.argmin(np.abs(unit))])
    across /= np.linalg.norm(across)
    along = np.cross(unit, across)
    corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    reach = size + float(np.linalg.norm(foot)) + 10 * size
    polygon = np.array([foot + reach * (a * across + b * along) for a, b in corners])
    for j, (other, bound) in enumerate(planes):
        if j != i and len(polygon):
            polygon = clip_polygon(polygon, other, bound)
    return polygon
