"""Must show 4: each picture is made, and what it draws is what it should draw."""

import numpy as np
import pytest

from mark1.errors import InputError
from mark1.lab import figure_style, figures_plane, figures_region, figures_runs
from mark1.lab.report_toy import proof_trace, worst_start
from mark1.lab.report_toy_curved import kernel_runs
from mark1.lab.timing import Timing, time_programs, timing_problem
from mark1.theory.bounds import best_bound
from mark1.theory.dual import run_dual
from mark1.theory.offset import Offset
from mark1.theory.perceptron import Perceptron, run_perceptron
from mark1.theory.plane import Cone, cross_section, feasible_cone, region_faces
from mark1.theory.problem import make_problem
from mark1.theory.risk import batch_descent, risk
from mark1.theory.separability import verdict
from mark1.theory.svm import hard_margin, soft_margin
from mark1.theory.toys import toy


def drawn(figure, gid):
    """All artists of a figure with this gid."""
    return figure.findobj(lambda artist: artist.get_gid() == gid)


def only(figure, gid):
    (artist,) = drawn(figure, gid)
    return artist


@pytest.fixture
def problem():
    return toy("separable")


def test_cone_is_exactly_the_correct_directions(problem):
    cone = feasible_cone(problem)
    for angle in np.linspace(0, 2 * np.pi, 720):
        w = np.array([np.cos(angle), np.sin(angle)])
        assert cone.contains(w) == bool((problem.signed @ w > 0).all())


