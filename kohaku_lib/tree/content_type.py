"""What kind of content a paragraph is: running text, bibliography, table of contents, glossary, image credits."""

from __future__ import annotations

import re
from itertools import islice

_REFERENCE_HEADING = re.compile(
    r"^\W*(?:[\dIVX]+\.?\s+)?(references|bibliography|works cited|literature cited)\W*$", re.I
)
_TOC_HEADING = re.compile(r"^\W*(table of contents|contents|list of figures|list of tables)\W*$", re.I)
_GLOSSARY_HEADING = re.compile(
    r"^\W*(?:[\dIVX]+\.?\s+)?(glossary(?: of terms)?|list of (?:abbreviations|acronyms|symbols)|abbreviations|acronyms"
    r"|nomenclature|(?:key )?terms and definitions)\W*$",
    re.I,
)
_CREDIT_HEADING = re.compile(
    r"^\W*(?:image|photo|picture|photography|illustration)s?\s+(?:and \w+\s+)?credits?\W*$", re.I
)
_CREDIT = re.compile(
    r"\b(?:photo(?:graph)?|image|picture|illustration)s?(?: (?:credits?|courtesy|source))? ?(?:by|of|:|©)|©|\bcourtesy of\b",
    re.I,
)
_AGENCY = re.compile(
    r"\b(?:Getty Images|Shutterstock|i?Stock(?:photo)?|Unsplash|Alamy|Adobe Stock|Pexels|Pixabay|Wikimedia)\b"
)
_MOST_CREDIT_CHARS = 400  # a longer paragraph is a text that mentions a picture
_YEAR = re.compile(r"\b(?:19|20)\d\d[a-z]?\b")
_SOURCE = re.compile(
    r"arXiv|\bdoi\b|https?:|\bpp?\.|Proceedings|Proc\.|In Proc|Conference|Journal|Trans\."
    r"|Press\b|preprint|\bvol\.|\bno\.|et al\.",
    re.I,
)
_ENTRY = re.compile(r"(?:^|\s)\[\d{1,3}\]\s+[A-Z]")
_TOC_LINE = re.compile(
    r"(?<!\.)(?<!\.\s)(?:\.\s?){4,}\s*\d{1,4}\b"
)  # from the first dot: each start reads the whole run


def content_type(text: str, section_title: str) -> str:
    """Return "reference" for a piece of a bibliography, "toc", "glossary" or "image_credit", else "body".

    Under the heading of a bibliography one year and one mark of a source (journal, pages, arXiv, ...) are
    sufficient; elsewhere three numbered entries with years are required. A glossary is known by its heading, image
    credits by theirs or, in a short paragraph, by a credit and the name of an agency.

    >>> content_type("[1] A. Bee. 2020. On hives. Journal of Bees 3, 1-9.", "References")
    'reference'
    >>> content_type("Photo by A. Bee / Getty Images", "Page 2")
    'image_credit'
    >>> content_type("Training took 24 days in 2020.", "Results")
    'body'
    """
    if _TOC_HEADING.match(section_title) or _has(_TOC_LINE, text, 3):
        return "toc"
    if _GLOSSARY_HEADING.match(section_title):
        return "glossary"
    if _CREDIT_HEADING.match(section_title) or _is_credit(text):
        return "image_credit"
    if _REFERENCE_HEADING.match(section_title):
        listed = _has(_YEAR, text, 1) and _has(_SOURCE, text, 1)
    else:
        listed = _has(_ENTRY, text, 3) and _has(_YEAR, text, 3) and _has(_SOURCE, text, 3)
    return "reference" if listed else "body"


def _has(pattern: re.Pattern[str], text: str, count: int) -> bool:
    return next(islice(pattern.finditer(text), count - 1, None), None) is not None


def _is_credit(text: str) -> bool:
    return len(text) <= _MOST_CREDIT_CHARS and bool(_AGENCY.search(text) and _CREDIT.search(text))


def is_reference_heading(title: str) -> bool:
    """Return whether `title` heads a bibliography.

    >>> is_reference_heading("7 References"), is_reference_heading("Reference design")
    (True, False)
    """
    return bool(_REFERENCE_HEADING.match(title))
