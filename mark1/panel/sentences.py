"""What the line at the top says of answers, teaching and training. Words in, one sentence out."""

from typing import TYPE_CHECKING

from mark1.panel import refusals, trainer
from mark1.panel.answer import RIGHT, WRONG, Answer

if TYPE_CHECKING:
    from mark1.core.state import TrainingState
    from mark1.panel.words import Words


def told(words: "Words", answer: Answer) -> str:
    """The answer, and what one can do next."""
    if answer.verdict == RIGHT:
        return words("It says {name}, and that is right.", name=answer.said)
    if answer.verdict == WRONG:
        return words("It says {said}, but should say {name}: press TEACH.", said=answer.said, name=answer.wanted)
    if answer.said:
        return words("It says {name}. Touch a card to say what is right.", name=answer.said)
    if answer.wanted:
        return words("It does not know. Press TEACH: it should say {name}.", name=answer.wanted)
    return words("It does not know. Touch a card to say what is right.")


def taught(words: "Words", mode: str, name: str, due: int, turned: int, firing: int) -> str:
    """What TEACH did: R-units that were due, those whose motors turn, and A-units that fire."""
    if not due:
        return words("Nothing to correct: it was right.")
    if not turned:
        text = "No A-unit of these R-units fires: nothing to turn." if firing else "No A-unit fires: nothing to turn."
        return words(text)
    if mode == "spontaneous":
        return words("Spontaneous: motors turn {n} R-units on the way they answered.", n=turned)
    if mode == "forced":
        return words("Forced: motors turn the values of {n} R-units towards {name}.", n=turned, name=name)
    return words("Corrected: motors turn the values of {n} R-units.", n=turned)


def begun(words: "Words", mode: str) -> str:
    """A training starts."""
    if mode == "spontaneous":
        return words("Spontaneous learning, {n} passes: nobody says right or wrong.", n=trainer.PASSES[mode])
    if mode == "forced":
        return words("Forced learning, {n} passes: it does not stop when all is right.", n=trainer.PASSES[mode])
    return words("Training on the tray until every card is right.")


def ended(words: "Words", training: "TrainingState") -> str:
    """A training ended by itself; empty if somebody stopped it."""
    passes = training.passes_done
    if training.outcome == "correct":
        return words("Learned: every card right after {n} passes.", n=passes)
    if training.outcome != "passes done":
        return ""
    if training.mode == "spontaneous":
        return words("Spontaneous learning ended after {n} passes; there is no right or wrong.", n=passes)
    wrong = training.error_history[-1] if training.error_history else 0
    text = "{n} passes done; in the last one {wrong} of {all} cards were wrong."
    return words(text, n=passes, wrong=wrong, all=training.cards)


def hopeless(words: "Words", found: trainer.Trouble, card: str) -> str:
    """Why a training was stopped."""
    if found.kind == "blind":
        text = "Cannot be learned: no A-unit of R{r} sees card {name}. Rewire."
        return words(text, r=found.response + 1, name=card)
    if found.kind == "not separable":
        return words("Cannot be learned with this wiring: {why}", why=refusals.reason(words, found.sentence))
    if found.separable:
        return words("Stopped after {n} passes, though theory says that it can be learned.", n=found.passes)
    return words("Not learned after {n} passes; theory has no verdict yet.", n=found.passes)
