"""The report on a machine and its cards: what holds for this plugboard, these motors and this card set."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mark1.lab import figures_machine, figures_runs
from mark1.lab.activity import MachineReport, ResponseReport
from mark1.lab.page import Page, Part, Picture, Section, Table
from mark1.lab.report_toy import proof_trace
from mark1.theory.bounds import best_bound
from mark1.theory.dual import run_dual
from mark1.theory.offset import Offset
from mark1.theory.training import bound_sentence

MOST_NAMES = 12  # cards named in a sentence; more are counted


@dataclass(frozen=True, slots=True)
class Subject:
    """What the report is about, in words: title, how the machine came to be, names of the cards, further sentences."""

    title: str
    origin: str
    card_names: Sequence[str]
    notes: Sequence[str] = ()


def report_table(report: MachineReport, subject: Subject) -> dict[str, Any]:
    """Plain data, for --json."""
    return {
        "subject": subject.title,
        "cards": report.cards,
        "active_share": report.active_share,
        "separable": all_separable(report),
        "comparable": report.not_comparable == "",
        "not_comparable": report.not_comparable,
        "responses": [_response_table(each) for each in report.responses],
        "notes": list(subject.notes),
    }


def all_separable(report: MachineReport) -> bool | None:
    """True when every R-unit's set is, False when one is not, None when one is undecided and none is known not to."""
    verdicts = [each.findings.separable for each in report.responses]
    if False in verdicts:
        return False
    return None if None in verdicts else True


def _response_table(each: ResponseReport) -> dict[str, Any]:
    beside = each.comparison
    return {
        "response": each.at.response + 1,
        **each.findings.as_table(),
        "corrections": each.corrections,
        "sentence_on_bound": bound_sentence(each.findings, each.corrections),
        "wrong": beside.machine_wrong,
        "ideal_corrections": beside.ideal.corrections,
        "ideal_converged": beside.ideal.converged,
        "angle_degrees": beside.angle,
        "at_low_stop": list(beside.at_low),
        "at_high_stop": list(beside.at_high),
    }


def machine_page(report: MachineReport, subject: Subject) -> Page:
    """The report as a page."""
    sections = [_overview(report, subject), _bounds(report)]
    hopeless = [each for each in report.responses if each.findings.separable is False]
    if hopeless:
        sections.append(_certificates(hopeless, subject))
    learnable = [each for each in report.responses if each.findings.ideal_bound is not None]
    if learnable:
        sections.append(_squeeze(_narrowest(learnable)))
        sections.append(_dual(_narrowest(learnable)))
    sections.append(_physics(report))
    return Page(
        "Mark I theory bench", subject.title, _lead(report), sections,
        "Made by mark1 theory. Margins come from a quadratic program; verdicts and the bounds of the rack are "
        "computed in "
        "exact rationals. The bounds hold for one R-unit each and are never added up.",
    )  # fmt: skip


def _narrowest(reports: Sequence[ResponseReport]) -> ResponseReport:
    return max(reports, key=lambda each: each.findings.ideal_bound or 0)


def _lead(report: MachineReport) -> str:
    wrong = sum(each.comparison.machine_wrong for each in report.responses)
    start = _who_can(report)
    tight = [each.name for each in report.responses if each.findings.fits_inside is False]
    if tight:
        start += f" But no setting inside the stops answers every card of {', '.join(tight)}."
    now = "The machine now answers all of them." if wrong == 0 else f"Now {wrong:,} answers are wrong or undecided."
    return f"{start} {now}"


def _who_can(report: MachineReport) -> str:
    """How many R-units can learn the cards, how many never can, and which are undecided."""
    verdicts, total = [each.findings.separable for each in report.responses], len(report.responses)
    yes, never, what = verdicts.count(True), verdicts.count(False), f"these {report.cards:,} cards with this plugboard"
    if yes == total:
        return f"All {total} R-units can learn {what}." if total > 1 else f"The R-unit can learn {what}."
    if yes + never == total:
        return f"{'None' if yes == 0 else f'Only {yes}'} of the {total} R-units can ever learn {what}."
    opened = ", ".join(each.name for each in report.responses if each.findings.separable is None)
    known = [f"{yes} of the {total} R-units can learn {what}"] if yes else []
    known += [f"{never} of the {total} R-units can never learn {what}"] if never else []
    return "; ".join([*known, f"{opened}: undecided whether {'they' if known else what} can be learned"]) + "."


def _number(value: float | None, digits: str) -> str:
    return "–" if value is None else format(value, digits)


def _separable(each: ResponseReport) -> str:
    return {True: "yes", False: "no", None: "undecided"}[each.findings.separable]


