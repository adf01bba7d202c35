"""Is this tree a machine? A saved tree must look like that of a new machine of the same kind, and agree with itself.

A checksum says that a file is as it was written, not that a machine wrote it. Structure comes first: every array's
kind and shape, every number and every word is compared with what a fresh machine of the same configuration has; the
parts that vary in length (runs, queue, tray, undo points) are checked one by one. Then sense: numbers in their range,
and phase, card, runs and queue as the cycle of a presentation leaves them. Nothing here repairs anything.
"""

from typing import Any

import numpy as np

from mark1.core.chance import PURPOSES
from mark1.core.config import MODES, MOST_US, SYSTEMS, MachineConfig, PotentiometerConfig
from mark1.core.errors import SaveError
from mark1.core.orders import ADJUSTABLE
from mark1.core.retina import FULL_PPM
from mark1.core.schedule import NEXT_CARD, RUN_ENDED
from mark1.core.sequencer import HISTORY, ORDERS

Tree = dict[str, Any]
PHASES = ("idle", "settling", "answered", "correcting")
ENDED = ("correct", "passes done")  # outcomes after which a training cannot be resumed
VARYING = ("plugboards", "learned", "notes", "runs", "waiting", "queue", "sequencer", "undo", "training_start")
MOST = 10**17  # microseconds, facts, presentations: three thousand years of any of them
MOST_UV = 2**52


def damaged(where: str) -> SaveError:
    """The one sentence for a file that is whole but makes no sense."""
    words = "".join(letter if letter.isprintable() else " " for letter in where[:200]).rstrip(". ")
    return SaveError(f"this machine file does not describe a machine ({words}); take an earlier copy.")


def expect(condition: Any, where: str) -> None:
    """Refuses the file unless the condition holds."""
    if not condition:
        raise damaged(where)


# -- structure -------------------------------------------------------------------------------------------------


def check_structure(tree: Tree, fresh: Tree) -> None:
    """The parts of a machine, no more and no fewer, each of its kind."""
    like(dict.fromkeys(tree), dict.fromkeys(fresh), "parts")
    for name in fresh:
        if name not in VARYING:
            like(tree[name], fresh[name], name)
    for name in ("runs", "waiting", "queue", "undo", "plugboards"):
        expect(isinstance(tree[name], list), name)
    like(tree["sequencer"] | dict.fromkeys(("tray",)), fresh["sequencer"], "sequencer", rigid=False)


def like(value: Any, pattern: Any, where: str, rigid: bool = True) -> None:
    """The value has the same structure as the pattern: keys, kinds and, if rigid, shapes."""
    if isinstance(pattern, np.ndarray):
        expect(isinstance(value, np.ndarray), where)
        array(value, pattern.dtype, pattern.shape if rigid else value.shape, where)
    elif isinstance(pattern, dict):
        expect(isinstance(value, dict) and set(value) == set(pattern), where)
        for key, inner in pattern.items():
            like(value[key], inner, f"{where}.{key}", rigid)
    else:
        expect(type(value) is type(pattern), where)


def array(value: Any, kind: Any, shape: tuple[int, ...], where: str) -> None:
    """An array of this kind and shape; flags are 0 or 1, not other bytes that pass for true."""
    expect(isinstance(value, np.ndarray) and value.dtype == kind and value.shape == shape, where)
    if value.dtype == np.bool_:
        expect((value.view(np.uint8) <= 1).all(), where)


def whole(tree: Tree, names: tuple[str, ...], where: str, most: int = MOST) -> None:
    """Whole numbers, none below zero, none beyond the most."""
    for name in names:
        expect(type(tree[name]) is int and 0 <= tree[name] <= most, f"{where}.{name}")


def within(value: Any, low: float, high: float, where: str) -> None:
    """An array whose numbers all lie in a range; what is no number lies in none."""
    expect((value >= low).all() and (value <= high).all(), where)


def whole_within(value: Any, low: float, high: float, where: str) -> None:
    """The same, and every number is whole."""
    within(value, low, high, where)
    expect((value == np.trunc(value)).all(), where)


# -- what is learned, and undo points --------------------------------------------------------------------------


