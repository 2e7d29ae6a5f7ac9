"""Exact factors between units of one dimension, by the canonical names of `unit_key`."""

from __future__ import annotations

from decimal import Decimal

_PREFIXES = {
    "T": "1e12",
    "G": "1e9",
    "M": "1e6",
    "k": "1e3",
    "": "1",
    "c": "1e-2",
    "m": "1e-3",
    "u": "1e-6",
    "n": "1e-9",
    "P": "1e15",
}
_BASES = {  # symbol: dimension, factor to its base
    "Wh": ("energy", "3600"),
    "J": ("energy", "1"),
    "W": ("power", "1"),
    "g": ("mass", "1"),
    "L": ("volume", "1"),
    "Hz": ("frequency", "1"),
    "bps": ("data rate", "1"),
    "FLOPS": ("speed of computing", "1"),
    "B": ("data", "8"),
    "b": ("data", "1"),
    "V": ("voltage", "1"),
    "A": ("current", "1"),
    "s": ("time", "1"),
    "m": ("length", "1"),
}
_FIXED = {
    "min": ("time", "60"),
    "h": ("time", "3600"),
    "day": ("time", "86400"),
    "week": ("time", "604800"),
    "t": ("mass", "1e6"),
    "lb": ("mass", "453.59237"),
    "oz": ("mass", "28.349523125"),
    "gal": ("volume", "3.785411784"),
    "mi": ("length", "1609.344"),
}


def conversion_factor(source: str, target: str) -> Decimal | None:
    """Return what a number in `source` is multiplied by to stand in `target`; None where they do not convert.

    Both are names that `unit_key` gives. Months, years, short or long tons and currencies never convert.

    >>> conversion_factor("kWh", "MWh"), conversion_factor("lb", "kg"), conversion_factor("L", "kg")
    (Decimal('0.001'), Decimal('0.45359237'), None)
    """
    if source == target:
        return Decimal(1)
    known, wanted = _measure(source), _measure(target)
    if known is None or wanted is None or known[0] != wanted[0]:
        return None
    return known[1] / wanted[1]


def _measure(unit: str) -> tuple[str, Decimal] | None:
    """The dimension of a unit and its size in that dimension's base."""
    above, slash, below = unit.partition("/")
    if slash:
        upper, lower = _measure(above), _measure(below)
        return None if upper is None or lower is None else (f"{upper[0]}/{lower[0]}", upper[1] / lower[1])
    if unit.endswith("CO2"):
        mass = _measure(unit.removesuffix("CO2"))
        return None if mass is None else (f"{mass[0]} of CO2", mass[1])
    if unit in _FIXED:
        dimension, factor = _FIXED[unit]
        return dimension, Decimal(factor)
    return _prefixed(unit)


def _prefixed(unit: str) -> tuple[str, Decimal] | None:
    for symbol, (dimension, factor) in _BASES.items():
        prefix = unit.removesuffix(symbol)
        if prefix != unit and prefix in _PREFIXES:
            return dimension, Decimal(factor) * Decimal(_PREFIXES[prefix])
    return None
