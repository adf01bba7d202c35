"""Lets the tests of theory share their random problems."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
