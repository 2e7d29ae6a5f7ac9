"""Take page numbers out of headers and footers."""

from __future__ import annotations

import re

PAGE_NUMBER = "\ue000"  # stands for what differs between pages
_PAGE_WORDS = frozenset(
    [
        "page",
        "pages",
        "of",
        "seite",
        "von",
        "p",
        "s",
        "pg",
        "pag",
        "página",
        "pagina",
        "de",
        "di",
        "sur",
        "side",
        "af",
        "av",
        "sida",
        "strona",
        "z",
    ]
)


def without_page_numbers(text: str) -> str:
    """Return a text without the signs that stand for page numbers, "" if the rest only announces them.

    >>> [without_page_numbers(text) for text in (f"Page {PAGE_NUMBER} of {PAGE_NUMBER}", f"ACME {PAGE_NUMBER}")]
    ['', 'ACME']
    """
    if PAGE_NUMBER not in text:
        return " ".join(text.split())
    rest = text.replace(PAGE_NUMBER, " ")
    is_only_number = all(word in _PAGE_WORDS for word in re.findall(r"\w+", rest.lower()))
    return "" if is_only_number else " ".join(rest.split())
