"""mark1 bench: speed as ratios to plain baselines measured in the same run; a table, or JSON."""

import argparse
import importlib
import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mark1
from mark1.errors import InputError, Mark1Error

Measure = Callable[[], dict[str, Any]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words of the command."""
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--quick", action="store_true", help="fewer rounds and 50,000 instead of a million cycles")
    parser.add_argument("--only", metavar="NAME", help="measure only the figures whose name contains this")


def run(args: argparse.Namespace) -> int:
    """Measures; exit code 1 if a target is missed."""
    _one_thread()
    rows: dict[str, Any] = {}
    for names, measure in _measures(args.quick):
        if args.only is None or any(args.only in name for name in names):
            if not args.json:
                print(f"measuring {', '.join(names)} ...", file=sys.stderr)
            rows |= measure()
    if not rows:
        raise InputError(f"--only cannot be '{args.only}'; it is part of none of the figures' names.")
    if args.json:
        print(json.dumps(rows, indent=1))
    else:
        _table(rows)
    return 0 if all(row["met"] for row in rows.values()) else 1


def _measures(quick: bool) -> list[tuple[tuple[str, ...], Measure]]:
    room = _benchmarks()
    live, rehearsal, footprint = (importlib.import_module(f"{room}.{n}") for n in ("live", "rehearsal", "footprint"))
    rounds = 3 if quick else 7
    return [
        (("live_vs_numpy_loop",), lambda: live.measure(rounds)),
        (("rehearsal_vs_sklearn", "rehearsal_fast_vs_sklearn"), lambda: rehearsal.measure(rounds)),
        (("rehearsal_vs_live", "rehearsal_fast_vs_live"), lambda: rehearsal.measure_against_live(3)),
        (("growth_512_to_262144",), lambda: live.measure_growth(3)),
        (("import_vs_dependencies",), lambda: footprint.measure_import(rounds)),
        (("rss_growth_mb_1m_cycles",), lambda: footprint.measure_memory(50_000 if quick else 1_000_000)),
    ]


def _benchmarks() -> str:
    """The package of benchmarks: inside the installed program, or beside it in a working copy."""
    _needs("sklearn", "scikit-learn")
    package = Path(mark1.__file__).parent
    if (package / "benchmarks").is_dir():
        return "mark1.benchmarks"
    sys.path.insert(0, str(package.parent))
    return "benchmarks"


def _needs(module: str, name: str) -> None:
    if importlib.util.find_spec(module) is None:
        raise Mark1Error(f"the benchmark compares with {name}; install it with: pip install 'mark1-perceptron[lab]'.")


def _one_thread() -> None:
    """Two BLAS threads on two cores fight; every rival gets one."""
    if importlib.util.find_spec("threadpoolctl") is not None:
        importlib.import_module("threadpoolctl").threadpool_limits(1)


def _table(rows: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("figure", "value", "target", "", title="mark1 bench")
    for name, row in rows.items():
        table.add_row(name, f"{row['value']:g}", f"{row['bound']} {row['target']:g}", "met" if row["met"] else "MISSED")
    console = Console()
    console.print(table)
    for name, row in rows.items():
        console.print(f"{name}: {json.dumps(row['detail'])}", soft_wrap=True, highlight=False)
