"""Write numbers in the formats of Word's lists."""

from __future__ import annotations

from collections.abc import Callable

_ROMAN = (
    (1000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
    (10, "x"),
    (9, "ix"),
    (5, "v"),
    (4, "iv"),
    (1, "i"),
)


def formatted_number(number: int, name: str) -> str:
    """Return a number in the format of a name of `w:numFmt`; formats in other scripts are written in digits.

    >>> [formatted_number(28, name) for name in ("decimal", "decimalZero", "upperLetter", "lowerRoman", "ordinal")]
    ['28', '28', 'BB', 'xxviii', '28th']
    >>> formatted_number(3, "none")
    ''
    """
    return _FORMATS.get(name, str)(number)


def _letters(number: int) -> str:
    """Return a to z, then aa, bb and so on, as Word counts, and digits where that would be too long to read."""
    if not 0 < number <= 780:
        return str(number)
    return chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)


def _roman(number: int) -> str:
    if not 0 < number < 4000:
        return str(number)
    text = ""
    for value, numeral in _ROMAN:
        count, number = divmod(number, value)
        text += numeral * count
    return text


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


_FORMATS: dict[str, Callable[[int], str]] = {
    "none": lambda _: "",
    "decimalZero": lambda number: f"{number:02}",
    "lowerLetter": _letters,
    "upperLetter": lambda number: _letters(number).upper(),
    "lowerRoman": _roman,
    "upperRoman": lambda number: _roman(number).upper(),
    "ordinal": _ordinal,
}
