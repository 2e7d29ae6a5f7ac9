"""A small table of units: what a unit measures, and exact conversion within one kind of measure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from kohaku_lib.answering.reader.text import stem_of, tokens_of


@dataclass(frozen=True, slots=True)
class Unit:
    """What is measured ("energy", "mass/energy", "noun:paper") and how many base units one of it is."""

    measure: str
    factor: float = 1.0

    @property
    def is_noun(self) -> bool:
        """Say whether this counts things instead of measuring by a known scale."""
        return self.measure.startswith("noun:")


@lru_cache(maxsize=4096)
def parse_unit(text: str) -> Unit | None:
    """Return the unit that `text` names, a counting noun where no table knows it, None where it names nothing.

    >>> parse_unit("MWh"), parse_unit("gCO2e/kWh").measure, parse_unit("papers")
    (Unit(measure='energy', factor=3600000000.0), 'mass/energy', Unit(measure='noun:paper', factor=1.0))
    >>> parse_unit("million liters").factor
    1000000.0
    >>> parse_unit("is_blank") is None
    True
    """
    cleaned = _plain(text)
    if not cleaned or cleaned.lower() in {"is_blank", "na", "n/a", "none", "-"}:
        return None
    whole = _simple(cleaned)
    if whole is not None:
        return whole
    parts = re.split(r"\s*/\s*|\s+per\s+", cleaned, maxsplit=1)
    if len(parts) == 2:
        return _quotient(parts[0], parts[1])
    return _scaled(cleaned) or _noun(cleaned)


def convert(value: float, unit: Unit, asked: Unit) -> float | None:
    """Return `value` in the asked unit, or None where the two do not measure the same.

    >>> convert(1.2, parse_unit("GWh"), parse_unit("MWh"))
    1200.0
    >>> convert(3.0, parse_unit("hours"), parse_unit("kg")) is None
    True
    """
    if unit.measure != asked.measure:
        return None
    return value if unit.factor == asked.factor else float(f"{value * unit.factor / asked.factor:.12g}")


def without_counted(unit: Unit) -> Unit:
    """Return `unit` without what it counts below the line, so that "Wh per query" is energy.

    >>> without_counted(parse_unit("Wh per query")).measure, without_counted(parse_unit("gCO2/kWh")).measure
    ('energy', 'mass/energy')
    """
    above, _, below = unit.measure.partition("/noun:")
    return Unit(above, unit.factor) if below and not unit.is_noun else unit


_PREFIXES = {"n": 1e-9, "µ": 1e-6, "μ": 1e-6, "m": 1e-3, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
_LONG_PREFIXES = {
    "nano": 1e-9,
    "micro": 1e-6,
    "milli": 1e-3,
    "kilo": 1e3,
    "mega": 1e6,
    "giga": 1e9,
    "tera": 1e12,
    "peta": 1e15,
    "exa": 1e18,
}
SCALES = {
    "hundred": 1e2,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "trillion": 1e12,
    "mn": 1e6,
    "bn": 1e9,
}
# symbol -> (measure, factor to the base, takes SI prefixes)
_SYMBOLS: dict[str, tuple[str, float, bool]] = {
    "Wh": ("energy", 3600.0, True),
    "wh": ("energy", 3600.0, True),
    "WH": ("energy", 3600.0, True),
    "J": ("energy", 1.0, True),
    "W": ("power", 1.0, True),
    "g": ("mass", 1.0, True),
    "t": ("mass", 1e6, True),
    "mt": ("mass", 1e6, False),
    "MT": ("mass", 1e6, False),
    "lb": ("mass", 453.59237, False),
    "s": ("time", 1.0, True),
    "h": ("time", 3600.0, False),
    "hr": ("time", 3600.0, False),
    "L": ("volume", 1.0, True),
    "l": ("volume", 1.0, True),
    "m3": ("volume", 1e3, False),
    "B": ("data", 8.0, True),
    "KiB": ("data", 8.0 * 2**10, False),
    "MiB": ("data", 8.0 * 2**20, False),
    "GiB": ("data", 8.0 * 2**30, False),
    "TiB": ("data", 8.0 * 2**40, False),
    "b": ("data", 1.0, True),
    "bps": ("data/time", 1.0, True),
    "Hz": ("frequency", 1.0, True),
    "m": ("length", 1.0, False),
    "km": ("length", 1e3, False),
    "cm": ("length", 1e-2, False),
    "mm": ("length", 1e-3, False),
    "nm": ("length", 1e-9, False),
    "FLOPS": ("flop/time", 1.0, True),
    "FLOP/s": ("flop/time", 1.0, True),
    "FLOPs": ("flop", 1.0, True),
    "FLOP": ("flop", 1.0, True),
    "x": ("multiplier", 1.0, False),
    "X": ("multiplier", 1.0, False),
    "×": ("multiplier", 1.0, False),
    "%": ("percent", 1.0, False),
    "$": ("usd", 1.0, False),
    "€": ("eur", 1.0, False),
    "£": ("gbp", 1.0, False),
    "°C": ("celsius", 1.0, False),
    "ppm": ("ppm", 1.0, False),
}
# word (stem) -> (measure, factor, takes long prefixes)
_WORDS: dict[str, tuple[str, float, bool]] = {
    "watt-hour": ("energy", 3600.0, True),
    "watt hour": ("energy", 3600.0, True),
    "watthour": ("energy", 3600.0, True),
    "joule": ("energy", 1.0, True),
    "watt": ("power", 1.0, True),
    "gram": ("mass", 1.0, True),
    "kilo": ("mass", 1e3, False),
    "tonne": ("mass", 1e6, True),
    "ton": ("mass", 1e6, True),
    "metric ton": ("mass", 1e6, False),
    "metric tonne": ("mass", 1e6, False),
    "pound": ("mass", 453.59237, False),
    "lbs": ("mass", 453.59237, False),
    "lb": ("mass", 453.59237, False),
    "second": ("time", 1.0, True),
    "sec": ("time", 1.0, False),
    "minute": ("time", 60.0, False),
    "min": ("time", 60.0, False),
    "hour": ("time", 3600.0, False),
    "hr": ("time", 3600.0, False),
    "day": ("time", 86400.0, False),
    "week": ("time", 604800.0, False),
    "month": ("months", 1.0, False),
    "year": ("months", 12.0, False),
    "liter": ("volume", 1.0, True),
    "litre": ("volume", 1.0, True),
    "gallon": ("volume", 3.785411784, False),
    "cubic meter": ("volume", 1e3, False),
    "bit": ("data", 1.0, True),
    "byte": ("data", 8.0, True),
    "hertz": ("frequency", 1.0, True),
    "meter": ("length", 1.0, True),
    "metre": ("length", 1.0, True),
    "mile": ("length", 1609.344, False),
    "feet": ("length", 0.3048, False),
    "foot": ("length", 0.3048, False),
    "flop": ("flop", 1.0, True),
    "percent": ("percent", 1.0, False),
    "per cent": ("percent", 1.0, False),
    "percentage": ("percent", 1.0, False),
    "percentage point": ("percent", 1.0, False),
    "pp": ("percent", 1.0, False),
    "multiplier": ("multiplier", 1.0, False),
    "multiple": ("multiplier", 1.0, False),
    "time": ("multiplier", 1.0, False),
    "time more": ("multiplier", 1.0, False),
    "factor": ("multiplier", 1.0, False),
    "fold": ("multiplier", 1.0, False),
    "ratio": ("multiplier", 1.0, False),
    "usd": ("usd", 1.0, False),
    "us dollar": ("usd", 1.0, False),
    "us$": ("usd", 1.0, False),
    "dollar": ("usd", 1.0, False),
    "cent": ("usd", 0.01, False),
    "eur": ("eur", 1.0, False),
    "euro": ("eur", 1.0, False),
    "gbp": ("gbp", 1.0, False),
    "°c": ("celsius", 1.0, False),
    "degree celsius": ("celsius", 1.0, False),
}
_SUBSTANCE = re.compile(r"\s+of\s+(?:water|electricity|energy|power|data)\b", re.IGNORECASE)
_GAS = re.compile(
    r"[\s-]*(?:of\s+)?(?:carbon\s+dioxide(?:\s+equivalents?)?|CO\s?[2₂]\s?-?\s?(?:eq(?:uivalents?)?|e)?)\b\.?",
    re.IGNORECASE,
)
_SCALE_WORD = re.compile(rf"^(?P<scale>{'|'.join(SCALES)})s?\s+(?:of\s+)?(?P<unit>.+)$", re.IGNORECASE)
_WORD_SCALE = re.compile(rf"^(?P<unit>.+?)\s+(?P<scale>{'|'.join(SCALES)})s?$", re.IGNORECASE)  # "USD millions"
_REPLACEMENTS = (("₂", "2"), ("³", "3"), ("−", "-"), ("·", " "), ("(", " "), (")", " "), ("m^3", "m3"))


def _plain(text: str) -> str:
    for old, new in _REPLACEMENTS:
        text = text.replace(old, new)
    without_gas = _GAS.sub("", _SUBSTANCE.sub("", text)).strip(" .,;:")
    return re.sub(r"\s+", " ", without_gas).strip() or ("" if not text.strip() else text.strip())


def _simple(text: str) -> Unit | None:
    return _symbol(text) or _word(text.lower())


def _symbol(text: str) -> Unit | None:
    if text in _SYMBOLS:
        measure, factor, _ = _SYMBOLS[text]
        return Unit(measure, factor)
    rest = _SYMBOLS.get(text[1:]) if len(text) > 1 else None
    if rest is not None and rest[2] and text[0] in _PREFIXES:
        return Unit(rest[0], rest[1] * _PREFIXES[text[0]])
    return None


def _word(text: str) -> Unit | None:
    for form in (text, text.removesuffix("s"), text.removesuffix("es")):
        if form in _WORDS:
            return Unit(*_WORDS[form][:2])
        prefix = next((p for p in _LONG_PREFIXES if form.startswith(p)), None)
        known = _WORDS.get(form[len(prefix) :].lstrip("- ")) if prefix else None
        if prefix and known and known[2]:
            return Unit(known[0], known[1] * _LONG_PREFIXES[prefix])
    return None


def _scaled(text: str) -> Unit | None:
    match = _SCALE_WORD.match(text) or _WORD_SCALE.match(text)
    if match is None:
        return None
    inner = parse_unit(match["unit"])
    return inner and Unit(inner.measure, inner.factor * SCALES[match["scale"].lower()])


def _quotient(above: str, below: str) -> Unit | None:
    top, bottom = parse_unit(above), parse_unit(below)
    if top is None or bottom is None:
        return None
    factor = top.factor if top.is_noun else top.factor / bottom.factor
    return Unit(f"{top.measure}/{bottom.measure}", factor)


def _noun(text: str) -> Unit | None:
    words = [token for token in tokens_of(text) if not token.surface[0].isdigit()]
    return Unit("noun:" + " ".join(stem_of(token.surface) for token in words)) if words else None
