"""What accounting shorthand in a question is called in the statements themselves."""

from __future__ import annotations

import re


def spelled_out(text: str) -> str:
    """Return `text` with the shorthand of accounts replaced by the words of the statements.

    >>> spelled_out("What was the capex of FY2018?")
    'What was the purchases of property, plant and equipment of FY2018?'
    """
    for pattern, words in _SHORTHAND:
        text = pattern.sub(words, text)
    return text


_SHORTHAND = tuple(
    (re.compile(rf"\b(?:{short})(?!\w)", re.IGNORECASE), words)
    for short, words in (
        (r"capital expenditures?(?: amount)?|capex", "purchases of property, plant and equipment"),
        (r"PP\s?&\s?E|PPN?E", "property, plant and equipment"),
        (r"COGS", "cost of sales"),
        (r"SG\s?&\s?A", "selling, general and administrative"),
        (r"D\s?&\s?A", "depreciation and amortization"),
        (r"R\s?&\s?D", "research and development"),
        (r"EPS", "earnings per share"),
        (r"FCF", "free cash flow"),
    )
)