def _overview(report: MachineReport, subject: Subject) -> Section:
    rows = [
        [
            each.name, f"{each.at.problem.n:,}", f"{each.at.problem.d:,}", _separable(each),
            _number(_share(each), ".4f"), f"{each.comparison.machine_wrong:,}",
        ]
        for each in report.responses
    ]  # fmt: skip
    head = ["", "cards", "A-units", "separable", "margin γ/R", "wrong now"]
    parts: list[Part] = [
        subject.origin,
        f"On average {100 * report.active_share:.1f} % of the A-units fire for a card. Each R-unit has a problem of "
        "its "
        "own: the activity of the A-units that feed it, and whether it should answer 1 or 0.",
        Table(head, rows),
        "Separable: whether any setting of the values answers all cards. Margin: how far the nearest card lies from "
        "the "
        "best boundary, as a share of the longest activity. Wrong now: cards answered wrongly or left undecided.",
        *subject.notes,
    ]
    return Section("What holds for this machine and these cards", parts)


def _share(each: ResponseReport) -> float | None:
    gamma, R = each.findings.gamma, each.findings.R
    return None if gamma is None or not R else gamma / R


def _bounds(report: MachineReport) -> Section:
    parts: list[Part] = [
        "A bound is a number of corrections that cannot be passed. It is proved for this rack, with its unequal "
        "motors, stops, dead zone and backlash, for training by error correction with the settings unchanged and the "
        "cards in any order (docs/theory_rack.md). It needs a setting inside the stops with margin to spare. "
        "Each R-unit has its own; they are never added up.",
        *_bound_rows(report),
        _bound_picture(report),
        *_room_words(report),
    ]
    return Section("Corrections and their bounds", parts)


def _bound_rows(report: MachineReport) -> list[Part]:
    """The bounds in a table, with the counts only where they may stand beside them; the rest in sentences."""
    bounded = [each for each in report.responses if each.findings.rack_bound is not None]
    others = [each for each in report.responses if each.findings.rack_bound is None]
    parts: list[Part] = []
    if bounded and report.not_comparable:
        parts.append(
            "The bounds below are those of a new machine with these settings. This machine's own count is not "
            f"comparable: {report.not_comparable}."
        )
        rows = [[each.name, f"{each.findings.rack_bound:,}"] for each in bounded]
        parts.append(Table(["", "at most, for a new machine"], rows))
    elif bounded:
        rows = [[each.name, f"{each.corrections:,}", f"{each.findings.rack_bound:,}"] for each in bounded]
        parts.append(Table(["", "corrections made", "at most, for this rack"], rows))
        if not all(each.findings.from_new for each in bounded):
            parts.append("This training did not begin on a new machine; the bounds hold from the values it began with.")
    said = [(each.name, bound_sentence(each.findings, each.corrections)) for each in others]
    return [*parts, *(f"{name}: {words}" for name, words in said if words)]


def _bound_picture(report: MachineReport) -> Picture:
    """The machine against its own bounds; where no count may stand beside one, the ideal run against the textbook's."""
    own = [each for each in report.responses if each.findings.comparable]
    if own:
        drawn = [(each.name, each.corrections, each.findings.rack_bound) for each in own]
        whose, caption = "", "Each R-unit has its own bound."
    else:
        drawn = [(e.name, e.comparison.ideal.corrections, e.findings.ideal_bound) for e in report.responses]
        whose = "the textbook's perceptron, not this machine"
        caption = (
            "Not this machine: the textbook's perceptron on these cards, with equal steps and neither stops, dead zone "
            "nor backlash, against its own bound (R/γ)², which is no limit for the machine."
        )
    names, made, bounds = zip(*drawn, strict=True)
    figure = figures_runs.corrections_against_bound(names, made, bounds, whose)
    return Picture(figure, "Corrections against the bound for each R-unit.", caption)


def _room_words(report: MachineReport) -> list[Part]:
    parts: list[Part] = []
    tight = [each.name for each in report.responses if each.findings.fits_inside is False]
    if tight:
        parts.append(
            f"{', '.join(tight)}: no setting inside the stops answers every card beyond the dead zone (proved in exact "
            "rationals), so no training will make every answer right."
        )
    open_ones = [e.name for e in report.responses if e.findings.fits_inside and e.findings.none_exists]
    if open_ones:
        parts.append(
            f"For {', '.join(open_ones)} a right setting inside the stops exists, but with too little margin for the "
            "theorem of the rack: training may find it or may wander for ever."
        )
    return parts


