"""The pages say what the code does: the protocol's table and examples, the wiring's pins."""

import re
from pathlib import Path

import pytest

import firmware_bridge
from firmware_bridge.frame import encode
from firmware_bridge.messages import BY_NAME, TABLE, pack, table_hash

BRIDGE = Path(firmware_bridge.__file__).parent
PROTOCOL = (BRIDGE / "PROTOCOL.md").read_text()
EXAMPLES = re.findall(r"^([A-Z_]+) seq=(\d+)(.*) -> ([0-9a-f ]+)$", PROTOCOL, re.MULTILINE)
WIRING = BRIDGE.parent / "docs" / "rig_wiring.md"
PINS = (BRIDGE / "firmware/mark1_rig/pins.h").read_text()


def test_every_message_is_in_the_table_as_it_is() -> None:
    for layout in TABLE:
        start = f"| 0x{layout.code:02x} | {layout.name} |"
        row = next(line for line in PROTOCOL.splitlines() if line.startswith(start))
        if layout.head:
            assert f"`{layout.head}` {layout.fields}" in row
        assert ("tail:" in row) == bool(layout.tail)
    assert f"The table's hash is 0x{table_hash():04x}" in PROTOCOL


def test_every_message_has_an_example() -> None:
    assert {name for name, *_ in EXAMPLES} == set(BY_NAME)


@pytest.mark.parametrize(("name", "seq", "words", "data"), EXAMPLES, ids=[example[0] for example in EXAMPLES])
def test_each_example_is_what_the_code_makes(name: str, seq: str, words: str, data: str) -> None:
    said = dict(word.split("=", 1) for word in words.split())
    tail = bytes.fromhex(said.pop("tail", ""))
    assert list(said) == BY_NAME[name].fields.split()
    head = [value.encode() if key == "word" else int(value) for key, value in said.items()]
    kind, payload = pack(name, *head, tail=tail)
    assert encode(kind, int(seq), payload, 0x1960).hex(" ") == data


def test_the_wiring_page_has_the_pins_of_the_sketch() -> None:
    text = WIRING.read_text()
    for board, part in zip(("Mega", "Uno"), PINS.split("#else")[:2], strict=True):
        section = text.split(f"## Pins of the {board}")[1].split("\n## ")[0]
        joined = part.replace("\\\n", "")
        for name, value in re.findall(r"#define (PINS?_\w+) +(.+?) *(?://.*)?$", joined, re.MULTILINE):
            numbers = re.findall(r"[A\d]\d*", value)
            row = next((line for line in section.splitlines() if line.startswith(f"| {name} |")), "")
            assert re.findall(r"[A\d]\d*", row.split("|")[2] if row else "") == numbers, f"{board} {name}"


def test_only_boards_whose_pins_are_given_are_named() -> None:
    main = (BRIDGE / "firmware/micropython/main.py").read_text()
    assert "Pico" in main and "## Pins of a Pico (main.py)" in WIRING.read_text()
    for text in (main, WIRING.read_text(), WIRING.with_name("rig.md").read_text()):
        assert "ESP32" not in text
