"""Mark I: a simulator of Rosenblatt's Mark I Perceptron (1960).

The machine is Mark1; what it takes is in mark1.commands, what it tells in mark1.facts, what it refuses with in
mark1.errors.
"""

from mark1.core.config import EXPANDED, HISTORIC, IDEAL, PRESETS, MachineConfig
from mark1.core.machine import Mark1
from mark1.core.response import Codebook, Response, binary_codes, unit_codes
from mark1.core.state import MachineState, TrainingState

__version__ = "0.1.0"
__all__ = [
    "EXPANDED",
    "HISTORIC",
    "IDEAL",
    "PRESETS",
    "Codebook",
    "MachineConfig",
    "MachineState",
    "Mark1",
    "Response",
    "TrainingState",
    "__version__",
    "binary_codes",
    "unit_codes",
]
