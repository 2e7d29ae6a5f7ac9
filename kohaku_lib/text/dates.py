"""Dates and months in one spelling, so that "2025-03", "Mar-25" and "März 2025" are the same words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kohaku_lib.text.equal_signs import with_equal_signs

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PlainDates:
    """A text with its dates rewritten, and for each rewritten date its span there and in the original."""

    text: str
    changes: tuple[tuple[tuple[int, int], tuple[int, int]], ...]

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original that `start` to `end` stands for; a date that it touches is taken whole."""
        return _original(self.changes, start, is_end=False), _original(self.changes, end, is_end=True)

    def plain_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the rewritten text for `start` to `end` of the original; dates are taken whole."""
        swapped = [(old, new) for new, old in self.changes]
        return _original(swapped, start, is_end=False), _original(swapped, end, is_end=True)


def plain_dates(text: str, is_day_first: bool | None = None) -> PlainDates:
    """Return `text` in equal signs, with each date as "14 March 2025" and each month of a year as "March 2025".

    Read are ISO dates, dates with dots (day first), with slashes where one number is above 12, months by name or
    abbreviation in English and German before a year of four digits or two ("Apr-25"), and "2025-03", "03/2025". A date
    that can be read in two ways, such as 03/04/2025, is left as it is unless `is_day_first` tells the order. Of dates
    without a year only German ones are rewritten, whose point would end a sentence: "am 3. Mai".

    >>> plain_dates("from 2025-03-14 to Apr-25; 07/21/2016, 1. März ２０２４, May 9, 2024, 03/04/2025").text
    'from 14 March 2025 to April 2025; 21 July 2016, 1 March 2024, 9 May 2024, 03/04/2025'
    >>> plain_dates("bis zum 3. Mai oder am 18. August; we need 2. May we go?").text
    'bis zum 3 May oder am 18 August; we need 2. May we go?'
    >>> plain_dates("03/04/2025", is_day_first=True).text, plain_dates("03/04/2025", is_day_first=False).text
    ('3 April 2025', '4 March 2025')
    """
    text = with_equal_signs(text)
    pieces: list[str] = []
    changes: list[tuple[tuple[int, int], tuple[int, int]]] = []
    done = length = 0
    for match in _DATE.finditer(text):
        plain = _plain(match, is_day_first)
        if plain is None or plain == match[0]:
            continue
        pieces += text[done : match.start()], plain
        length += match.start() - done
        changes.append(((length, length + len(plain)), match.span()))
        length += len(plain)
        done = match.end()
    return PlainDates("".join([*pieces, text[done:]]), tuple(changes))


def day_comes_first(texts: Iterable[str]) -> bool | None:
    """Return whether dates with slashes have the day first, as those show whose one number is above 12; None if none or both do.

    >>> day_comes_first(["02/05/2026", "24/04/2026"]), day_comes_first(["02/05/2026"]), day_comes_first(["04/24/2026"])
    (True, None, False)
    """
    dates = [match for text in texts for match in _DATE.finditer(with_equal_signs(text)) if match["a3"]]
    orders = {_is_day_first(match) for match in dates if (int(match["a3"]) > 12) != (int(match["b3"]) > 12)}
    return orders.pop() if len(orders) == 1 else None


def _is_day_first(match: re.Match[str]) -> bool:
    return int(match["a3"]) > 12


_NUMBERS = {name[:3].lower(): number for number, name in enumerate(MONTHS, 1)} | {
    "mär": 3, "mai": 5, "okt": 10, "dez": 12,
}  # fmt: skip
MONTH_NAME = (
    r"(?:jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch)?|mär(?:z)?|apr(?:il)?|may|mai|june?|juni|july?|juli|aug(?:ust)?"
    r"|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?)"
)
_YEAR = r"(?:19|20)\d\d"
_GERMAN = (
    rf"(?:{'|'.join(rf'(?<={word} )' for word in ('am', 'ab', 'bis', 'vom', 'zum', 'dem', 'den', 'der', 'seit'))})"
)
_DATE = re.compile(
    rf"(?<![\w./-])(?:"
    rf"(?P<y1>{_YEAR})-(?P<m1>\d\d)(?:-(?P<d1>\d\d))?"
    rf"|(?P<d2>\d\d?)\.(?P<m2>\d\d?)\.(?P<y2>{_YEAR})"
    rf"|(?P<a3>\d\d?)/(?P<b3>\d\d?)/(?P<y3>{_YEAR})"
    rf"|(?P<m4>\d\d)/(?P<y4>{_YEAR})"
    rf"|(?P<d5>\d\d?)(?:\.|st|nd|rd|th)?\s(?:of\s)?(?P<n5>{MONTH_NAME})\.?,?\s(?P<y5>{_YEAR})"
    rf"|(?P<n6>{MONTH_NAME})\.?\s(?P<d6>\d\d?)(?:st|nd|rd|th)?,?\s(?P<y6>{_YEAR})"
    rf"|(?P<n7>{MONTH_NAME})\.?(?:\s|-|,\s|\sof\s)(?P<y7>{_YEAR})"
    rf"|(?P<n8>{MONTH_NAME})[-'’](?P<y8>\d\d)"
    rf"|(?P<d9>\d\d?)\.\s(?P<n9>januar|februar|märz|mai|juni|juli|oktober|dezember)\b"
    rf"|{_GERMAN}(?P<d0>\d\d?)\.\s(?P<n0>april|august|september|november)\b"
    rf")(?![\w/]|[.-]\d)",
    re.IGNORECASE,
)


def _plain(match: re.Match[str], is_day_first: bool | None) -> str | None:
    found = {name[0]: value for name, value in match.groupdict().items() if value is not None}
    written = found.get("y", "")
    year = f"20{written}" if len(written) == 2 else written
    if "n" in found:
        month, day = _NUMBERS[found["n"][:3].lower()], int(found.get("d", 0))
    elif "a" in found:
        first, second = int(found["a"]), int(found["b"])
        is_read = _is_day_first(match) if (first > 12) != (second > 12) else is_day_first
        if is_read is None:
            return None
        day, month = (first, second) if is_read else (second, first)
    else:
        month, day = int(found["m"]), int(found.get("d", 0))
    if not 1 <= month <= 12 or day > 31:
        return None
    return f"{day or ''} {MONTHS[month - 1]} {year}".strip()


def _original(changes: Sequence[tuple[tuple[int, int], tuple[int, int]]], place: int, *, is_end: bool) -> int:
    shift = 0
    for (low, high), (old_low, old_high) in changes:
        if place <= low:
            break
        if place < high or (place == high and is_end):
            return old_high if is_end else old_low
        shift = old_high - high
    return place + shift
