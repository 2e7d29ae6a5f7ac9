"""The scale of a bare number, from the words of the answer text."""

from __future__ import annotations

import re

from kohaku_lib.text.units import unit_name
from kohaku_lib.values.parsing import parse_value

_SCALE = r"(?:thousand|million|billion|trillion)"
_CURRENCIES = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY"}


def scale_by_words(value: str, answer: str, unit: str | None) -> str:
    """Return `value` in full if `answer` writes it with a scale word and the expected `unit`; else unchanged.

    A model that returns "4.7" and writes "4.7 million liters" means 4700000 if the value is expected in liters.
    The value is unchanged if the expected unit is unknown or names a scale itself.

    >>> answer = "It takes 4.7 million liters of water."
    >>> scale_by_words("4.7", answer, "liters"), scale_by_words("4.7", answer, "million liters")
    ('4700000', '4.7')
    """
    if not unit or re.search(rf"\b{_SCALE}s?\b", unit, re.IGNORECASE) or parse_value(value).kind != "number":
        return value
    scaled_value = rf"(?P<money>[$€£¥]?)(?<![\d.,]){re.escape(value)}\s(?P<scale>{_SCALE})\b\s*(?P<rest>[^.,;()]*)"
    for match in re.finditer(scaled_value, answer, re.IGNORECASE):
        currency = _CURRENCIES.get(match["money"])
        if (currency and currency == unit_name(unit)) or _begins_with(match["rest"], unit):
            return parse_value(f"{value} {match['scale']}").text
    return value


def _begins_with(words: str, unit: str) -> bool:
    """Return whether `words` begin with the unit, in any spelling."""
    name, parts = unit_name(unit), words.split()
    heads = {" ".join(parts[:count]) for count in range(1, 5)}
    same_words = unit.lower().removesuffix("s") in {head.lower().removesuffix("s") for head in heads}
    return same_words or (name is not None and name in {unit_name(head) for head in heads})
