"""Throughput of the compiled sketch against the figures that the design was measured with, and a bare echo."""

import importlib.util
import sys
from types import ModuleType

import pytest
import toolchain

pytestmark = pytest.mark.firmware
# frames of 15 values and mask steps a second, measured on the prototype
PROTOTYPE = {115_200: (138, 98), 500_000: (456, 236)}


def _benchmark() -> ModuleType:
    path = toolchain.HERE.parent.parent / "benchmarks" / "bridge_throughput.py"
    spec = importlib.util.spec_from_file_location("bridge_throughput", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("board", ["uno", "mega"])
@pytest.mark.parametrize("baud", [115_200, 500_000])
def test_throughput_is_at_least_nine_tenths_of_the_prototypes(board: str, baud: int) -> None:
    toolchain.need()
    rates = _benchmark().measure(board, baud)
    print(rates, f"ratio to a bare echo {rates.link_bytes / rates.echo_bytes:.2f}")
    frames, steps = PROTOTYPE[baud]
    assert rates.value_frames >= 0.9 * frames and rates.step_frames >= 0.9 * steps
