"""Must show 4: a training killed at any moment leaves the old machine file or the new one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="SIGKILL and fork")


def killed(runs: int) -> dict[str, int]:
    script = Path(__file__).with_name("kill_nine.py")
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd()), "OPENBLAS_NUM_THREADS": "1"}
    asked = [sys.executable, script, str(runs)]
    ran = subprocess.run(asked, capture_output=True, text=True, env=environment, check=False)
    assert ran.returncode == 0, ran.stderr
    counts: dict[str, int] = json.loads(ran.stdout)
    return counts


def test_forty_kills() -> None:
    counts = killed(40)
    inside = sum(counts.get(stage, 0) for stage in ("made", "written", "synced", "renamed"))
    assert inside >= 16
    assert counts["kills"] == 40


@pytest.mark.slow
def test_a_thousand_kills() -> None:
    counts = killed(1000)
    inside = sum(counts.get(stage, 0) for stage in ("made", "written", "synced", "renamed"))
    assert inside >= 100
    assert counts["kills"] == 1000