@pytest.mark.parametrize("seed", range(40))
def test_cone_exists_exactly_when_the_verdict_says_separable(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    sample = make_problem(rng.integers(-4, 5, (n, 2)), rng.choice([-1, 1], n), one_class_ok=True)
    assert (feasible_cone(sample) is not None) == bool(verdict(sample, with_offset=False).separable)


def test_duality_draws_w_in_the_cone_and_each_sample_as_its_line(problem):
    w = hard_margin(problem, with_offset=False).w
    figure = figures_plane.duality(problem, w)
    point = np.array(only(figure, "w").get_data()).ravel()
    corners = only(figure, "cone").get_xy()
    edges = np.arctan2(corners[1:-1, 1], corners[1:-1, 0])
    assert Cone(edges.min(), edges.max()).contains(point)
    for i, x in enumerate(problem.X):
        ends = np.array(only(figure, f"dual-{i}").get_data())
        assert np.allclose(x @ ends, 0, atol=1e-9)
    boundary = np.array(only(figure, "boundary").get_data())
    assert np.allclose(w @ boundary, 0, atol=1e-9)


def test_duality_of_an_inseparable_set_says_the_cone_is_empty():
    figure = figures_plane.duality(toy("ring"))
    assert drawn(figure, "cone") == [] and "empty" in only(figure, "cone-empty").get_text()


def test_followed_sample_is_the_same_in_both_spaces(problem):
    figure = figures_plane.duality(problem, hard_margin(problem, with_offset=False).w)
    point, line = only(figure, "followed-sample"), only(figure, "followed-line")
    assert np.allclose(point.get_offsets()[0] @ np.array(line.get_data()), 0, atol=1e-9)


def test_creases_lie_where_a_sample_is_on_the_boundary(problem):
    figure = figures_plane.risk_surface(problem)
    for i, x in enumerate(problem.X):
        ends = np.array(only(figure, f"crease-{i}").get_data())
        assert np.allclose(x @ ends, 0, atol=1e-9)
        middle = ends.mean(axis=1)
        across = x / np.linalg.norm(x)
        place = middle + 0.3 * (ends[:, 1] - ends[:, 0]) / np.linalg.norm(ends[:, 1] - ends[:, 0])
        h = 1e-6
        bend = risk(problem, place + h * across) + risk(problem, place - h * across) - 2 * risk(problem, place)
        assert bend == pytest.approx(h * np.linalg.norm(x), rel=1e-3)


def test_descents_start_together_and_end_in_the_cone(problem):
    start = worst_start(problem)
    batch = batch_descent(problem, step=0.04, start=start)
    single = Perceptron(problem, step=0.04, start=start).run()
    figure = figures_plane.descent_paths(problem, batch, single, start, 0.04)
    cone = feasible_cone(problem)
    for name in ("batch", "perceptron"):
        path = np.array(only(figure, name).get_data()).T
        assert np.allclose(path[0], start) and cone.contains(path[-1])
    assert len(only(figure, "perceptron").get_xdata()) == single.corrections + 1


def test_slab_holds_no_sample_and_its_edges_pass_through_the_support_vectors(problem):
    svm = hard_margin(problem)
    figure = figures_plane.margin_slab(svm)
    slab = only(figure, "slab")
    inside = [slab.get_path().contains_point(x, slab.get_patch_transform(), radius=-1e-6) for x in problem.X]
    ringed = only(figure, "on-margin").get_offsets()
    assert not any(inside) and len(ringed) == len(svm.on_margin())
    for x in ringed:
        distances = [abs(_distance(only(figure, gid), x)) for gid in ("margin-plus", "margin-minus")]
        assert min(distances) < 1e-6


def _distance(line, point):
    (x0, x1), (y0, y1) = line.get_data()
    return ((x1 - x0) * (point[1] - y0) - (y1 - y0) * (point[0] - x0)) / np.hypot(x1 - x0, y1 - y0)


def test_soft_margin_draws_both_kinds_and_a_thread_for_each_slack():
    svm = soft_margin(toy("not"), 1.0)
    figure = figures_plane.margin_slab(svm)
    assert len(only(figure, "with-slack").get_offsets()) == len(svm.with_slack())
    for i in svm.with_slack():
        ends = np.array(only(figure, f"slack-{i}").get_data()).T
        gid = "margin-plus" if svm.problem.y[i] > 0 else "margin-minus"
        assert abs(_distance(only(figure, gid), ends[1])) < 1e-6


def test_region_and_cross_section_satisfy_every_constraint(problem):
    svm = hard_margin(problem)
    figure = figures_region.weight_region(svm)
    section = only(figure, "section").get_xy()
    unit = svm.w / np.linalg.norm(svm.w)
    values = problem.y * (np.outer(section[:, 0], problem.X @ unit) + section[:, 1:])
    assert values.min() > 1 - 1e-6
    point = np.array(only(figure, "optimum").get_data()).ravel()
    assert point == pytest.approx([np.linalg.norm(svm.w), svm.b])
    assert point[0] == pytest.approx(section[:, 0].min(), rel=1e-5)
    assert np.ravel(only(figure, "optimum-in-space").get_data_3d()) == pytest.approx([*svm.w, svm.b])


def test_faces_of_the_region_lie_on_constraints_and_keep_the_others(problem):
    svm = hard_margin(problem)
    optimum = np.append(svm.w, svm.b)
    faces = region_faces(problem, 1.5 * optimum, np.full(3, 2 * np.abs(optimum).max()))
    assert len(faces) >= 4
    for face in faces:
        values = problem.y[:, None] * (problem.X @ face[:, :2].T + face[:, 2])
        assert values.min() > 1 - 1e-6


def test_empty_cross_section_of_an_inseparable_set():
    assert len(cross_section(toy("xor"), np.array([1.0, 0.0]), (0, 5, -5, 5))) == 0


def test_step_size_from_zero_is_a_level_line_and_from_a_sample_is_not(problem):
    measured = figures_runs.measure_step_sizes(problem, np.geomspace(1e-2, 1e2, 9))
    figure = figures_runs.step_size(measured)
    level = only(figure, "from-zero").get_ydata()
    assert len(set(level)) == 1 and level[0] == run_perceptron(problem).corrections
    assert len(set(only(figure, "perceptron").get_ydata())) > 1
    assert len(set(only(figure, "batch").get_ydata())) > 1


def test_squeeze_stays_in_the_wedge_that_closes_at_the_bound(problem):
    bound = best_bound(problem, Offset.NONE)
    trace = proof_trace(problem, bound)
    figure = figures_runs.squeeze(trace, bound.corrections)
    assert only(figure, "bound").get_xdata()[0] == pytest.approx(bound.corrections)
    assert (only(figure, "projection").get_ydata() <= only(figure, "length").get_ydata() * (1 + 1e-12)).all()
    least = only(figure, "cosine-least")
    assert np.interp(trace.k, *least.get_data())[0] <= only(figure, "cosine").get_ydata()[0]
    assert max(least.get_ydata()) <= 1.0


def test_corrections_stand_left_of_their_bounds():
    figure = figures_runs.corrections_against_bound(["R1", "R2", "R3"], [5, 70, 12], [40, 300, None])
    made = [only(figure, f"made-{row}").get_xdata()[0] for row in (2, 1, 0)]
    ends = [only(figure, f"bound-bar-{row}").get_xdata()[1] for row in (2, 1)]
    assert made == [5, 70, 12] and ends == [40, 300]
    assert drawn(figure, "bound-bar-0") == []
    assert "no bound" in [t.get_text() for t in figure.axes[0].texts]


def test_primal_and_dual_marks_coincide(problem):
    dual = run_dual(problem)
    figure = figures_runs.primal_and_dual(problem, run_perceptron(problem), dual)
    assert np.array_equal(only(figure, "primal").get_ydata(), only(figure, "dual").get_ydata())
    widths = [bar.get_width() for bar in figure.axes[1].patches]
    assert widths == dual.alpha.tolist()


def test_times_draw_what_was_measured():
    ticks = iter(np.arange(0, 1000, 0.5))
    timings = time_programs(lambda: next(ticks), (10, 30), d=4, rounds=1)
    assert [t.n for t in timings] == [10, 30] and all(t.perceptron_s == t.program_s == 0.5 for t in timings)
    assert all(0 < t.margin_share <= 1 + 1e-6 for t in timings)
    figure = figures_runs.program_times([Timing(10, 4, 0.001, 0.004, 3, 0.5), Timing(30, 4, 0.002, 0.008, 5, 0.25)])
    assert only(figure, "perceptron").get_ydata().tolist() == [1, 2]
    assert only(figure, "program").get_ydata().tolist() == [4, 8]
    assert only(figure, "margin-share").get_ydata().tolist() == [50, 25]


def test_timing_problem_is_separable_through_the_origin():
    assert verdict(timing_problem(60, 5), with_offset=False).separable is True


@pytest.mark.parametrize("name", ["xor", "ring"])
def test_kernel_regions_put_each_sample_on_its_side(name):
    sample = toy(name)
    runs = kernel_runs(sample)
    figure = figures_plane.kernel_regions(sample, runs)
    assert len(figure.axes) == 2
    assert all((sample.y * run.decide(sample.X) > 0).all() for run in runs.values())


def test_pictures_of_the_plane_refuse_other_dimensions():
    with pytest.raises(InputError, match="two dimensions"):
        figures_plane.duality(make_problem(np.eye(3), [1, -1, 1]))


def test_pictures_are_equal_bytes_when_made_twice_and_leave_settings_alone(problem):
    import matplotlib

    before = dict(matplotlib.rcParams)
    first, second = (figure_style.svg(figures_plane.duality(problem)) for _ in range(2))
    assert first == second and first.startswith("<svg")
    assert figure_style.png(figures_plane.duality(problem), 60)[:4] == b"\x89PNG"
    assert dict(matplotlib.rcParams) == before


def test_no_picture_uses_pyplot():
    import subprocess
    import sys

    code = (
        "import sys; from mark1.lab import figures_plane, figure_style; from mark1.theory.toys import toy; "
        "assert 'matplotlib' not in sys.modules, 'imported too early'; "
        "figure_style.svg(figures_plane.duality(toy('xor'))); assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
