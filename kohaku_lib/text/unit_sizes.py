"""Sizes of units by the definitions of pint."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from typing import Any

BASE_OF_MEASURE = {  # measure: the pint name of the unit of size 1
    "energy": "joule",
    "power": "watt",
    "mass": "gram",
    "time": "second",
    "months": "month",
    "volume": "liter",
    "length": "meter",
    "area": "meter ** 2",
    "length/time": "meter / second",
    "data": "bit",
    "data/time": "bit / second",
    "frequency": "hertz",
    "voltage": "volt",
    "current": "ampere",
    "flop": "flop",
    "flop/time": "flop / second",
}


def size_of(pint_name: str, measure: str) -> Decimal:
    """Return the exact size of the unit `pint_name` in base units of `measure`.

    Common units are looked up in a table, which a test compares with pint; only others load pint, which takes as long as
    a short command.

    >>> size_of("kilowatt_hour", "energy"), size_of("ounce", "mass")
    (Decimal('3600000'), Decimal('28.349523125'))
    """
    prefix = next((prefix for prefix in COMMON_PREFIXES if pint_name.startswith(prefix)), "")
    common = COMMON_SIZES.get(pint_name) or COMMON_SIZES.get(pint_name.removeprefix(prefix))
    if common is None:
        return size_by_pint(pint_name, measure)
    power = 0 if pint_name in COMMON_SIZES else COMMON_PREFIXES[prefix]
    return _without_trailing_zeros(Decimal(common).scaleb(power))


@cache
def size_by_pint(pint_name: str, measure: str) -> Decimal:
    """Return the same as `size_of`, always from pint.

    >>> size_by_pint("gibibyte", "data")
    Decimal('8589934592')
    """
    size = _pint_registry().Quantity(Decimal(1), pint_name).to(BASE_OF_MEASURE[measure]).magnitude
    return _without_trailing_zeros(Decimal(str(size)))


COMMON_PREFIXES = {
    "nano": -9,
    "micro": -6,
    "milli": -3,
    "centi": -2,
    "kilo": 3,
    "mega": 6,
    "giga": 9,
    "tera": 12,
    "peta": 15,
}
COMMON_SIZES = {
    "watt_hour": "3600",
    "joule": "1",
    "watt": "1",
    "gram": "1",
    "metric_ton": "1000000",
    "pound": "453.59237",
    "ounce": "28.349523125",
    "second": "1",
    "minute": "60",
    "hour": "3600",
    "day": "86400",
    "week": "604800",
    "month": "1",
    "year": "12",
    "liter": "1",
    "gallon": "3.785411784",
    "meter ** 3": "1000",
    "centimeter ** 3": "0.001",
    "meter ** 2": "1",
    "kilometer ** 2": "1000000",
    "centimeter ** 2": "0.0001",
    "millimeter ** 2": "0.000001",
    "mile ** 2": "2589988.110336",
    "hectare": "10000",
    "acre": "4046.872609874252006568529266",
    "meter": "1",
    "mile": "1609.344",
    "foot": "0.3048",
    "hertz": "1",
    "byte": "8",
    "mebibyte": "8388608",
    "gibibyte": "8589934592",
    "bit": "1",
    "bit / second": "1",
    "flop": "1",
    "flop / second": "1",
}


@cache
def _pint_registry() -> Any:
    """Return this process's registry of pint, with floating-point operations added."""
    import pint

    registry_class: Any = pint.UnitRegistry  # annotated as if it computed with floats only
    registry = registry_class(non_int_type=Decimal)
    registry.define("flop = [floating_point_operation]")
    return registry


def _without_trailing_zeros(size: Decimal) -> Decimal:
    """Return `size` without the trailing zeros of an exact division."""
    return size.quantize(Decimal(1)) if size == size.to_integral_value() else size.normalize()
