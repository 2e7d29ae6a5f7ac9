"""Units of measure: spellings, measures and exact conversion.

Sizes are those of pint (see `unit_sizes`). A bare "ton" is the metric ton of 1,000 kg, as in papers and filings about
energy and emissions, and in the WattBot data. A gallon is that of the US, an ounce one of mass; a month has no number
of days. Ambiguous units and those without a fixed rate, such as two currencies, do not convert.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache

from kohaku_lib.text.unit_sizes import size_of

SCALES = {
    "hundred": 1e2,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "trillion": 1e12,
    "mn": 1e6,
    "bn": 1e9,
    "tausend": 1e3,
    "tsd": 1e3,
    "millionen": 1e6,
    "mio": 1e6,
    "milliarden": 1e9,
    "milliarde": 1e9,
    "mrd": 1e9,
}
CARBON_DIOXIDE = r"(?:carbon\s+dioxide(?:\s+equivalents?)?|CO\s?[2₂]\s?-?\s?(?:eq(?:uivalents?)?|e)?)\b\.?"


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: its measure ("energy", "mass/energy", "usd"), and its size in base units of that measure.

    `name` is its canonical spelling ("kWh"), empty for a unit that only occurs in a question.
    """

    measure: str
    size: Decimal = Decimal(1)
    name: str = field(default="", compare=False)

    @property
    def factor(self) -> float:
        """The size as a float."""
        return float(self.size)

    @property
    def is_noun(self) -> bool:
        """Whether this counts things instead of measuring on a known scale."""
        return self.measure.startswith("noun:")


@lru_cache(maxsize=4096)
def find_unit(text: str) -> Unit | None:
    """Return the unit with the name `text`: a known one, a ratio of two, or a mass of CO2; None for any other text.

    >>> find_unit("MWh"), find_unit("metric tons of CO2e").name, find_unit("L per kWh").measure
    (Unit(measure='energy', size=Decimal('3600000000'), name='MWh'), 'tCO2', 'volume/energy')
    >>> find_unit("bottles") is None
    True
    """
    text = text.strip().translate(_SIGNS)
    ratio = _PER.split(text)
    if len(ratio) == 2:
        above, below = find_unit(ratio[0]), find_unit(ratio[1])
        return None if above is None or below is None else ratio_of(above, below)
    gas = _GAS.match(text)
    mass = _single_unit(gas["mass"]) if gas else None
    if mass is not None and mass.measure == "mass":
        return Unit("mass of CO2", mass.size, f"{mass.name}CO2")
    return _single_unit(text)


def ratio_of(above: Unit, below: Unit) -> Unit:
    """Return the unit `above` per `below`.

    >>> ratio_of(find_unit("g"), find_unit("kWh")).name
    'g/kWh'
    """
    name = f"{above.name}/{below.name}" if above.name and below.name else ""
    return Unit(f"{above.measure}/{below.measure}", above.size / below.size, name)


def is_unit(text: str) -> bool:
    """Return whether `text` names a unit, see `find_unit`.

    >>> [is_unit(text) for text in ("kWh", "percent", "L/kWh", "tCO2e", "bottles", "W")]
    [True, True, True, True, False, True]
    """
    return find_unit(text) is not None


def unit_name(text: str) -> str | None:
    """Return the canonical name of the unit `text`; None if it is unknown.

    >>> unit_name("Kilowatt-hours"), unit_name("tons"), unit_name("bottles")
    ('kWh', 't', None)
    """
    unit = find_unit(text)
    return None if unit is None else unit.name


def conversion_factor(source: str, target: str) -> Decimal | None:
    """Return the factor from numbers in `source` to numbers in `target`; None if the units do not convert.

    >>> conversion_factor("tons", "kg"), conversion_factor("GiB", "MiB"), conversion_factor("oz", "g")
    (Decimal('1000'), Decimal('1024'), Decimal('28.349523125'))
    >>> conversion_factor("L", "kg") is None
    True
    """
    if source == target:
        return Decimal(1)
    source_unit, target_unit = find_unit(source), find_unit(target)
    return (
        None
        if source_unit is None or target_unit is None or source_unit.measure != target_unit.measure
        else source_unit.size / target_unit.size
    )


