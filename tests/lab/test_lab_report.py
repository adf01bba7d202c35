"""The report: a page that stands alone, says what holds, and agrees with the numbers it was made from."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from mark1 import HISTORIC, Mark1
from mark1.commands import Reinforce
from mark1.errors import InputError
from mark1.lab.activity import examine_machine, tray_of
from mark1.lab.page import Page, Section, Table, own_ids, render
from mark1.lab.report_machine import Subject, _lead, all_separable, machine_page, report_table
from mark1.lab.report_toy import examine_toy, toy_page, toy_table
from mark1.theory.toys import TOYS

CLOCK = [0.0]


def clock():
    CLOCK[0] += 0.001
    return CLOCK[0]


class Reader(HTMLParser):
    """Collects ids, addresses and whether tags close."""

    def __init__(self):
        super().__init__()
        self.ids, self.addresses, self.open, self.text = [], [], [], []

    def handle_starttag(self, tag, attrs):
        pairs = dict(attrs)
        self.ids += [pairs["id"]] if "id" in pairs else []
        self.addresses += [v for k, v in attrs if k in ("href", "src", "xlink:href", "srcset", "action") and v]
        if tag not in ("meta", "br", "img", "link"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def read(html):
    reader = Reader()
    reader.feed(html)
    assert reader.open == []
    return reader


def said(page):
    """The sentences of a page without drawing its pictures, which takes most of the time."""
    parts = [part for section in page.sections for part in section.parts]
    return " ".join([page.lead, *(p if isinstance(p, str) else getattr(p, "caption", "") for p in parts)])


@pytest.fixture(scope="module")
def toys():
    return {name: examine_toy(name) for name in TOYS}


@pytest.fixture(scope="module")
def trained():
    rng = np.random.default_rng(0)
    lights = np.array([np.kron(rng.random((5, 5)) < 0.5, np.ones((4, 4))).ravel() for _ in range(10)])
    targets = rng.choice([-1, 1], (10, 2)).astype(np.int8)
    machine = Mark1(HISTORIC.with_(association__units=150, response__in_use=2), 3)
    machine.rehearse(lights, targets, passes=200, until_correct=True)
    return machine, lights, targets


class Pages(dict):
    """The page of each teaching set, made when first asked for: a page takes a second."""

    def __missing__(self, name):
        self[name] = render(toy_page(examine_toy(name), clock))
        return self[name]


@pytest.fixture(scope="module")
def pages():
    return Pages()


SUBJECT = Subject("A machine", "Made for a test.", [f"card {i}" for i in range(10)])


OFTEN = ("separable", "ring")  # one of each kind; the rest when there is time


@pytest.mark.parametrize("name", [n if n in OFTEN else pytest.param(n, marks=pytest.mark.slow) for n in TOYS])
def test_toy_page_stands_alone(pages, name):
    page = read(pages[name])
    assert all(a.startswith(("#", "data:")) for a in page.addresses)
    assert len(page.ids) == len(set(page.ids))


def test_page_has_no_way_to_the_network(pages):
    without_names = re.sub(r'xmlns(:\w+)?="[^"]*"', "", pages["separable"])
    assert not re.search(r"https?:|@import|<script|<link|url\((?!#)", without_names)


def test_every_picture_has_words_for_those_who_cannot_see_it(pages):
    html = pages["separable"]
    assert html.count("<figure") == html.count("aria-label=") == html.count("<figcaption>") == 10


def test_toy_page_tells_its_numbers(toys, pages):
    words = "".join(read(pages["separable"]).text)
    table = toy_table(toys["separable"])
    assert f"needs {table['offset_ways']['none']['corrections']}" in words
    assert f"at most {table['offset_ways']['none']['bound']}" in words
    assert "Every inequality held" in words


def test_inseparable_page_prints_the_certificate(toys, pages):
    words = "".join(read(pages["ring"]).text)
    assert all(f"{m:,}" in words for m in toys["ring"].offset.multipliers if m)
    assert "is spent" in words


def test_words_are_escaped():
    page = Page("<a>", "1 < 2", "x & y", [Section("<h>", ["<script>", Table(["<th>"], [["yes", "<b>"]])])], "<f>")
    html = render(page)
    assert "<script>" not in html and "&lt;script&gt;" in html
    assert '<td class="yes">yes</td>' in html


def test_ids_are_made_the_pictures_own():
    assert own_ids('<g id="a" clip-path="url(#b)"/><use xlink:href="#c"/>', "f1") == (
        '<g id="f1-a" clip-path="url(#f1-b)"/><use xlink:href="#f1-c"/>'
    )


def test_machine_report_agrees_with_the_machine(trained):
    machine, lights, targets = trained
    report = examine_machine(machine, lights, targets)
    assert report.not_comparable == "" and all_separable(report) is True
    for each in report.responses:
        assert each.corrections == machine.state().corrections[each.at.response]
        assert each.corrections <= each.findings.bound
        assert each.comparison.machine_wrong == 0 and each.comparison.ideal_wrong == 0
    words = "".join(read(render(machine_page(report, SUBJECT))).text)
    assert "All 2 R-units can learn these 10 cards" in words


def test_machine_table_says_separable_for_each_response(trained):
    table = report_table(examine_machine(*trained), SUBJECT)
    assert [r["separable"] for r in table["responses"]] == [True, True]
    assert [r["response"] for r in table["responses"]] == [1, 2]
    assert table["comparable"] is True


def test_cards_that_cannot_be_learned_are_named(trained):
    machine, lights, targets = trained
    lights, targets = lights.copy(), targets.copy()
    lights[4], targets[4, 0] = lights[7], -targets[7, 0]
    report = examine_machine(machine, lights, targets)
    words = said(machine_page(report, SUBJECT))
    assert "cards card 4 and card 7 light the same A-units but ask for opposite answers" in words
    assert all_separable(report) is False


def test_blind_card_is_told_by_name(trained):
    machine, lights, targets = trained
    lights = lights.copy()
    lights[2] = 0.0
    report = examine_machine(machine, lights, targets)
    assert {each.findings.reason for each in report.responses} == {"blind"}
    assert "card 2 lights no A-unit" in said(machine_page(report, SUBJECT))


def test_the_tray_comes_back_from_the_machine(trained):
    machine, lights, targets = trained
    tray, wanted = tray_of(machine)
    assert np.array_equal(tray, lights) and np.array_equal(wanted, targets)


def test_grey_cards_come_back_too():
    lights = np.array([np.linspace(0, 1, 400).round(3), np.linspace(1, 0, 400).round(3)])
    machine = Mark1(HISTORIC.with_(response__in_use=1), 1)
    machine.rehearse(lights, [[1], [-1]], passes=1)
    assert tray_of(machine)[0] == pytest.approx(lights, abs=1e-6)


def test_untrained_machine_has_no_cards():
    with pytest.raises(InputError, match="never been trained"):
        tray_of(Mark1(HISTORIC, 1))


def again(machine, lights, targets):
    """The same machine with a hand on it since its training."""
    copy = Mark1.restored(machine.save())
    assert copy.submit(Reinforce(0, 1, 100_000))
    copy.settle()
    return examine_machine(copy, lights, targets)


def test_count_and_bound_never_share_a_row_unless_they_may(trained):
    page = machine_page(examine_machine(*trained), SUBJECT)
    tables = [part for section in page.sections for part in section.parts if isinstance(part, Table)]
    assert any("corrections made" in table.head and "at most, for this rack" in table.head for table in tables)
    page = machine_page(again(*trained), SUBJECT)
    tables = [part for section in page.sections for part in section.parts if isinstance(part, Table)]
    assert [table.head for table in tables if "at most" in " ".join(table.head)] == [["", "at most, for a new machine"]]


def test_shuffled_training_is_told(trained):
    _, lights, targets = trained
    machine = Mark1(HISTORIC.with_(association__units=150, response__in_use=2), 3)
    machine.rehearse(lights, targets, passes=50, until_correct=True, order="shuffled")
    report = examine_machine(machine, lights, targets)
    assert report.shuffled and report.not_comparable == ""
    assert "while the machine saw them shuffled" in said(machine_page(report, SUBJECT))


def test_page_of_an_incomparable_machine_shows_the_ideal_run(trained):
    report = again(*trained)
    words = said(machine_page(report, SUBJECT))
    assert "own count is not comparable: since that training began something else has touched" in words
    assert "Not this machine: the textbook's perceptron on these cards" in words
    assert report_table(report, SUBJECT)["comparable"] is False


def test_page_of_a_rack_without_bound_gives_the_textbook_value_as_no_limit(trained):
    _, lights, targets = trained
    config = HISTORIC.with_(
        association__units=150, response__in_use=2, potentiometer__low_uv=-100_000, potentiometer__high_uv=100_000,
        response__dead_zone_uv=3_000_000,
    )  # fmt: skip
    machine = Mark1(config, 3)
    machine.rehearse(lights, targets, passes=3)
    report = examine_machine(machine, lights, targets)
    assert [each.findings.fits_inside for each in report.responses] == [False, False]
    words = said(machine_page(report, SUBJECT))
    assert "R1: No proven bound for this rack: no setting inside the stops leaves enough margin." in words
    assert "(not a limit for this machine)" in words and "(ideal)" not in words
    assert "But no setting inside the stops answers every card of R1, R2." in words
    assert "R1, R2: no setting inside the stops answers every card beyond the dead zone (proved" in words


def test_stops_are_counted_where_they_bit(trained):
    _, lights, targets = trained
    config = HISTORIC.with_(
        association__units=150, response__in_use=2, potentiometer__low_uv=-600_000, potentiometer__high_uv=600_000
    )
    machine = Mark1(config, 3)
    machine.rehearse(lights, targets, passes=20)
    report = examine_machine(machine, lights, targets)
    values = machine.state().values[0]
    counted = sum(len(each.comparison.at_low) + len(each.comparison.at_high) for each in report.responses)
    assert counted == np.count_nonzero(np.abs(values) == 600_000) > 0


@pytest.mark.parametrize(
    ("verdicts", "words"),
    [
        ((True, True), "All 2 R-units can learn these 10 cards"),
        ((True, False), "Only 1 of the 2 R-units can ever learn"),
        ((False, False), "None of the 2 R-units can ever learn"),
        (
            (True, None),
            "1 of the 2 R-units can learn these 10 cards with this plugboard; R2: undecided whether they can",
        ),
        ((None, False), "1 of the 2 R-units can never learn these 10 cards with this plugboard; R1: undecided"),
        ((None, None), "R1, R2: undecided whether these 10 cards with this plugboard can be learned."),
    ],
)
def test_undecided_is_not_told_as_never(trained, verdicts, words):
    report = examine_machine(*trained)
    judged = (
        replace(each, findings=replace(each.findings, separable=verdict))
        for each, verdict in zip(report.responses, verdicts, strict=True)
    )
    assert words in _lead(replace(report, responses=tuple(judged)))
