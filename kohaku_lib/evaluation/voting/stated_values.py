"""Whether a member's own words state the value that it gives."""

from __future__ import annotations

import math

from kohaku_lib.answering.extractive.numbers.quantities import quantities_in
from kohaku_lib.values import parse_value, voting_key

_TOLERANCE = 1e-3  # relative, as for equal values


def states_value(words: str, value: str) -> bool | None:
    """Return whether `words` state `value`, None without words.

    A number is stated up to a power of ten, since values are converted to the expected unit and its scale; a range
    if both bounds are; a name up to case and white space. Numbers that are part of a name do not count.

    >>> states_value("It took 2.51 million liters.", "2510"), states_value("Both of the two runs did.", "2")
    (True, True)
    >>> states_value("Between 80 and 90 %.", "[80,95]"), states_value("  ", "80")
    (False, None)
    """
    if not words.strip():
        return None
    parsed = parse_value(value)
    if parsed.low is None or parsed.high is None:
        return voting_key(value) in " ".join(words.casefold().split())
    quantities = [quantity for quantity in quantities_in(words) if not quantity.decorated]
    numbers = [number for quantity in quantities for number in (quantity.low, quantity.high)]
    return all(any(_have_equal_digits(bound, number) for number in numbers) for bound in (parsed.low, parsed.high))


def _have_equal_digits(first: float, second: float) -> bool:
    """Return whether the quotient of two numbers is a power of ten within 0.1 %; zero equals zero only."""
    if not first or not second:
        return first == second
    power = math.log10(abs(first / second))
    return math.isclose(10 ** (power - round(power)), 1.0, rel_tol=_TOLERANCE)