def _certificates(hopeless: Sequence[ResponseReport], subject: Subject) -> Section:
    parts: list[Part] = [
        "Not separable means: whatever the values, some card is answered wrongly. The proof is a set of weights, none "
        "negative, for which the cards of the two answers cancel in every A-unit. It was checked in whole numbers."
    ]
    said: dict[str, list[str]] = {}
    for each in hopeless:
        said.setdefault(why_not(each, subject), []).append(each.name)
    parts += [f"{', '.join(names)}: {reason}" for reason, names in said.items()]
    return Section("What cannot be learned, and why", parts)


def why_not(each: ResponseReport, subject: Subject) -> str:
    """Why an R-unit cannot learn its cards, with the cards by name."""
    proof, reason = each.findings.proof_samples, each.findings.reason
    cards = [str(subject.card_names[each.at.cards[i]]) for i in proof]
    if reason == "blind":
        return f"card {cards[0]} lights no A-unit that feeds it, so its sum is 0 whatever the values are."
    if reason == "one point":
        return f"cards {cards[0]} and {cards[1]} light the same A-units but ask for opposite answers."
    if reason == "equal weights":
        return f"all {len(cards):,} cards, each counted once, cancel in every A-unit."
    more = f" and {len(cards) - MOST_NAMES:,} more" if len(cards) > MOST_NAMES else ""
    return f"{len(cards):,} cards, suitably weighted, cancel in every A-unit: {', '.join(cards[:MOST_NAMES])}{more}."


def verdict_words(each: ResponseReport, subject: Subject) -> str:
    """The verdict on one R-unit in a sentence."""
    if each.findings.separable is False:
        return f"not separable: {why_not(each, subject)}"
    if each.findings.separable is None:
        return f"undecided: {each.findings.sentence.partition(': ')[2]}"
    return "separable, checked exactly."


def _squeeze(each: ResponseReport) -> Section:
    bound = best_bound(each.at.problem, Offset.NONE)
    trace = proof_trace(each.at.problem, bound)
    broken = trace.violations()
    holds = "Every inequality of the proof held at every correction." if not broken else " ".join(broken)
    return Section(
        f"Why learning must end: {each.name}, the narrowest margin",
        [
            "The textbook's perceptron on this R-unit's own activity. Each correction adds at least γ to w*·w and "
            "at most R² "
            f"to |w|², so kγ ≤ w*·w ≤ |w| ≤ √k R, which closes at k = (R/γ)². {holds}",
            Picture(
                figures_runs.squeeze(trace, bound.corrections),
                "The sides of the inequality, meeting at the bound; and the cosine with the best w.",
                f"{int(trace.k[-1]):,} corrections were needed; the wedge closes at {bound.corrections:,.1f}.",
            ),
        ],
    )


def _dual(each: ResponseReport) -> Section:
    problem = each.at.problem
    run = run_dual(problem, max_corrections=20_000)
    never = int((run.alpha == 0).sum())
    return Section(
        "Which cards did the work",
        [
            "In the dual form the values are a sum of cards, each counted as often as it was corrected. For "
            f"{each.name}, "
            f"{never} of {problem.n} cards were never corrected: the rest carry all that was learned.",
            Picture(
                figures_runs.primal_and_dual(problem, each.comparison.ideal, run),
                "The card corrected at each step by primal and dual form; bars of the counts.",
                "The ideal run in both forms; they correct the same cards in the same order.",
            ),
        ],
    )


def _physics(report: MachineReport) -> Section:
    rows = [
        [
            each.name, _number(each.comparison.angle, ".1f"), f"{each.corrections:,}",
            f"{each.comparison.ideal.corrections:,}" + ("" if each.comparison.ideal.converged else " (stopped)"),
            str(len(each.comparison.at_low) + len(each.comparison.at_high)),
        ]
        for each in report.responses
    ]  # fmt: skip
    worst = max(report.responses, key=lambda each: each.comparison.angle or 0.0)
    order = "in the tray's order, while the machine saw them shuffled" if report.shuffled else "in the same order"
    parts: list[Part] = [
        "The textbook's perceptron takes equal steps and knows no stops. The machine has motors of unequal speed that "
        "start late, coast and have play in their gears (unless its settings say otherwise). Shown the same cards "
        f"{order}, they part company: a sum a little off its ideal decides which card is corrected next. "
        "The machine's corrections are counted since its last training began.",
        Table(["", "angle to ideal, degrees", "machine's corrections", "ideal corrections", "on a stop"], rows),
    ]
    if worst.comparison.values.any():
        parts.append(
            Picture(
                figures_machine.values_against_ideal(worst),
                "Machine values against ideal values for one R-unit, and the sums of all cards.",
                "Left: each potentiometer; squares stand on a stop. Right: each card's sum on its own side; the "
                "shaded band "
                "is the dead zone, squares are wrong or undecided.",
            )
        )
    return Section("How far the motors strayed from the ideal", parts)
