"""A self-contained page: sections of plain sentences, tables and inline pictures. No script, no network, no fonts.

Text follows the reader's light or dark setting; pictures keep white paper under them, as in a printed book.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from mark1.lab.figure_style import svg

STYLESHEET = """
:root { --paper: #fbfaf7; --ink: #23211d; --quiet: #6a655c; --rule: #d9d4c9; --good: #16704f; --bad: #a8431a; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #1d1c1a; --ink: #e8e4db; --quiet: #a39d91; --rule: #3d3a35; --good: #6fcfa8; --bad: #f0996f; }
}
* { box-sizing: border-box; }
html { background: var(--paper); color: var(--ink); -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; padding: 3.2rem 1.4rem 5rem; max-width: 47rem;
  font: 1.06rem/1.58 Charter, "Bitstream Charter", "Iowan Old Style", Georgia, "DejaVu Serif", serif; }
header { border-bottom: 3px double var(--rule); padding-bottom: 1.5rem; margin-bottom: 2rem; }
.over { font: 600 .78rem/1.4 ui-sans-serif, "Helvetica Neue", Arial, "DejaVu Sans", sans-serif; letter-spacing: .12em;
  text-transform: uppercase; color: var(--quiet); margin: 0 0 .6rem; }
h1 { font-size: 2.05rem; line-height: 1.18; margin: 0 0 .9rem; font-weight: 600; text-wrap: balance; }
h2 { font-size: 1.28rem; line-height: 1.3; margin: 2.9rem 0 .7rem; font-weight: 600; text-wrap: balance; }
p { margin: 0 0 .95rem; }
.lead { font-size: 1.17rem; line-height: 1.5; margin: 0; }
.note { color: var(--quiet); font-size: .95rem; }
figure { margin: 1.4rem 0 1.7rem; }
figure .paper { background: #fff; border: 1px solid var(--rule); border-radius: 4px; padding: .7rem; }
figure svg { display: block; width: 100%; height: auto; }
figure.narrow .paper { max-width: 33rem; margin: 0 auto; }
figcaption { color: var(--quiet); font-size: .93rem; line-height: 1.45; margin-top: .6rem; }
.scroll { overflow-x: auto; margin: 1.3rem 0 1.5rem; }
table { border-collapse: collapse; width: 100%;
  font: .86rem/1.4 ui-sans-serif, "Helvetica Neue", Arial, "DejaVu Sans", sans-serif;
  font-variant-numeric: tabular-nums; }
th { text-align: right; font-weight: 600; color: var(--quiet); padding: .3rem .6rem;
  border-bottom: 1px solid var(--ink); vertical-align: bottom; }
td { text-align: right; padding: .38rem .6rem; border-bottom: 1px solid var(--rule); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
.yes { color: var(--good); font-weight: 600; } .no { color: var(--bad); font-weight: 600; }
code { font: .9em ui-monospace, "DejaVu Sans Mono", Consolas, monospace; }
footer { margin-top: 3.5rem; border-top: 1px solid var(--rule); padding-top: 1rem; color: var(--quiet);
  font-size: .9rem; }
@media print {
  html { background: #fff; color: #000; }
  figure, table { break-inside: avoid; } h2 { break-after: avoid; }
}
"""


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure with what it shows in words (for those who cannot see it) and its caption."""

    figure: Any
    alt: str
    caption: str
    narrow: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A small table; cells are text, and yes / no are coloured as well as written."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]


Part = str | Picture | Table


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and its parts: paragraphs (plain text), pictures, tables."""

    heading: str
    parts: Sequence[Part]


@dataclass(frozen=True, slots=True)
class Page:
    """The whole page."""

    over: str
    title: str
    lead: str
    sections: Sequence[Section]
    footer: str


def pictures(page: Page) -> list[Any]:
    """The figures of a page in their order."""
    return [part.figure for section in page.sections for part in section.parts if isinstance(part, Picture)]


def render(page: Page) -> str:
    """The page as HTML text."""
    counter = iter(range(1, 1000))
    body = "\n".join(_section(section, counter) for section in page.sections)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(page.title)}</title>\n<style>{STYLESHEET}</style>\n</head>\n<body>\n"
        f'<header><p class="over">{escape(page.over)}</p>\n<h1>{escape(page.title)}</h1>\n'
        f'<p class="lead">{_text(page.lead)}</p></header>\n<main>\n{body}\n</main>\n'
        f"<footer>{escape(page.footer)}</footer>\n</body>\n</html>\n"
    )


def _section(section: Section, counter: Any) -> str:
    parts = "\n".join(_part(part, counter) for part in section.parts)
    return f"<section>\n<h2>{escape(section.heading)}</h2>\n{parts}\n</section>"


def _part(part: Part, counter: Any) -> str:
    if isinstance(part, Picture):
        return _picture(part, next(counter))
    if isinstance(part, Table):
        return _table(part)
    return f"<p>{_text(part)}</p>"


def _text(words: str) -> str:
    """Escaped, and w = 0 is never broken over two lines."""
    return escape(words).replace(" = ", "\u00a0=\u00a0")


def _picture(picture: Picture, number: int) -> str:
    drawn = own_ids(svg(picture.figure), f"f{number}")
    drawn = drawn.replace("<svg ", f'<svg role="img" aria-label="{escape(picture.alt, quote=True)}" ', 1)
    kind = ' class="narrow"' if picture.narrow else ""
    caption = f"<figcaption>Figure {number}. {_text(picture.caption)}</figcaption>"
    return f'<figure{kind}><div class="paper">{drawn}</div>{caption}</figure>'


def own_ids(drawn: str, prefix: str) -> str:
    """Gives every id in a picture a prefix, and repeated ones a number, so that pictures can share a page."""
    seen: dict[str, int] = {}

    def renamed(match: re.Match[str]) -> str:
        name = match.group(1)
        seen[name] = seen.get(name, 0) + 1
        return f'id="{prefix}-{name}"' if seen[name] == 1 else f'id="{prefix}-{name}-again{seen[name]}"'

    drawn = re.sub(r'\bid="([^"]+)"', renamed, drawn)
    drawn = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", drawn)
    return re.sub(r'href="#([^"]+)"', rf'href="#{prefix}-\1"', drawn)


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.head)
    rows = "\n".join("<tr>" + "".join(_cell(cell) for cell in row) + "</tr>" for row in table.rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table></div>'


def _cell(text: str) -> str:
    kind = f' class="{text}"' if text in ("yes", "no") else ""
    return f"<td{kind}>{escape(text)}</td>"
