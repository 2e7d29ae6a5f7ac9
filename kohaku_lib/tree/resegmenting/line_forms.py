"""Features of a single printed line: ends a sentence, is a list item, share of figures."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kohaku_lib.tree.resegmenting.page_lines import PageLine

TERMINATED = re.compile(r"[.!?:][\"'”’»)\]]*(?: ?\d{1,3})?$")
BULLET = re.compile(r"^(?:[•◦▪‣●■►➢✓∙·]|[-–*] |\((?:[a-z]|[ivx]{1,4}|\d{1,2})\) |\d{1,2}[.)] |\[\d{1,3}\] )")
CAPTION = re.compile(
    r"^(?:Supplementary |Extended Data )?(?:Table|Figure|Fig\.?|Tab\.|TABLE|FIGURE|FIG\.?|Algorithm|Listing|Exhibit|Box)"
    r" ?(?:[A-Z]\.?)?(?:\d+(?:\.\d+)*|[IVX]+)(?:[a-z])? ?(?:[:.|—–]|$|(?=[A-Z]))"
)

_CITED_YEAR = re.compile(r"\(?(?:19|20)\d\d[a-z]?[);,.]+")
_EMPTY_CELLS = frozenset(("—", "–", "-", "--", "N/A", "n/a", "✓", "✗", "×"))


def full_widths(lines: Sequence[PageLine]) -> list[float]:
    """Return, per line, the usual length of a full line of its page (of the document on a page of few lines).

    >>> full_widths([PageLine("x" * 50, 1)] * 9 + [PageLine("short", 1)])[9]
    50.0
    """
    lengths_by_page: dict[int, list[int]] = {}
    for line in lines:
        if len(line.text) >= 20:
            lengths_by_page.setdefault(line.page, []).append(len(line.text))
    every = [length for lengths in lengths_by_page.values() for length in lengths] or [60]
    widths = {page: _usual_length(lengths) for page, lengths in lengths_by_page.items() if len(lengths) >= 8}
    usual = _usual_length(every)
    return [widths.get(line.page, usual) for line in lines]


def numeric_share(text: str) -> float:
    """Return the share of the words of `text` that are figures or empty cells.

    >>> numeric_share("GPT-3 1,287 — 552"), numeric_share("as shown (Wu et al., 2021).")
    (0.75, 0.0)
    """
    words = text.split()
    return sum(map(is_numeric, words)) / max(1, len(words))


def is_numeric(word: str) -> bool:
    """Return whether `word` is mostly digits or marks an empty cell; a cited year does not count.

    >>> is_numeric("$52–$175"), is_numeric("2021;"), is_numeric("V100")
    (True, False, True)
    """
    if word.isalpha():  # most words
        return False
    if word in _EMPTY_CELLS:
        return True
    return sum(map(str.isdigit, word)) >= 0.4 * len(word) and not _CITED_YEAR.fullmatch(word)


def _usual_length(lengths: Sequence[int]) -> float:
    return float(sorted(lengths)[int(len(lengths) * 0.7)])
