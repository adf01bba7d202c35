"""How training goes, on stderr: a rich bar on a terminal, a few plain lines otherwise."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mark1 import TrainingState

Progress = Callable[[TrainingState], None]
FIRST_LINES = 3  # plain lines come after passes 1, 2, 3, then at every doubling, so that a log stays short


def knows_right(state: TrainingState) -> bool:
    """Whether there are right answers, so that errors can be counted: spontaneous learning is told none."""
    return state.mode != "spontaneous"


@contextmanager
def progress_shown(cards: int, quiet: bool = False) -> Iterator[Progress]:
    """Gives the function to call with the state of training after each portion."""
    if quiet:
        yield lambda state: None
    elif sys.stderr.isatty():
        with _bar(cards) as show:
            yield show
    else:
        yield _Lines()


class _Lines:
    """One plain line at passes 1, 2, 3, 6, 12, 24 ..."""

    def __init__(self) -> None:
        self.next_pass = 1

    def __call__(self, state: TrainingState) -> None:
        forgotten = state.passes_done - len(state.error_history)  # the machine remembers the last thousand passes
        while state.passes_done >= self.next_pass:
            if self.next_pass > forgotten:
                errors = f": {state.error_history[self.next_pass - 1 - forgotten]} of {state.cards} cards wrong"
                print(f"pass {self.next_pass}{errors if knows_right(state) else ''}", file=sys.stderr)
            self.next_pass += 1 if self.next_pass < FIRST_LINES else self.next_pass


@contextmanager
def _bar(cards: int) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as RichProgress

    columns = (
        TextColumn("pass {task.fields[done]}"), BarColumn(), MofNCompleteColumn(),
        TextColumn("{task.fields[wrong]}"), TimeElapsedColumn(),
    )  # fmt: skip
    with RichProgress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=cards, done=1, wrong="")

        def show(state: TrainingState) -> None:
            told = state.error_history and knows_right(state)
            wrong = f"{state.error_history[-1]} of {cards} wrong in the last pass" if told else ""
            bar.update(task, completed=state.position, done=state.passes_done + 1, wrong=wrong)

        yield show
