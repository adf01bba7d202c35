"""Words: every string of the panel goes through a gettext catalogue, English msgids, one .po file per language.

The .po files are read directly, so that there is nothing to compile and the first frame does not wait.
Language 'long' is a test mode: every string doubled, to see what a longer language would do to the layout.
"""

from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

LOCALE = Path(__file__).parent / "locale"
LONG = "long"
COMMA = ("de",)  # languages that write 5.120 and 0,10
SWAPPED = str.maketrans(",.", ".,")


class Words:
    """words('{n} cells lit', n=94) in the chosen language."""

    def __init__(self, language: str = "en") -> None:
        self.language = language
        self._messages = dict(catalogue(language))
        self._numbers = _Numbers(language in COMMA)

    def __call__(self, text: str, **fields: object) -> str:
        translated = self._messages.get(text) or text
        if self.language == LONG:
            translated = _lengthened(translated)
        return self._numbers.vformat(translated, (), fields) if fields else translated


class _Numbers(Formatter):
    """Fields as Python writes them; numbers with the language's comma and point."""

    def __init__(self, comma: bool) -> None:
        self._comma = comma

    def format_field(self, value: Any, format_spec: str) -> str:
        """5,120 and 0.10, or 5.120 and 0,10."""
        text: str = super().format_field(value, format_spec)
        return text.translate(SWAPPED) if self._comma and format_spec and not isinstance(value, str) else text


def _lengthened(text: str) -> str:
    """Twice as long, with the same fields; single letters and numbers stay."""
    plain = text.replace("{", "").replace("}", "")
    return text if len(plain) < 2 else f"{text} {plain[: len(plain) - 1]}"


def languages() -> list[str]:
    """Languages that have a catalogue."""
    return sorted(path.stem for path in LOCALE.glob("*.po"))


@cache
def catalogue(language: str) -> tuple[tuple[str, str], ...]:
    """The messages of a .po file; an unknown language has none, so English is shown."""
    path = LOCALE / f"{language}.po"
    return tuple(read_po(path.read_text(encoding="utf-8")).items()) if path.exists() else ()


def read_po(text: str) -> dict[str, str]:
    """msgid -> msgstr of the simple .po files that we write: no plurals, no contexts."""
    import json  # a quoted string of a .po file is one of JSON too; not needed for English

    messages: dict[str, str] = {}
    part, entry = "", {"msgid": "", "msgstr": ""}
    for line in [*text.splitlines(), 'msgid ""']:
        line = line.strip()
        if line.startswith("msgid "):
            if entry["msgid"]:
                messages[entry["msgid"]] = entry["msgstr"]
            entry = {"msgid": "", "msgstr": ""}
        if line.startswith(("msgid ", "msgstr ")):
            part, line = line.split(" ", 1)
        if line.startswith('"') and part:
            entry[part] += json.loads(line)
    return messages