def check_point(point: Tree, config: MachineConfig, where: str) -> None:
    """The numbers of an undo point, or of the machine itself."""
    pot = config.potentiometer
    whole_within(point["values"], *(pot.stops or (-MOST_UV, MOST_UV)), f"{where}.values")
    whole_within(point["lash"], 0, pot.backlash_uv, f"{where}.lash")
    within(point["speeds"], *_speeds(pot), f"{where}.speeds")
    within(point["health"], 0, 1_000_000, f"{where}.health")
    within(point["wiper_noise"], 0, 10**9, f"{where}.wiper_noise")
    within(point["thresholds"], -16_000, 16_000, f"{where}.thresholds")
    expect(np.isin(point["states"], (-1, 1)).all(), f"{where}.states")
    for name in ("toggles", "cell_faults"):
        expect(np.isin(point[name], (0, 1, 2)).all(), f"{where}.{name}")
    expect(point["table"].shape[1] <= 32_000, f"{where}.table")
    whole(point, ("wiring_seed",), where, 2**64 - 1)
    book = point["codebook"]
    expect(all(isinstance(n, str) for n in book.names) and all(type(c) is int for c in book.codes), "codebook")
    book.check(config.response.in_use)


def _speeds(pot: PotentiometerConfig) -> tuple[int, int]:
    spread = pot.speed_uv_s * pot.spread_ppm // 1_000_000
    return pot.speed_uv_s - spread, pot.speed_uv_s + spread


def check_same_machine(config: MachineConfig, now: MachineConfig, where: str) -> None:
    """An undo point is of this machine: only what commands can change may differ."""
    changeable = (*ADJUSTABLE, "response.in_use")
    here = now.to_dict()
    changes = {path.replace(".", "__"): here[path.split(".")[0]][path.split(".")[1]] for path in changeable}
    expect(config.with_(**changes) == now, where)


# -- the rest of the machine -----------------------------------------------------------------------------------


def check_numbers(tree: Tree) -> None:
    """Time, counters, light, answer, notes and generators."""
    whole(tree, ("now_us", "fact_number"), "machine")
    whole(tree["counters"], ("presentations", "errors", "runs", "end_stops"), "counters")
    for name in ("corrections", "blind"):
        within(tree["counters"][name], 0, MOST, f"counters.{name}")
    within(tree["answer"]["sums"], -(2**53), 2**53, "answer.sums")
    for name in ("light", "earlier"):
        within(tree["light"][name], 0, FULL_PPM, f"light.{name}")
    whole(tree["light"], ("since_us",), "light", tree["now_us"])
    for purpose in PURPOSES[2:]:
        words = tree["streams"][purpose]
        expect(len(words) == 4 and all(type(w) is int and 0 <= w < 2**64 for w in words), f"streams.{purpose}")
        expect(words[3] % 2, f"streams.{purpose}")  # PCG64's increment is odd
    expect(isinstance(tree["notes"], dict), "notes")
    for name, text in tree["notes"].items():
        expect(isinstance(text, str) and 0 < len(name) <= 100 and 0 < len(text) <= 100_000, "notes")


def check_runs(tree: Tree, pot: PotentiometerConfig, shape: tuple[int, int]) -> None:
    """Runs in flight: each motor is in one at most, and each run's end is in the queue."""
    busy = np.zeros(shape, np.int64)
    for run in tree["runs"]:
        whole(run, ("number", "start_us", "rest_us"), "runs")
        banks = run["banks"]
        expect(all(type(b) is int and 0 <= b < shape[0] for b in banks) and len(set(banks)) == len(banks), "runs.banks")
        array(run["directions"], np.int8, (len(banks), shape[1]), "runs.directions")
        within(run["directions"], -1, 1, "runs.directions")
        moves = run["directions"] != 0
        expect(moves.any(), "runs.directions")
        busy[banks] += moves
        _check_times(run, moves, pot, tree["now_us"])
        if run["exact_uv"] is not None:
            array(run["exact_uv"], np.float64, moves.shape, "runs.exact_uv")
            whole_within(run["exact_uv"][~np.isnan(run["exact_uv"])], 0, MOST_UV, "runs.exact_uv")
    expect((busy <= 1).all(), "runs")
    numbers = [run["number"] for run in tree["runs"]]
    expect(len(set(numbers)) == len(numbers) and all(0 < n <= tree["counters"]["runs"] for n in numbers), "runs.number")
    ends = [[entry[0], entry[2]] for entry in tree["queue"] if entry[1] == RUN_ENDED]
    expect(sorted(ends) == sorted([run["rest_us"], run["number"]] for run in tree["runs"]), "queue")


