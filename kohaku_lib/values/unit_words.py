"""The units that may stand behind a number without making it a text."""

from __future__ import annotations

import re

_PREFIXES = {"": "", "k": "k", "M": "M", "G": "G", "T": "T", "P": "P", "m": "m", "µ": "u", "μ": "u", "n": "n", "c": "c"}
_PREFIX_WORDS = {
    "kilo": "k",
    "mega": "M",
    "giga": "G",
    "tera": "T",
    "peta": "P",
    "milli": "m",
    "micro": "u",
    "nano": "n",
}
_SYMBOLS = ("W", "Wh", "J", "g", "m", "s", "L", "l", "B", "b", "Hz", "V", "A", "bps", "iB", "FLOPS", "FLOPs", "FLOP")
_WORDS = {
    "watt": "W",
    "watt-hour": "Wh",
    "watt hour": "Wh",
    "watthour": "Wh",
    "joule": "J",
    "gram": "g",
    "meter": "m",
    "metre": "m",
    "second": "s",
    "liter": "L",
    "litre": "L",
    "byte": "B",
    "bit": "b",
    "hertz": "Hz",
}
_PLAIN = {
    "%": "%",
    "percent": "%",
    "per cent": "%",
    "percentage point": "%",
    "pp": "%",
    "$": "USD",
    "us$": "USD",
    "usd": "USD",
    "dollar": "USD",
    "us dollar": "USD",
    "€": "EUR",
    "eur": "EUR",
    "euro": "EUR",
    "£": "GBP",
    "gbp": "GBP",
    "¥": "JPY",
    "x": "x",
    "×": "x",
    "time": "x",
    "-fold": "x",
    "fold": "x",
    "multiplier": "x",
    "sec": "s",
    "min": "min",
    "minute": "min",
    "h": "h",
    "hr": "h",
    "hour": "h",
    "day": "day",
    "week": "week",
    "month": "month",
    "year": "year",
    "yr": "year",
    "t": "t",
    "ton": "ton",
    "tonne": "t",
    "metric ton": "t",
    "lb": "lb",
    "pound": "lb",
    "oz": "oz",
    "ounce": "oz",
    "gallon": "gal",
    "gal": "gal",
    "mile": "mi",
    "km/h": "km/h",
    "mph": "mph",
    "°c": "°C",
    "°f": "°F",
}
_GAS = re.compile(r"^(?P<mass>.*?)\s*(?:of\s+)?co2(?:\s?-?eq?\.?)?$", re.IGNORECASE)


def is_unit(text: str) -> bool:
    """Return whether `text` is a unit that is known here, alone, as a ratio of two, or as a mass of CO2.

    >>> [is_unit(text) for text in ("kWh", "percent", "L/kWh", "tCO2e", "bottles", "W")]
    [True, True, True, True, False, True]
    """
    return unit_key(text) is not None


def unit_key(text: str) -> str | None:
    """Return the canonical name of the unit `text`, None where it is unknown.

    >>> unit_key("Kilowatt-hours"), unit_key("kWh"), unit_key("metric tons of CO2e"), unit_key("L per kWh")
    ('kWh', 'kWh', 'tCO2', 'L/kWh')
    """
    text = text.strip().replace("₂", "2")
    ratio = re.split(r"\s*/\s*|\s+per\s+", text)
    if len(ratio) == 2:
        keys = [unit_key(part) for part in ratio]
        return None if None in keys else "/".join(str(key) for key in keys)
    gas = _GAS.match(text)
    if gas:
        mass = _single(gas["mass"].strip())
        return f"{mass}CO2" if mass else None
    return _single(text)


def _single(text: str) -> str | None:
    lowered = text.lower()
    for form in (lowered, lowered.removesuffix("s")):
        if form in _PLAIN:
            return _PLAIN[form]
        if form in _WORDS:
            return _WORDS[form]
        for word, prefix in _PREFIX_WORDS.items():
            if form.removeprefix(word) in _WORDS and form.startswith(word):
                return prefix + _WORDS[form.removeprefix(word)]
    for symbol in _SYMBOLS:
        prefix = text.removesuffix(symbol)
        if prefix != text and prefix in _PREFIXES:
            return _PREFIXES[prefix] + ("L" if symbol == "l" else symbol)
    return None
