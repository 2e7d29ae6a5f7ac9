"""Format numbers and ranges for answers."""

from __future__ import annotations


def format_number(value: float) -> str:
    """Return `value` as plain digits: no commas, no exponent, no trailing zeros.

    >>> format_number(5439000.0), format_number(0.18), format_number(8.720430107526882)
    ('5439000', '0.18', '8.7204301')
    """
    if value == int(value) and abs(value) < 1e16:
        return str(int(value))
    text = f"{value:.8g}"
    if "e" in text:
        text = f"{value:.12f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def format_value(low: float, high: float) -> str:
    """Return a number, or a range as `[low,high]`.

    >>> format_value(80, 90)
    '[80,90]'
    """
    return format_number(low) if low == high else f"[{format_number(low)},{format_number(high)}]"
