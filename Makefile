# make run   builds .venv, installs, opens the program
# make test  builds .venv, installs, runs the tests
# make soak  long runs, by hand
# make facts rewrites what is generated from docs/facts.toml; every target above does it when that file has changed
# PYTHON=python3.12 make run   picks another interpreter
PYTHON ?= python3
ifeq ($(OS),Windows_NT)
BIN := .venv/Scripts
else
BIN := .venv/bin
endif
STAMPS := .venv/stamps
# Generated together with docs/facts.md; one target, because older makes have no grouped ones.
GENERATED := mark1/core/defaults.py

.PHONY: run test check bench soak facts clean

run: $(STAMPS)/desktop
	@$(BIN)/python -m mark1 --or-demo

test: $(STAMPS)/dev
	$(BIN)/python -m pytest

check: $(STAMPS)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet mark1 firmware_bridge tests benchmarks tools docs/screenshots
	$(BIN)/mypy

bench: $(STAMPS)/dev
	$(BIN)/mark1 bench

# Long runs, by hand: thousands of random lives, a thousand kills, a million cycles. EXAMPLES=60 make soak is a short cut.
EXAMPLES ?= 1500
KILLS ?= 1000
soak: $(STAMPS)/dev
	EXAMPLES=$(EXAMPLES) $(BIN)/python -m pytest -q tests/core/test_core_rehearsal.py tests/core/test_core_twin.py tests/test_journal.py
	PYTHONPATH=. $(BIN)/python tests/app/kill_nine.py $(KILLS)
	$(BIN)/mark1 bench --only rss

facts:
	$(PYTHON) tools/ledger.py

$(GENERATED): docs/facts.toml docs/appendix_1957.toml tools/ledger.py
	@$(PYTHON) tools/ledger.py

$(BIN)/python:
	$(PYTHON) -m venv .venv

$(STAMPS)/desktop: pyproject.toml | $(BIN)/python $(GENERATED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[lab,fast]"
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/dev: pyproject.toml | $(BIN)/python $(GENERATED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	@mkdir -p $(STAMPS) && touch $@ $(STAMPS)/desktop

clean:
	rm -rf .venv build dist