_PREFIXES = {  # as written: the name's prefix, that of pint
    "": ("", ""),
    "k": ("k", "kilo"),
    "K": ("k", "kilo"),
    "M": ("M", "mega"),
    "G": ("G", "giga"),
    "T": ("T", "tera"),
    "P": ("P", "peta"),
    "E": ("E", "exa"),
    "Ki": ("Ki", "kibi"),
    "Mi": ("Mi", "mebi"),
    "Gi": ("Gi", "gibi"),
    "Ti": ("Ti", "tebi"),
    "c": ("c", "centi"),
    "m": ("m", "milli"),
    "µ": ("u", "micro"),
    "μ": ("u", "micro"),
    "n": ("n", "nano"),
}
_LONG_PREFIXES = {"kilo": "k", "mega": "M", "giga": "G", "tera": "T", "peta": "P", "exa": "E"}
_LONG_PREFIXES |= {"milli": "m", "micro": "µ", "nano": "n"}
_MULTIPLES, _PARTS = ("", "k", "K", "M", "G", "T", "P"), ("m", "µ", "μ", "n")
_ALL = (*_MULTIPLES, *_PARTS)
# symbol: measure, name in pint, prefixes; longer symbols before those that end them
_SYMBOLS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "FLOPS": ("flop/time", "flop / second", (*_MULTIPLES, "E")),
    "FLOP": ("flop", "flop", (*_MULTIPLES, "E")),
    "bps": ("data/time", "bit / second", _MULTIPLES),
    "Wh": ("energy", "watt_hour", (*_ALL, "E")),
    "Hz": ("frequency", "hertz", _ALL),
    "J": ("energy", "joule", (*_ALL, "E")),
    "W": ("power", "watt", _ALL),
    "g": ("mass", "gram", (*_ALL, "c")),
    "t": ("mass", "metric_ton", _MULTIPLES),
    "s": ("time", "second", _ALL),
    "h": ("time", "hour", ("",)),
    "L": ("volume", "liter", (*_ALL, "c")),
    "m": ("length", "meter", ("", "k", "c", *_PARTS)),
    "B": ("data", "byte", (*_MULTIPLES, "E", "Ki", "Mi", "Gi", "Ti")),
    "b": ("data", "bit", (*_MULTIPLES, "E")),
    "V": ("voltage", "volt", _ALL),
    "A": ("current", "ampere", _ALL),
}
_OTHER_SYMBOLS = {"FLOPs": "FLOP", "wh": "Wh", "WH": "Wh", "l": "L"}
_PREFIXED_WORDS = {
    "watt-hour": "Wh",
    "watt hour": "Wh",
    "watthour": "Wh",
    "joule": "J",
    "watt": "W",
    "gram": "g",
    "gramme": "g",
    "ton": "t",
    "tonne": "t",
    "second": "s",
    "liter": "L",
    "litre": "L",
    "meter": "m",
    "metre": "m",
    "byte": "B",
    "bit": "b",
    "hertz": "Hz",
    "flop": "FLOP",
}
_SAME_AS = {  # words without prefixes: their symbol
    "metric ton": "t",
    "metric tonne": "t",
    "mt": "t",
    "kilo": "kg",
    "sec": "s",
    "hour": "h",
    "hr": "h",
    "h": "h",
    "sekunde": "s",
    "sekunden": "s",
    "gramm": "g",
    "kilogramm": "kg",
    "tonnen": "t",
    "stunde": "h",
    "stunden": "h",
}
_FIXED = {  # name: measure, name in pint
    "min": ("time", "minute"),
    "day": ("time", "day"),
    "week": ("time", "week"),
    "month": ("months", "month"),
    "year": ("months", "year"),
    "lb": ("mass", "pound"),
    "oz": ("mass", "ounce"),
    "gal": ("volume", "gallon"),
    "m3": ("volume", "meter ** 3"),
    "cm3": ("volume", "centimeter ** 3"),
    "ft3": ("volume", "foot ** 3"),
    "m2": ("area", "meter ** 2"),
    "km2": ("area", "kilometer ** 2"),
    "cm2": ("area", "centimeter ** 2"),
    "mm2": ("area", "millimeter ** 2"),
    "ft2": ("area", "foot ** 2"),
    "mi2": ("area", "mile ** 2"),
    "ha": ("area", "hectare"),
    "acre": ("area", "acre"),
    "mi": ("length", "mile"),
    "ft": ("length", "foot"),
    "mph": ("length/time", "mile / hour"),
}
_FIXED_WORDS = {name: name for name in _FIXED} | {
    "minute": "min",
    "yr": "year",
    "pound": "lb",
    "ounce": "oz",
    "gallon": "gal",
    "cubic meter": "m3",
    "cubic metre": "m3",
    "kubikmeter": "m3",
    "cubic centimeter": "cm3",
    "cubic centimetre": "cm3",
    "ccm": "cm3",
    "cubic foot": "ft3",
    "cubic feet": "ft3",
    "square meter": "m2",
    "square metre": "m2",
    "sq m": "m2",
    "sq. m": "m2",
    "sqm": "m2",
    "qm": "m2",
    "quadratmeter": "m2",
    "square kilometer": "km2",
    "square kilometre": "km2",
    "sq km": "km2",
    "sq. km": "km2",
    "quadratkilometer": "km2",
    "square centimeter": "cm2",
    "square centimetre": "cm2",
    "square foot": "ft2",
    "square feet": "ft2",
    "sq ft": "ft2",
    "sq. ft": "ft2",
    "square mile": "mi2",
    "hectare": "ha",
    "hektar": "ha",
    "mile": "mi",
    "foot": "ft",
    "feet": "ft",
    "minuten": "min",
    "tag": "day",
    "tage": "day",
    "tagen": "day",
    "woche": "week",
    "wochen": "week",
    "monat": "month",
    "monate": "month",
    "monaten": "month",
    "jahr": "year",
    "jahre": "year",
    "jahren": "year",
}
_ALONE = {  # name: measure and spellings of units that are no physical quantity, or do not convert
    "%": ("percent", ("%", "percent", "per cent", "percentage", "percentage point", "pp", "prozent")),
    "x": ("multiplier", ("x", "×", "time", "time more", "fold", "-fold", "multiplier", "multiple", "factor", "ratio")),
    "ppm": ("ppm", ("ppm",)),
    "°C": ("celsius", ("°c", "degree celsius", "degrees celsius", "grad celsius")),
    "°F": ("fahrenheit", ("°f", "degree fahrenheit", "degrees fahrenheit")),
}
_CURRENCIES = {  # code: further spellings
    "USD": ("$", "us$", "dollar", "us dollar"),
    "EUR": ("€", "euro"),
    "GBP": ("£", "pound sterling", "british pound"),
    "CHF": ("swiss franc", "franc", "franken", "schweizer franken", "sfr"),
    "JPY": ("¥", "yen", "japanese yen"),
    "CNY": ("yuan", "renminbi", "rmb"),
    "INR": ("₹", "rupee", "indian rupee"),
    "SEK": ("swedish krona", "swedish kronor"),
    "NOK": ("norwegian krone", "norwegian kroner"),
    "DKK": ("danish krone", "danish kroner"),
    "PLN": ("zł", "zloty", "złoty"),
    "CZK": ("kč", "czech koruna"),
    "HUF": ("forint",),
    "CAD": ("c$", "canadian dollar"),
    "AUD": ("a$", "australian dollar"),
}
MONEY = frozenset(code.lower() for code in _CURRENCIES)  # the measures of amounts of money
_SIGNS_OF_MONEY = ("US$", "C$", "A$", "$", "€", "£", "¥", "₹")
_THOUSANDS = {"T€": "EUR", "k€": "EUR", "k£": "GBP", "k$": "USD"} | {
    f"{sign}{code}": code for code in ("EUR", "CHF", "USD", "GBP") for sign in ("T", "k")
}
CURRENCY_SIGNS = (*_SIGNS_OF_MONEY, *_CURRENCIES, *_THOUSANDS)  # as they stand before an amount
_ALONE_WORDS = {
    spelling: Unit(measure, Decimal(1), name) for name, (measure, all_) in _ALONE.items() for spelling in all_
}
_ALONE_WORDS |= {
    spelling: Unit(code.lower(), Decimal(1), code)
    for code, others in _CURRENCIES.items()
    for spelling in (code.lower(), *others)
}
_ALONE_WORDS |= {short.lower(): Unit(code.lower(), Decimal(1000), short) for short, code in _THOUSANDS.items()}
_ALONE_WORDS["cent"] = Unit("usd", Decimal("0.01"), "cent")
_SIGNS = str.maketrans({"₂": "2", "²": "2", "³": "3", "^": ""})
_PER = re.compile(r"\s*/\s*|\s+per\s+")
_GAS = re.compile(rf"^(?P<mass>.+?)[\s-]*(?:of\s+)?{CARBON_DIOXIDE}$", re.IGNORECASE)


