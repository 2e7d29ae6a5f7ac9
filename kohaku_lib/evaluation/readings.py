"""Values that say the same although they are written in another scale or in other words."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from kohaku_lib.values import group_equal, parse_value, voting_key

_POWERS = (3, 6, 9, 12)  # thousand, million, billion, trillion
_LEAST_DIGITS = 3  # that two numbers share before a power of ten between them is no chance
_PERCENT = re.compile(r"%|\bper ?cent|\bpercentage|\bfraction|\bproportion|\bshare", re.IGNORECASE)
_KIND_OF_THING = re.compile(
    r"algorithm|approach|benchmark|data|database|dataset|framework|library|method|metric|model|paper|set|suite|system"
    r"|technique|tool|toolkit"
)


def group_readings(values: Sequence[str], unit: str = "") -> list[list[int]]:
    """Return groups of positions whose values say the same, by first appearance.

    Beyond values that agree: numbers with three digits or more in common that differ by a thousand, million, billion
    or trillion; a percentage and its fraction, where `unit` is of that sort; names but for hyphens, plurals and a word
    for the kind of thing; a name and its initials.

    >>> group_readings(["5.439", "5439000", "7"]), group_readings(["55.6", "0.556"], "percent")
    ([[0, 1], [2]], [[0, 1]])
    >>> group_readings(["ML.ENERGY Benchmark", "ML.ENERGY", "WUE", "water usage effectiveness"])
    [[0, 1], [2, 3]]
    """
    groups: list[list[int]] = []
    for found in group_equal(values):
        home = next((group for group in groups if _same_reading(values[group[0]], values[found[0]], unit)), None)
        if home is None:
            groups.append(found)
        else:
            home.extend(found)
    return [sorted(group) for group in groups]


def _same_reading(first: str, second: str, unit: str) -> bool:
    left, right = parse_value(first), parse_value(second)
    if left.kind == right.kind == "text":
        return _same_name(first, second)
    if left.kind != "number" or right.kind != "number" or not left.low or not right.low:
        return False
    return _same_digits(left.low, right.low, bool(_PERCENT.search(unit)))


def _same_digits(first: float, second: float, percent: bool) -> bool:
    small, large = sorted((first, second), key=abs)
    if percent and abs(small) < 1.0 and math.isclose(small * 100, large, rel_tol=1e-3):
        return True
    shared = min(_digits(small), _digits(large))
    return shared >= _LEAST_DIGITS and any(math.isclose(small * 10**power, large, rel_tol=1e-9) for power in _POWERS)


def _digits(number: float) -> int:
    return len(f"{abs(number):.15g}".split("e")[0].replace(".", "").strip("0"))


def _same_name(first: str, second: str) -> bool:
    left, right = _words(first), _words(second)
    if left == right:
        return bool(left)
    return _initials(left, right) or _initials(right, left)


def _words(name: str) -> list[str]:
    words = [word.removesuffix("s") if len(word) > 3 else word for word in re.split(r"[\s\-_/]+", voting_key(name))]
    return words[:-1] if len(words) > 1 and _KIND_OF_THING.fullmatch(words[-1]) else words


def _initials(short: Sequence[str], words: Sequence[str]) -> bool:
    return len(short) == 1 and len(words) > 1 and short[0] == "".join(word[:1] for word in words)
