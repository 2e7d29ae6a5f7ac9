"""Show values of cells as their Excel number formats do."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import groupby
from math import isfinite
from typing import Literal, TypeAlias

CellValue: TypeAlias = str | bool | float | datetime.datetime | datetime.date | datetime.time | datetime.timedelta


def displayed(value: CellValue, number_format: str = "General") -> str:
    """Return `value` as `number_format` displays it in English; full dates are ISO dates, and years have four digits.

    Gaps and fills are left out, and so are a time of midnight and seconds of 0 beside a date. Numbers without a format
    have up to 15 digits. A value for which the format has no section is shown without a format.

    >>> [displayed(417, "00000"), displayed(4200, '"$"#,##0.00'), displayed(-2500, "#,##0_);(#,##0)"), displayed(12, '0" kg"')]
    ['00417', '$4,200.00', '(2,500)', '12 kg']
    >>> displayed(datetime.timedelta(hours=26, minutes=30), "[h]:mm"), displayed(datetime.date(2026, 1, 5), "dd.mm.yy")
    ('26:30', '2026-01-05')
    """
    sections = _sections(number_format)
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        section = next((one for one in sections if one.has("text")), None)
        shown = (
            value if section is None else _joined([value if kind == "text" else text for kind, text in section.parts])
        )
    elif isinstance(value, int | float):
        shown = _number(value, sections)
    else:
        shown = _moment(value, sections[0].parts)
    return " ".join(shown.split()) if "\n" not in shown else shown.strip()


_Kind: TypeAlias = Literal[
    "literal", "digit", "point", "comma", "percent", "exponent", "slash", "text", "general", "date", "half"
]
_Part: TypeAlias = tuple[_Kind, str]

_MOST_DIGITS = 30  # of the denominators and exponents that a format asks for; Excel allows fewer
_EXACT = Context(prec=400, rounding=ROUND_HALF_UP)
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|(?P<skipped>_.|\*.)|(?P<end>;)'
    r"|\[\$(?P<currency>[^\]-]*)[^\]]*\]|\[(?P<test>[<>=]+)(?P<bound>-?\d+(?:\.\d+)?)\]|\[(?P<elapsed>h+|m+|s+)\]|(?P<other>\[[^\]]*\])"
    r"|(?P<general>General)|(?P<half>AM/PM|A/P)|(?P<date>y+|m+|d+|h+|s+)|(?P<exponent>E[+-])|(?P<digit>[0#?])|(?P<sign>.)",
    re.IGNORECASE | re.DOTALL,
)
_SIGNS: dict[str, _Kind] = {".": "point", ",": "comma", "%": "percent", "/": "slash", "@": "text"}


@dataclass(frozen=True, slots=True)
class _Section:
    parts: tuple[_Part, ...]
    test: str = ""
    bound: float = 0.0

    def has(self, kind: _Kind) -> bool:
        return any(part[0] == kind for part in self.parts)

    def holds(self, value: float) -> bool:
        outcomes = {"<": value < self.bound, ">": value > self.bound, "=": value == self.bound}
        return (value != self.bound) if self.test == "<>" else any(outcomes[sign] for sign in self.test)


@lru_cache(maxsize=1024)
def _sections(number_format: str) -> tuple[_Section, ...]:
    sections: list[_Section] = []
    parts: list[_Part] = []
    test, bound = "", 0.0
    for token in [*_TOKEN.finditer(number_format), None]:
        kind = token.lastgroup if token is not None else "end"
        if token is None or kind == "end":
            sections.append(_Section(tuple(parts), test, bound))
            parts, test, bound = [], "", 0.0
        elif kind == "bound":
            test, bound = token["test"], float(token["bound"])
        elif kind in ("quoted", "escaped", "currency"):
            parts.append(("literal", token[kind]))
        elif kind == "sign":
            parts.append((_SIGNS.get(token["sign"], "literal"), token["sign"]))
        elif kind == "elapsed":
            parts.append(("date", token[0].lower()))
        elif kind in ("general", "half", "date", "exponent", "digit"):
            parts.append((kind, token[kind]))
    return tuple(sections)


def _joined(texts: Sequence[str]) -> str:
    return "".join(texts)


def _general(value: float | Decimal) -> str:
    return f"{value:.15g}"


def _number(value: float, sections: Sequence[_Section]) -> str:
    if not isfinite(value):
        return _general(value)
    section = _section_of(value, [one for one in sections[:3] if not one.has("text")])
    if section is None:
        return _general(value)
    own_sign = value < 0 and section is not sections[0] and (not section.test or section.bound <= 0)
    exact = abs(Decimal(_general(value)))
    shown = _unsigned(exact, section.parts)
    is_zero = section.has("digit") and not re.search(r"[1-9]", shown)
    return shown if value >= 0 or own_sign or is_zero else f"-{shown}"


def _section_of(value: float, sections: Sequence[_Section]) -> _Section | None:
    if any(one.test for one in sections):
        return next((one for one in sections if not one.test or one.holds(value)), None)
    if value < 0 and len(sections) > 1:
        return sections[1]
    return sections[2] if value == 0 and len(sections) > 2 else next(iter(sections), None)


def _unsigned(value: Decimal, parts: Sequence[_Part]) -> str:
    kinds = [kind for kind, _ in parts]
    if "digit" not in kinds:
        return _joined([_general(value) if kind == "general" else text for kind, text in parts])
    value = _EXACT.scaleb(value, 2 * kinds.count("percent"))
    slash = _slash_of_fraction(parts)
    if slash is not None:
        return _fraction(value, parts, slash)
    end = kinds.index("exponent") if "exponent" in kinds else len(parts)
    if end < len(parts):
        return _scientific(value, parts, end)
    return _decimal(value, parts)


def _decimal(value: Decimal, parts: Sequence[_Part]) -> str:
    """Return `value` with a digit for each placeholder; the leftmost takes all digits that are left."""
    digits = [at for at, (kind, _) in enumerate(parts) if kind == "digit"]
    point = next((at for at, (kind, _) in enumerate(parts) if kind == "point"), len(parts))
    before, after = [at for at in digits if at < point], [at for at in digits if at > point]
    commas = [at for at, (kind, _) in enumerate(parts) if kind == "comma"]
    scale = sum(at > digits[-1] or (bool(before) and before[-1] < at < point) for at in commas)
    is_grouped = bool(before) and any(before[0] < at < before[-1] for at in commas)
    rounded = _EXACT.quantize(_EXACT.scaleb(value, -3 * scale), Decimal(1).scaleb(-len(after)))
    whole, _, decimals = f"{rounded:f}".partition(".")
    least = max((place for place, at in enumerate(after, 1) if parts[at][1] == "0"), default=0)
    decimals = decimals[:least] + decimals[least:].rstrip("0")
    zeros = [at for at in before if parts[at][1] == "0"]
    whole = whole.lstrip("0").rjust(len(before) - before.index(zeros[0]) if zeros else 0, "0")
    shown = {at: text for at, (kind, text) in enumerate(parts) if kind not in ("digit", "comma")}
    if not decimals:
        shown.pop(point, None)
    for place, at in enumerate(after):
        shown[at] = decimals[place : place + 1]
    for place, at in enumerate(reversed(before)):
        taken = whole if at == before[0] else whole[-1:]
        whole = whole[: len(whole) - len(taken)]
        shown[at] = _grouped(taken, place) if is_grouped else taken
    if not before and whole:
        shown[point] = whole + shown.get(point, "")
    return _joined([shown.get(at, "") for at in range(len(parts))])


def _grouped(digits: str, place: int) -> str:
    """Return `digits`, the last of which stands `place` digits before the point, with commas behind thousands."""
    places = range(place + len(digits) - 1, place - 1, -1)
    return _joined([digit + ("," if at and at % 3 == 0 else "") for digit, at in zip(digits, places, strict=True)])


def _scientific(value: Decimal, parts: Sequence[_Part], end: int) -> str:
    kinds = [kind for kind, _ in parts[:end]]
    point = kinds.index("point") if "point" in kinds else end
    step = max(kinds[:point].count("digit"), 1)
    places = kinds[point:].count("digit")
    power = value.adjusted() // step * step if value else 0
    mantissa = _EXACT.quantize(_EXACT.scaleb(value, -power), Decimal(1).scaleb(-places))
    if mantissa.adjusted() >= step:
        mantissa, power = _EXACT.scaleb(mantissa, -step), power + step
    sign = "-" if power < 0 else parts[end][1][1].replace("-", "")
    width = min(sum(kind == "digit" for kind, _ in parts[end:]), _MOST_DIGITS)
    tail = _joined([text for kind, text in parts[end + 1 :] if kind != "digit"])
    return (
        f"{_decimal(mantissa, parts[:end]) if 'digit' in kinds else ''}E{sign}{str(abs(power)).rjust(width, '0')}{tail}"
    )


def _slash_of_fraction(parts: Sequence[_Part]) -> int | None:
    for at, (kind, _) in enumerate(parts):
        below = parts[at + 1 : at + 2]
        if kind == "slash" and below and (below[0][0] == "digit" or below[0][1].isdecimal()):
            return at if any(part[0] == "digit" for part in parts[:at]) else None
    return None


def _fraction(value: Decimal, parts: Sequence[_Part], slash: int) -> str:
    runs = [(kind, [at for at, _ in run]) for kind, run in groupby(enumerate(parts[:slash]), lambda one: one[1][0])]
    digit_runs = [run for kind, run in runs if kind == "digit"]
    has_whole = len(digit_runs) > 1
    end = slash + 1
    while end < len(parts) and (parts[end][0] == "digit" or parts[end][1].isdecimal()):
        end += 1
    below = _joined([text for _, text in parts[slash + 1 : end]])
    fixed = int(below) if below.isdecimal() and int(below) and not below.startswith("0") else 0
    exact = Fraction(value)
    whole = exact.numerator // exact.denominator if has_whole else 0
    rest = exact - whole
    top = (
        Fraction(round(rest * fixed), fixed)
        if fixed
        else rest.limit_denominator(10 ** min(len(below), _MOST_DIGITS) - 1)
    )
    if has_whole and top == 1:
        whole, top = whole + 1, Fraction(0)
    written = f"{top * fixed}/{fixed}" if fixed else f"{top.numerator}/{top.denominator}"
    shown = f"{whole} {written}" if has_whole and whole and top else written if top or not has_whole else str(whole)
    start = digit_runs[0][0]
    return _joined([text for _, text in parts[:start]]) + shown + _joined([text for _, text in parts[end:]])


def _moment(
    value: datetime.datetime | datetime.date | datetime.time | datetime.timedelta, parts: Sequence[_Part]
) -> str:
    fields = _date_fields(parts)
    names = {name[0] for name in fields if name}
    if isinstance(value, datetime.timedelta):
        seconds = round(abs(value).total_seconds())
        sign = "-" if value.total_seconds() < 0 else ""
        start = datetime.datetime(1900, 1, 1) + datetime.timedelta(seconds=seconds % 86400)
        return sign + _rendered(start, parts, fields, seconds) if "[" in names else str(value)
    if isinstance(value, datetime.time):
        if names & set("ymd") or not names:
            return value.isoformat()
        value = datetime.datetime.combine(datetime.date(1900, 1, 1), value)
    elif not isinstance(value, datetime.datetime):
        value = datetime.datetime.combine(value, datetime.time())
    is_full = names >= set("ymd") and any(name in ("d", "dd") for name in fields)
    if not is_full and names:
        return _rendered(value, parts, fields, value.hour * 3600 + value.minute * 60 + value.second)
    has_time = not names or bool(names & set("hMs["))
    if not has_time or value.time() == datetime.time():
        return value.date().isoformat()
    return value.isoformat(" ", "seconds" if value.second else "minutes")


def _date_fields(parts: Sequence[_Part]) -> list[str]:
    """Return the field of each part, "" for others: y, m, d, h and s as in the format, but M for minutes."""
    fields = [text.lower() if kind == "date" else "" for kind, text in parts]
    named = [at for at, field in enumerate(fields) if field]
    for place, at in enumerate(named):
        before = fields[named[place - 1]] if place else ""
        after = fields[named[place + 1]] if place + 1 < len(named) else ""
        if fields[at] in ("m", "mm") and ("h" in before or "s" in after):
            fields[at] = fields[at].upper()
    return fields


def _rendered(value: datetime.datetime, parts: Sequence[_Part], fields: Sequence[str], seconds: int) -> str:
    is_half = any(kind == "half" for kind, _ in parts)
    hour = (value.hour % 12 or 12) if is_half else value.hour
    names = {
        "mmm": f"{value:%b}",
        "mmmm": f"{value:%B}",
        "mmmmm": f"{value:%b}",
        "ddd": f"{value:%a}",
        "dddd": f"{value:%A}",
    }
    numbers = {"m": value.month, "d": value.day, "h": hour, "M": value.minute, "s": value.second}
    elapsed = {"h": seconds // 3600, "m": seconds // 60, "s": seconds}
    shown: list[str] = []
    for (kind, text), field in zip(parts, fields, strict=True):
        if field.startswith("["):
            shown.append(str(elapsed[field[1]]).rjust(len(field) - 2, "0"))
        elif field.startswith("y"):
            shown.append(f"{value.year:04}")
        elif field:
            shown.append(names.get(field) or str(numbers[field[0]]).rjust(min(len(field), 2), "0"))
        elif kind == "half":
            shown.append("AM" if value.hour < 12 else "PM")
        elif kind in ("literal", "slash", "comma", "point"):
            shown.append(text)
    return _joined(shown).strip(" .")
