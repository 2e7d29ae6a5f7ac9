"""Units adjacent to a number."""

from __future__ import annotations

import re

from kohaku_lib.answering.extractive.numbers.units import parse_unit
from kohaku_lib.text.units import CURRENCY_SIGNS, Unit


def unit_at(text: str, end: int) -> tuple[Unit | None, int]:
    """Return the unit after a number that ends at `end` and the unit's end; None and `end` if there is none.

    The raised mark of a note between them is passed over, as in "250⁹ °C".

    >>> unit, end = unit_at("3 kg of it", 1)
    >>> unit.name, end
    ('kg', 4)
    >>> unit_at("28 € und 3 Tage", 2)[0].name, unit_at("28 € und 3 Tage", 10)[0].name
    ('EUR', 'day')
    """
    mark = _NOTE_MARK.match(text, end)
    for pattern in (_WORD_UNIT, _SYMBOL_UNIT):
        match = pattern.match(text, mark.end() if mark else end)
        if match is None:
            continue
        unit = parse_unit(_QUALIFIER.sub("", match.group().strip(" -.")))
        if unit is not None and not unit.is_noun:
            return unit, match.end()
    return None, end


def currency_at(text: str, end: int, sign: str) -> tuple[Unit | None, int]:
    """Return the unit of an amount of money that ends at `end` and the unit's end, including a denominator as in "$3/hour"."""
    per = _PER_UNIT.match(text, end)
    unit = parse_unit(f"{sign}{per.group()}") if per and per.group() else None
    if per is not None and unit is not None and "noun:" not in unit.measure:
        return unit, per.end()
    return parse_unit(sign), end


def is_symbol_at(text: str, start: int) -> bool:
    """Return whether a unit symbol begins at `start`, so that the letter is not a suffix for thousands or millions."""
    return _SYMBOL_UNIT.match(text, start) is not None


_NOTE_MARK = re.compile(r"[⁰¹²³⁴-⁹]{1,2}")
_GAS_TAIL = (
    r"(?:\s?-?\s?(?:of\s+)?(?:CO\s?[2₂]\s?-?\s?(?:eq(?:uivalents?)?|e)?\b|carbon dioxide(?: equivalents?)?|"
    r"(?:water|electricity|energy|power|data)\b))?"
)
_PER = r"(?:\s?/\s?[A-Za-z]+[\d²³]?(?:CO2e?)?|\s+per\s+[A-Za-z]+(?:[- ]hours?)?)?"
_PER_UNIT = re.compile(_PER)
_MONEY = "|".join(map(re.escape, sorted(CURRENCY_SIGNS, key=len, reverse=True)))
_SYMBOL_UNIT = re.compile(
    rf"\s?-?(?:net |gross )?((?:%|×|[x×X](?!\w|\.\d)|[µμnmkKMGTPE]?(?:Wh|WH|wh|W|J|Hz|bps|FLOPS|FLOPs?)|"
    rf"[kKMGTP]B|[mkKM]?g|[kKMG]?t|[munµμ]?s|lbs?|hrs?|h|m[lL]|[ML]?L|l(?!['’])|[KMGT]iB|[KMGT]b|ppm|°C|{_MONEY}|"
    rf"(?:[kcm]?m|ft|mi)\^?[²2]|(?:c?m|ft)\^?[³3]|ha|km|cm|nm|mm|m)"
    rf"(?:{_GAS_TAIL}))(?![A-Za-z0-9(_^²³]){_PER}"
)
_WORD_UNIT = re.compile(
    r"(?:\s?-|\s)?(?:net |gross )?((?:(?:percentage points?|percent|per cent|(?:metric )?ton(?:ne)?s?|kilotons?|"
    r"megaton(?:ne)?s?|pounds?|(?:kilo|milli|micro)?gram(?:me)?s?|kilos?|"
    r"(?:(?:kilo|mega|giga|tera|milli)?watt[- ]?hours?)|(?:kilo|mega|giga|tera|milli)?watts?|(?:kilo|mega|giga|"
    r"milli)?joules?|"
    r"(?:milli|micro|nano)?seconds?|minutes?|mins?|hours?|days?|weeks?|months?|years?|(?:milli|mega|"
    r"giga)?lit(?:er|re)s?|gallons?|"
    r"cubic (?:centi)?met(?:er|re)s?|cubic (?:foot|feet)|kubikmeter|ccm|"
    r"square (?:kilo|centi)?met(?:er|re)s?|square (?:foot|feet|miles?)|sq\.? ?(?:k?m|ft)|sqm|qm|quadrat(?:kilo)?meter|"
    r"hectares?|hektar|acres?|(?:kilo|mega|giga|tera|peta)?(?:bytes?|bits?)|(?:kilo)?met(?:er|re)s?|miles?|feet|"
    r"tage?n?|wochen?|monate?n?|jahre?n?|stunden?|minuten?|sekunden?|prozent|(?:kilo)?gramm|tonnen?|"
    r"times|fold|euros?|(?:US )?dollars?|(?:swiss )?francs?|(?:schweizer )?franken|degrees celsius|grad celsius)"
    rf"(?:{_GAS_TAIL}))\b{_PER})",
    re.IGNORECASE,
)
_QUALIFIER = re.compile(r"^(?:net|gross) ", re.IGNORECASE)