def _check_times(run: Tree, moves: Any, pot: PotentiometerConfig, now_us: int) -> None:
    """A run began in the past, ends no earlier than its motors, and is short enough for 64 bits."""
    run_us = run["run_us"]
    if type(run_us) is not int:
        array(run_us, np.int64, moves.shape, "runs.run_us")
    times = np.asarray(run_us, np.int64)
    within(times, 0, (2**63 - 1) // _speeds(pot)[1], "runs.run_us")
    longest = int(np.broadcast_to(times, moves.shape)[moves].max())
    expect(run["start_us"] <= now_us and run["start_us"] + longest + pot.coast_us <= run["rest_us"], "runs.rest_us")


def check_waiting(tree: Tree, units: int, responses: int) -> None:
    """Requests wait only for motors that run."""
    expect(tree["runs"] or not tree["waiting"], "waiting")
    for request in tree["waiting"]:
        array(request["directions"], np.int8, (responses,), "waiting.directions")
        within(request["directions"], -1, 1, "waiting.directions")
        expect(request["directions"].any(), "waiting.directions")
        array(request["active"], np.bool_, (units,), "waiting.active")
        whole(request, ("run_us", "beta_total_us"), "waiting", MOST_US)
        expect(request["system"] in SYSTEMS and isinstance(request["cause"], str), "waiting.system")


def check_queue(tree: Tree) -> None:
    """Phase, card and queue agree: what is due comes once, and training never waits for nothing."""
    phase, card, sequencer = tree["phase"], tree["card"], tree["sequencer"]
    shown, running = tree["counters"]["presentations"], sequencer["running"]
    for entry in tree["queue"]:
        expect(len(entry) == 3 and all(type(n) is int for n in entry), "queue")
        expect(tree["now_us"] <= entry[0] <= 2 * MOST and 0 <= entry[1] <= NEXT_CARD, "queue")
        expect(entry[1] >= RUN_ENDED or 0 < entry[2] <= shown, "queue")
    settling = [entry for entry in tree["queue"] if entry[1] < RUN_ENDED]
    next_cards = [entry for entry in tree["queue"] if entry[1] == NEXT_CARD]
    expect(phase in PHASES and sum(entry[2] == shown for entry in settling) == (phase == "settling"), "phase")
    expect(len(next_cards) == (running and phase == "idle") and not (next_cards and tree["queue"][1:]), "queue")
    if not running:
        expect(card == -1 and phase != "correcting", "card")
        return
    expect(phase != "answered" and len(settling) == (phase == "settling"), "phase")
    expect(phase != "correcting" or tree["runs"], "phase")
    at_work = int(sequencer["queue"][sequencer["position"]])
    expect(card in {"idle": (-1,), "settling": (at_work,)}.get(phase, (-1, at_work)), "card")


# -- training --------------------------------------------------------------------------------------------------


def check_sequencer(tree: Tree, fresh: Tree, cells: int, responses: int) -> None:
    """The tray and the place in it."""
    tray = tree["tray"]
    if tray is None:
        same = (np.array_equal(tree[name], fresh[name]) for name in fresh)
        expect(all(same) and tree["blind"].shape == fresh["blind"].shape, "sequencer")
        return
    whole(tree, ("passes", "passes_done", "position", "errors", "corrections"), "sequencer")
    expect(tree["mode"] in MODES and tree["order"] in ORDERS, "sequencer.mode")
    expect(not (tree["until_correct"] and tree["mode"] == "spontaneous"), "sequencer.until_correct")
    array(tree["corrected_before"], np.int64, (responses,), "sequencer.corrected_before")
    within(tree["corrected_before"], 0, MOST, "sequencer.corrected_before")
    for name in ("error_history", "correction_history"):
        expect(len(tree[name]) == min(tree["passes_done"], HISTORY), f"sequencer.{name}")
        expect(all(type(n) is int and 0 <= n <= MOST for n in tree[name]), f"sequencer.{name}")
    cards = len(tray["targets"])
    _check_tray(tray, cards, cells, responses)
    expect(np.array_equal(np.sort(tree["queue"]), np.arange(cards)), "sequencer.queue")
    array(tree["blind"], np.int64, (cards, responses), "sequencer.blind")
    within(tree["blind"], 0, MOST, "sequencer.blind")
    ended, outcome = tree["outcome"] in ENDED, tree["outcome"]
    expect(ended or outcome == "" or (outcome == "stopped" and not tree["running"]), "sequencer.outcome")
    expect(not (ended and tree["running"]), "sequencer.running")
    expect(ended or (tree["position"] < cards and not 0 < tree["passes"] <= tree["passes_done"]), "sequencer.position")
    expect(tree["position"] <= cards, "sequencer.position")


def _check_tray(tray: Tree, cards: int, cells: int, responses: int) -> None:
    array(tray["targets"], np.int8, (cards, responses), "tray.targets")
    expect(cards and np.isin(tray["targets"], (-1, 0, 1)).all(), "tray.targets")
    if "bits" in tray:
        expect(set(tray) == {"targets", "bits", "cells"} and tray["cells"] == cells, "tray.cells")
        array(tray["bits"], np.uint8, (cards, -(-cells // 8)), "tray.bits")
    else:
        expect(set(tray) == {"targets", "lights"}, "tray")
        array(tray["lights"], np.int32, (cards, cells), "tray.lights")
        within(tray["lights"], 0, FULL_PPM, "tray.lights")
