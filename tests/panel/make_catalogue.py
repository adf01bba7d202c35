"""Brings the catalogues up to date: python tests/panel/make_catalogue.py. Translations that exist are kept."""

import json
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2])]

from panel_strings import strings  # noqa: E402

from mark1.panel.words import LOCALE, read_po  # noqa: E402


def write(language: str, known: dict[str, str]) -> None:
    """One .po file; a missing translation is empty, so English is shown."""
    head = f'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\nLanguage: {language}\\n"\n'
    entries = [f"msgid {_quoted(text)}\nmsgstr {_quoted(known.get(text, ''))}\n" for text in sorted(strings())]
    (LOCALE / f"{language}.po").write_text("\n".join([head, *entries]), encoding="utf-8")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


if __name__ == "__main__":
    for name in ("en", "de"):
        path = LOCALE / f"{name}.po"
        write(name, read_po(path.read_text(encoding="utf-8")) if path.exists() else {})