def _single_unit(text: str) -> Unit | None:
    return _unit_of_symbol(text) or _unit_of_word(text.lower())


def _unit_of_symbol(text: str) -> Unit | None:
    for symbol in (*_SYMBOLS, *_OTHER_SYMBOLS):
        prefix = text.removesuffix(symbol)
        if prefix != text and prefix in _PREFIXES:
            return _prefixed_unit(prefix, _OTHER_SYMBOLS.get(symbol, symbol))
    return None


def _prefixed_unit(prefix: str, symbol: str) -> Unit | None:
    measure, pint_name, prefixes = _SYMBOLS[symbol]
    short, long = _PREFIXES[prefix]
    return Unit(measure, size_of(long + pint_name, measure), short + symbol) if prefix in prefixes else None


def _unit_of_word(text: str) -> Unit | None:
    for form in (text, text.removesuffix("s"), text.removesuffix("es")):
        unit = _ALONE_WORDS.get(form) or _unit_of_fixed_word(form) or _unit_of_long_word(form)
        if unit is not None:
            return unit
    return None


def _unit_of_fixed_word(word: str) -> Unit | None:
    if word in _SAME_AS:
        return _unit_of_symbol(_SAME_AS[word])
    name = _FIXED_WORDS.get(word)
    if name is None:
        return None
    measure, pint_name = _FIXED[name]
    return Unit(measure, size_of(pint_name, measure), name)


def _unit_of_long_word(word: str) -> Unit | None:
    """Return the unit of a full word, with or without a full prefix."""
    prefix = next((prefix for prefix in _LONG_PREFIXES if word.startswith(prefix)), None)
    base = word.removeprefix(prefix).lstrip("- ") if prefix else word
    symbol = _PREFIXED_WORDS.get(base)
    return _prefixed_unit(_LONG_PREFIXES[prefix] if prefix else "", symbol) if symbol else None
