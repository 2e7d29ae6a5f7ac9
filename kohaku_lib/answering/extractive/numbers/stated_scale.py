"""The scale in which a column, a caption or a sentence says that amounts are given."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal

from kohaku_lib.answering.extractive.numbers.quantities import Quantity
from kohaku_lib.answering.extractive.numbers.units import ABBREVIATED, parse_unit
from kohaku_lib.text.units import CURRENCY_SIGNS, MONEY, SCALES, Unit, find_unit


def stated_scale(text: str) -> Unit | None:
    """Return the unit in which `text` says that amounts are; its measure is "" if no currency is named, None if no scale is.

    >>> [stated_scale(text).measure for text in ("(in thousands of US dollars)", "Kosten in TEUR", "(Millions)")]
    ['usd', 'eur', '']
    >>> [stated_scale(text).factor for text in ("Amounts in Mio. EUR", "Result (£m)", "Sales (USD '000)", "EUR in thousands")]
    [1000000.0, 1000000.0, 1000.0, 1000.0]
    >>> stated_scale("Price in EUR") is None
    True
    """
    match = _STATED.search(text)
    if match is None:
        return None
    if match["whole"]:
        return find_unit(match["whole"])
    money = _currency(match["before"] or match["behind"] or "")
    name = match["scale"].lower().strip(".'’")
    factor = _SHORT.get(name) or SCALES[name if name in SCALES else name.removesuffix("s")]
    return Unit(money.measure if money else "", Decimal(factor))


def in_stated_scale(quantity: Quantity, asked: Unit | None, column: str, caption: str, *, is_cell: bool) -> Quantity:
    """Return an amount in full whose column, or else `caption`, gives its scale; others as they are.

    Scaled are amounts of money, counts whose column has the scale and no currency, and without an asked unit cells that
    have none of their own; outside a table bare numbers, in a named currency. A scale that the column names stays where
    no unit is asked: the column is shown with the value.
    """
    is_other = quantity.unit is not None and (not is_cell or quantity.unit.measure not in MONEY)
    if is_other or quantity.scale != 1 or (not is_cell and (asked is None or quantity.is_year)):
        return quantity
    own = stated_scale(f"in {column}") or stated_scale(column)
    if own is None and (asked is None or not asked.is_noun) and _measures_else(column):
        return quantity
    above = stated_scale(caption)
    above = above if above and (is_cell or above.measure) else None
    stated = own if asked is not None and asked.is_noun else own or above
    if stated is None or not (own is None if asked is None else asked.measure in MONEY or not stated.measure):
        return quantity
    measure = stated.measure or (quantity.unit.measure if quantity.unit else asked.measure if asked else "")
    unit = Unit(measure) if measure in MONEY else None
    low, high = (float(f"{bound * stated.factor:.12g}") for bound in (quantity.low, quantity.high))
    return replace(quantity, low=low, high=high, unit=unit, scale=stated.factor)


_MONEY = (
    rf"(?:(?:US |U\.S\. )?dollars?|euros?|pounds?(?: sterling)?|(?:Swiss |Schweizer )?(?:francs?|Franken)"
    rf"|{'|'.join(map(re.escape, sorted(CURRENCY_SIGNS, key=len, reverse=True)))})"
)
_THOUSANDS = "|".join(re.escape(one) for one in CURRENCY_SIGNS if (unit := find_unit(one)) and unit.size == 1000)
_NAMES = "|".join(sorted((name for name in SCALES if name != "hundred"), key=len, reverse=True))
_STATED = re.compile(
    rf"(?:\(|\bin |(?={_MONEY} in ))(?:[^()|]{{0,40}}\bin )?(?:(?P<whole>{_THOUSANDS})|"
    rf"(?:(?P<before>{_MONEY})(?: in)?\s?)?(?P<scale>(?:{_NAMES}){ABBREVIATED}s?|['’]000s?|000s|(?(before)(?:m|k|000)|(?!)))"
    rf"(?:\s(?:of\s)?(?P<behind>{_MONEY}))?)(?![\w-])",
    re.IGNORECASE,
)
_SHORT = {"m": 10**6, "k": 10**3, "000": 10**3, "000s": 10**3}
_UNIT_OF_COLUMN = re.compile(r"\(([^()]+)\)\s*$|,\s*([^,]+)$|\bin (\S+)\s*$|(%)", re.IGNORECASE)


def _currency(name: str) -> Unit | None:
    return find_unit("GBP" if name.lower().startswith("pound") else name.replace("U.S.", "US"))


def _measures_else(column: str) -> bool:
    """Return whether the name of a column ends in a unit that is no currency: "Weight (kg)", "Share in %"."""
    match = _UNIT_OF_COLUMN.search(column)
    unit = parse_unit(next(filter(None, match.groups()))) if match else None
    return unit is not None and not unit.is_noun and unit.measure not in MONEY
