"""The live machine (event loop, facts built and numbered, no observer) against plain numpy loops; and its growth."""

from typing import Any

from mark1 import EXPANDED, HISTORIC, MachineConfig, Mark1
from mark1.commands import ResetValues

from . import letters, plain
from .timing import figure, median_times

SMALL, LARGE = 512, 262_144


def _rivals(config: MachineConfig, cards: int, passes: int) -> dict[str, Any]:
    """All start from values of zero and go through the same cards as often."""
    lights, targets = letters.cards(cards)
    first = Mark1(config, 1)
    threshold, table, feeds = config.association.threshold, first.state().table, plain.feeding(first)
    wiring = plain.dense_wiring(first)
    return {
        "live": lambda: _train(first, lights, targets, passes),
        "dense": lambda: plain.dense_loop(lights, targets, wiring, feeds, threshold, passes),
        "take": lambda: plain.take_loop(lights, targets, table, feeds, threshold, passes),
    }


def _train(machine: Mark1, lights: Any, targets: Any, passes: int) -> None:
    machine.submit(ResetValues())
    machine.train(lights, targets, passes=passes)


def measure(rounds: int = 7, cards: int = 1000, passes: int = 4) -> dict[str, Any]:
    """live_vs_numpy_loop: the worse of HISTORIC and EXPANDED."""
    detail: dict[str, Any] = {}
    for name, config in (("HISTORIC", HISTORIC), ("EXPANDED", EXPANDED)):
        times = median_times(_rivals(config, cards, passes), rounds)
        detail[name] = {
            "vs_dense_matmul": round(times["dense"] / times["live"], 3),
            "vs_np_take": round(times["take"] / times["live"], 3),
            "live_us_per_cycle": round(times["live"] / (cards * passes) * 1e6, 1),
            "dense_us_per_cycle": round(times["dense"] / (cards * passes) * 1e6, 1),
        }
    return {"live_vs_numpy_loop": figure(min(row["vs_dense_matmul"] for row in detail.values()), 1.0, detail)}


def measure_growth(rounds: int = 5) -> dict[str, Any]:
    """growth_512_to_262144: how much dearer a live cycle of HISTORIC gets, and how the plain loop does there."""
    large = HISTORIC.with_(association__units=LARGE, plugboard__fan_out_limit=0, name="large (not historic)")
    small_cards, large_cards = 1000, 12
    small = median_times({"live": _rivals(HISTORIC, small_cards, 1)["live"]}, rounds)
    big = _rivals(large, large_cards, 1)
    big.pop("take")
    times = median_times(big, rounds)
    growth = (times["live"] / large_cards) / (small["live"] / small_cards)
    detail = {
        "vs_dense_matmul_at_262144": round(times["dense"] / times["live"], 3),
        "live_us_at_512": round(small["live"] / small_cards * 1e6, 1),
        "live_us_at_262144": round(times["live"] / large_cards * 1e6, 1),
    }
    row = figure(growth, 300, detail, at_most=True)
    row["met"] = row["met"] and detail["vs_dense_matmul_at_262144"] >= 1.0
    return {"growth_512_to_262144": row}
