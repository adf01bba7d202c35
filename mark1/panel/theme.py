"""Colours and sizes. One colour, one meaning: docs/colours.md is the table, a test compares the two.

Modelled on period photographs: light grey enamelled steel, black bezels, warm incandescent lamps, ivory meter faces.
The exact shades are chosen. Sizes are given in units of a 1080-line screen and scaled by the layout.
"""

from typing import NamedTuple

Colour = tuple[int, int, int]


class Theme(NamedTuple):
    """Every colour on the panel, by what it means."""

    frame: Colour = (134, 138, 132)  # the rack that carries the plates
    enamel: Colour = (203, 205, 197)  # a plate
    enamel_light: Colour = (226, 228, 221)
    enamel_dark: Colour = (160, 163, 155)
    engraved: Colour = (24, 25, 23)  # lettering cut into enamel
    engraved_soft: Colour = (62, 64, 59)  # secondary lettering
    bezel: Colour = (22, 22, 21)
    field: Colour = (11, 11, 11)  # behind lamps and dials
    ivory: Colour = (240, 234, 214)  # meter faces, keys, needles
    ivory_shade: Colour = (206, 198, 172)
    ink: Colour = (26, 26, 24)  # print on ivory
    chalk: Colour = (247, 246, 240)  # a drawing on the card
    lamp: Colour = (255, 190, 74)  # fires, or is lit
    lamp_hot: Colour = (255, 243, 200)
    motor: Colour = (250, 250, 250)  # a motor runs
    needle: Colour = (244, 240, 226)
    excitatory: Colour = (255, 190, 74)
    inhibitory: Colour = (110, 180, 232)  # an inhibitory wire
    record: Colour = (132, 62, 14)  # the recorder's pen: learning so far
    bound: Colour = (26, 26, 24)
    right: Colour = (24, 98, 52)
    wrong: Colour = (158, 28, 24)
    undecided: Colour = (112, 78, 6)
    silent: Colour = (70, 72, 70)  # no answer
    focus: Colour = (0, 84, 166)  # where the keyboard is
    pulled: Colour = (52, 52, 50)


THEME = Theme()
TEXT = 22  # smallest lettering, in units of a 1080-line screen
LABEL = 25
TITLE = 27
TARGET = 72  # smallest touch target


def luminance(colour: Colour) -> float:
    """Relative luminance, as the accessibility guidelines define it."""

    def linear(channel: int) -> float:
        c = channel / 255
        return c / 12.92 if c <= 0.04045 else float(((c + 0.055) / 1.055) ** 2.4)

    red, green, blue = (linear(c) for c in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Colour, other: Colour) -> float:
    """Contrast ratio of two colours, 1 to 21."""
    a, b = sorted((luminance(one), luminance(other)))
    return (b + 0.05) / (a + 0.05)


def mix(one: Colour, other: Colour, share: float) -> Colour:
    """one with a share of other."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue
