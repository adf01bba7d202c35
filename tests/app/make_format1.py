"""Makes tests/app/data/format1.mark1: a machine file of format 1, frozen, that every later version must open.

    PYTHONPATH=. python tests/app/make_format1.py

A small machine with something in every part of the file: motors in flight, a request that waits, a training in its
second pass, undo points, faults, notes. Run this again only while format 1 has not been released.
"""

from pathlib import Path

import numpy as np

from mark1 import HISTORIC, Mark1
from mark1 import commands as c

FILE = Path(__file__).parent / "data" / "format1.mark1"
LIGHTS = np.array([[1, 1, 0] * 4, [0, 1, 1] * 4, [0.25, 0.5, 1] * 4])
SEED = 1975
TARGETS = [[1, -1], [-1, 1], [-1, -1]]


def machine(seed: int = SEED) -> Mark1:
    """Eight A-units on a retina of 3 x 4."""
    config = HISTORIC.with_(
        retina__rows=3, retina__columns=4, association__units=8, response__in_use=2, reinforcement__system="beta",
    )  # fmt: skip
    made = Mark1(config, seed)
    made.submit(c.SetNote("camera", '{"rows": 3, "columns": 4, "framing": false}'))
    made.submit(c.AssignCodes(("a", "b"), (1, 2)))
    made.submit(c.BreakCell(3, "dead"))
    made.submit(c.BreakMotor(1, 500_000))
    made.submit(c.CutWire(0, abs(int(made.state().table[0, 0])) - 1))
    made.submit(c.StartTraining(LIGHTS, TARGETS, passes=9, order="shuffled"))
    while made.next_us is not None and not (made._works.waiting and made.state().training.passes_done == 1):
        made.run_until(made.next_us)
    assert made._works.waiting, "with this seed no request waits in the second pass; take another"
    made.run_until(made.now_us + 1)
    return made


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_bytes(machine().save())
    print(f"{FILE}: {FILE.stat().st_size:,} bytes")
