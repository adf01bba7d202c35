"""What every test shares: one BLAS thread (two fight over two cores), and hypothesis without a stop-watch."""

import os

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

from hypothesis import settings  # noqa: E402

settings.register_profile("house", deadline=None, max_examples=int(os.environ.get("EXAMPLES", "25")))
settings.load_profile("house")
