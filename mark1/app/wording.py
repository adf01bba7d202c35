"""Numbers of things in words."""


def count(number: int, word: str) -> str:
    """1 card, 2 cards, 1,000 classes, 3 passes."""
    plural = word + ("es" if word.endswith("s") else "s")
    return f"{number:,} {word if number == 1 else plural}"
