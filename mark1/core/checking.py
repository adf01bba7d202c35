"""Is this tree a machine? Structure first: a saved tree must look like that of a new machine of the same kind.

A checksum says that a file is as it was written, not that a machine wrote it. So every array's kind and shape, every
number and every word is compared with what a fresh machine of the same configuration has; the parts that vary in
length (runs, queue, tray, undo points) are checked one by one. Nothing here repairs anything.
"""

from typing import Any

import numpy as np

from mark1.core.config import MODES, SYSTEMS, MachineConfig
from mark1.core.errors import SaveError
from mark1.core.retina import FULL_PPM
from mark1.core.sequencer import ORDERS

Tree = dict[str, Any]
PHASES = ("idle", "settling", "answered", "correcting")


def damaged(where: str) -> SaveError:
    """The one sentence for a file that is whole but makes no sense."""
    return SaveError(f"this machine file does not describe a machine ({where}); take an earlier copy.")


def expect(condition: Any, where: str) -> None:
    """Refuses the file unless the condition holds."""
    if not condition:
        raise damaged(where)


def like(value: Any, pattern: Any, where: str) -> None:
    """The value has the same structure as the pattern: keys, kinds, shapes."""
    if isinstance(pattern, np.ndarray):
        expect(isinstance(value, np.ndarray), where)
        expect(value.dtype == pattern.dtype and value.shape == pattern.shape, where)
    elif isinstance(pattern, dict):
        expect(isinstance(value, dict) and set(value) == set(pattern), where)
        for key, inner in pattern.items():
            like(value[key], inner, f"{where}.{key}" if where else key)
    else:
        expect(type(value) is type(pattern), where)


def check_point(point: Tree, config: MachineConfig, where: str) -> None:
    """The numbers of an undo point, or of the machine itself."""
    values, lash = point["values"], point["lash"]
    pot = config.potentiometer
    low, high = pot.stops or (-(2**52), 2**52)
    expect(np.isfinite(values).all() and (values == np.trunc(values)).all(), f"{where}.values")
    expect((values >= low).all() and (values <= high).all(), f"{where}.values")
    expect((lash >= 0).all() and (lash <= pot.backlash_uv).all() and (lash == np.trunc(lash)).all(), f"{where}.lash")
    expect((point["speeds"] >= 0).all() and (point["speeds"] <= 2 * pot.speed_uv_s).all(), f"{where}.speeds")
    expect((point["health"] >= 0).all() and (point["health"] <= 1_000_000).all(), f"{where}.health")
    expect((point["wiper_noise"] >= 0).all() and (point["wiper_noise"] <= 10**9).all(), f"{where}.wiper_noise")
    expect(np.isin(point["states"], (-1, 1)).all(), f"{where}.states")
    for name in ("toggles", "cell_faults"):
        expect(np.isin(point[name], (0, 1, 2)).all(), f"{where}.{name}")
    book = point["codebook"]
    expect(all(isinstance(n, str) for n in book.names) and all(type(c) is int for c in book.codes), "codebook")
    book.check(config.response.in_use)


def check_light(light: Tree, now_us: int) -> None:
    """Light is light, and it did not fall in the future."""
    for name in ("light", "earlier"):
        expect((light[name] >= 0).all() and (light[name] <= FULL_PPM).all(), f"light.{name}")
    expect(0 <= light["since_us"] <= now_us, "light.since_us")


def check_runs(tree: Tree, shape: tuple[int, int], responses: int) -> None:
    """Runs in flight, requests that wait, and the queue."""
    numbers = set()
    for run in tree["runs"]:
        whole(run, ("number", "start_us", "rest_us"), "runs")
        rows = (len(run["banks"]), shape[1])
        expect(all(type(b) is int and 0 <= b < shape[0] for b in run["banks"]) and rows[0], "runs.banks")
        array(run["directions"], np.int8, rows, "runs.directions")
        if type(run["run_us"]) is not int:
            array(run["run_us"], np.int64, rows, "runs.run_us")
        if run["exact_uv"] is not None:
            array(run["exact_uv"], np.float64, rows, "runs.exact_uv")
        numbers.add(run["number"])
    for request in tree["waiting"]:
        array(request["directions"], np.int8, (responses,), "waiting.directions")
        array(request["active"], np.bool_, (shape[1],), "waiting.active")
        whole(request, ("run_us", "beta_total_us"), "waiting")
        expect(request["system"] in SYSTEMS and isinstance(request["cause"], str), "waiting.system")
    for entry in tree["queue"]:
        expect(len(entry) == 3 and all(type(n) is int for n in entry), "queue")
        expect(entry[0] >= tree["now_us"] and 0 <= entry[1] <= 4, "queue")
        expect(entry[1] != 3 or entry[2] in numbers, "queue")
        expect(entry[1] != 4 or tree["sequencer"]["running"], "queue")
    expect(len(numbers) == sum(entry[1] == 3 for entry in tree["queue"]), "queue")


def check_sequencer(tree: Tree, cells: int, responses: int) -> None:
    """The tray and the place in it."""
    whole(tree, ("passes", "passes_done", "position", "errors", "corrections"), "sequencer")
    for name in ("running", "until_correct", "disturbed"):
        expect(type(tree[name]) is bool, f"sequencer.{name}")
    before = tree["corrected_before"]
    array(before, np.int64, (responses if len(before) else 0,), "sequencer.corrected_before")
    expect(tree["mode"] in MODES and tree["order"] in ORDERS and isinstance(tree["outcome"], str), "sequencer")
    for name in ("error_history", "correction_history"):
        expect(isinstance(tree[name], list) and all(type(n) is int for n in tree[name]), f"sequencer.{name}")
    tray, queue, blind = tree["tray"], tree["queue"], tree["blind"]
    if tray is None:
        expect(not tree["running"], "sequencer.running")
        return
    cards = len(tray["targets"])
    array(tray["targets"], np.int8, (cards, responses), "tray.targets")
    expect(cards and np.isin(tray["targets"], (-1, 0, 1)).all(), "tray.targets")
    if "bits" in tray:
        expect(tray["cells"] == cells, "tray.cells")
        array(tray["bits"], np.uint8, (cards, -(-cells // 8)), "tray.bits")
    else:
        array(tray["lights"], np.int32, (cards, cells), "tray.lights")
        expect((tray["lights"] >= 0).all() and (tray["lights"] <= FULL_PPM).all(), "tray.lights")
    array(queue, np.int64, (cards,), "sequencer.queue")
    expect(np.array_equal(np.sort(queue), np.arange(cards)), "sequencer.queue")
    expect(0 <= tree["position"] <= cards - (1 if tree["running"] else 0), "sequencer.position")
    array(blind, np.int64, (cards, responses), "sequencer.blind")


def array(value: Any, kind: Any, shape: tuple[int, ...], where: str) -> None:
    """An array of this kind and shape."""
    expect(isinstance(value, np.ndarray) and value.dtype == kind and value.shape == shape, where)


def whole(tree: Tree, names: tuple[str, ...], where: str) -> None:
    """Whole numbers, none below zero."""
    for name in names:
        expect(type(tree[name]) is int and tree[name] >= 0, f"{where}.{name}")
