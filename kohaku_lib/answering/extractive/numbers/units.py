"""Parse units: known ones, scaled ones ("million liters"), and counted nouns."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache

from kohaku_lib.answering.extractive.text import term_of, tokens_of
from kohaku_lib.text.units import CARBON_DIOXIDE, MONEY, SCALES, Unit, find_unit, ratio_of


@lru_cache(maxsize=4096)
def parse_unit(text: str) -> Unit | None:
    """Return the unit named by `text`, a counted noun if it is not a known unit, None if it names nothing.

    >>> parse_unit("MWh").measure, parse_unit("gCO2e/kWh").measure, parse_unit("papers").measure
    ('energy', 'mass/energy', 'noun:paper')
    >>> parse_unit("million liters").factor
    1000000.0
    >>> parse_unit("is_blank") is None
    True
    """
    cleaned = _without_substance(text)
    if not cleaned or cleaned.lower() in {"is_blank", "na", "n/a", "none", "-"}:
        return None
    whole = find_unit(cleaned)
    if whole is not None:
        return whole
    parts = re.split(r"\s*/\s*|\s+per\s+", cleaned, maxsplit=1)
    if len(parts) == 2:
        return _parse_quotient(parts[0], parts[1])
    return _parse_scaled(cleaned) or _parse_noun(cleaned)


def convert(value: float, unit: Unit, target: Unit) -> float | None:
    """Return `value` converted to the unit `target`, None if the measures differ.

    >>> convert(1.2, parse_unit("GWh"), parse_unit("MWh"))
    1200.0
    >>> convert(3.0, parse_unit("hours"), parse_unit("kg")) is None
    True
    """
    if unit.measure != target.measure:
        return None
    return value if unit.size == target.size else float(f"{value * unit.factor / target.factor:.12g}")


def without_counted_denominator(unit: Unit) -> Unit:
    """Return `unit` without a counted noun in its denominator: "Wh per query" becomes energy.

    >>> [without_counted_denominator(parse_unit(text)).measure for text in ("Wh per query", "gCO2/kWh")]
    ['energy', 'mass/energy']
    """
    above, _, below = unit.measure.partition("/noun:")
    return Unit(above, unit.size) if below and not unit.is_noun else unit


def in_unit(value: float, unit: Unit, target: Unit) -> float | None:
    """Return `value` converted, of a rate its amount: "Wh per query" becomes energy, "€ per hour" money; None if they differ.

    >>> in_unit(16.5, parse_unit("EUR/hour"), parse_unit("EUR")), in_unit(2.0, parse_unit("Wh/query"), parse_unit("kWh"))
    (16.5, 0.002)
    """
    if target.measure in MONEY and unit.measure.startswith(f"{target.measure}/"):
        return value
    return convert(value, without_counted_denominator(unit), without_counted_denominator(target))


def in_sterling(unit: Unit | None, scale: float) -> Unit | None:
    """Return the unit of money for the pounds of "350 million pounds", any other unit as it is.

    >>> in_sterling(parse_unit("pounds"), 1e6).measure, in_sterling(parse_unit("pounds"), 1.0).measure
    ('gbp', 'mass')
    """
    return parse_unit("GBP") if unit is not None and unit.name == "lb" and scale >= _SCALE_OF_MONEY else unit


ABBREVIATED = r"(?:(?<=mio)\.|(?<=mrd)\.|(?<=tsd)\.)?"  # the point behind the name of a scale, ignoring case
_SCALE_OF_MONEY = 1e6  # nothing is weighed in millions of pounds
_SUBSTANCE = re.compile(r"\s+of\s+(?:water|electricity|energy|power|data)\b", re.IGNORECASE)
_GAS = re.compile(rf"[\s-]*(?:of\s+)?{CARBON_DIOXIDE}", re.IGNORECASE)
_SCALE_WORD = re.compile(rf"^(?P<scale>{'|'.join(SCALES)})s?{ABBREVIATED}\s+(?:of\s+)?(?P<unit>.+)$", re.IGNORECASE)
_WORD_SCALE = re.compile(rf"^(?P<unit>.+?)\s+(?P<scale>{'|'.join(SCALES)})s?$", re.IGNORECASE)  # "USD millions"
_REPLACEMENTS = (("₂", "2"), ("³", "3"), ("−", "-"), ("·", " "), ("(", " "), (")", " "), ("m^3", "m3"))


def _without_substance(text: str) -> str:
    for old, new in _REPLACEMENTS:
        text = text.replace(old, new)
    without_gas = _GAS.sub("", _SUBSTANCE.sub("", text)).strip(" .,;:")
    return re.sub(r"\s+", " ", without_gas).strip() or text.strip()


def _parse_scaled(text: str) -> Unit | None:
    match = _SCALE_WORD.match(text) or _WORD_SCALE.match(text)
    if match is None:
        return None
    scale = SCALES[match["scale"].lower()]
    inner = in_sterling(parse_unit(match["unit"]), scale)
    return inner and replace(inner, size=inner.size * Decimal(scale), name="")


def _parse_quotient(above: str, below: str) -> Unit | None:
    top, bottom = parse_unit(above), parse_unit(below)
    if top is None or bottom is None:
        return None
    return replace(ratio_of(top, bottom), size=top.size) if top.is_noun else ratio_of(top, bottom)


def _parse_noun(text: str) -> Unit | None:
    words = [token for token in tokens_of(text) if not token.surface[0].isdigit()]
    return Unit("noun:" + " ".join(term_of(token.surface) for token in words)) if words else None
