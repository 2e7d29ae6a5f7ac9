"""How the document of each snippet writes its amounts: with decimal commas, and in which scale."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from kohaku_lib.tables import Snippet
from kohaku_lib.text.decimal_commas import writes_decimal_commas


@dataclass(frozen=True, slots=True)
class Conventions:
    """Whether a document has decimal commas, and the texts above a snippet of it that may name the scale of its amounts."""

    decimal_commas: bool = False
    captions: tuple[str, ...] = ()


UNKNOWN = Conventions()


def conventions_of(snippets: Sequence[Snippet]) -> dict[str, Conventions]:
    r"""Return the conventions by node id, from all snippets of a document together.

    Above a table stands the paragraph before it, if that is short; above every text what the document says of all its
    amounts, and the headings.

    >>> above = Snippet("d:sec1:p1", "d", "", None, "Amounts in thousands of euros.", 1, 1.0)
    >>> table = Snippet("d:sec1:p2", "d", "", None, "| Plot | Result |\n| --- | --- |\n| Hill | 12,5 |", 2, 1.0)
    >>> conventions_of([table, above])["d:sec1:p2"]
    Conventions(decimal_commas=True, captions=('Amounts in thousands of euros.',))
    """
    by_document: dict[str, list[Snippet]] = defaultdict(list)
    for snippet in snippets:
        by_document[snippet.document_id].append(snippet)
    found: dict[str, Conventions] = {}
    for own in by_document.values():
        has_commas = writes_decimal_commas([one.text for one in own])
        general = tuple(match[0] for one in own for match in _OF_ALL_AMOUNTS.finditer(one.text))
        texts = {one.node_id: one.text for one in own}
        for one in own:
            above = (_paragraph_above(one, texts), *general, one.heading, one.document_title)
            found[one.node_id] = Conventions(has_commas, tuple(filter(None, above)))
    return found


_PARAGRAPH = re.compile(r"(.*:p)(\d+)$")
_MOST_CHARS = 200  # of a paragraph that is a caption
_AMOUNTS = r"(?:amounts|figures|values|numbers|sums|Beträge|Angaben|Zahlen|Werte)\b"
_ABOUT_AMOUNTS = re.compile(rf"{_AMOUNTS}|^\W*in\b", re.IGNORECASE)
_OF_ALL_AMOUNTS = re.compile(
    rf"\b(?:all|alle|sämtliche) (?:\w+ ){{0,2}}?{_AMOUNTS}[^\n.;]{{0,60}}(?:(?:mio|mrd|tsd)\.[^\n.;]{{0,20}})?",
    re.IGNORECASE,
)


def _paragraph_above(snippet: Snippet, texts: dict[str, str]) -> str:
    """Return the paragraph before a table or its pieces, or before other text if it speaks of amounts; "" if none is known."""
    is_table = snippet.text.lstrip().startswith("|")
    head = snippet.text.lstrip().partition("\n")[0]
    match = _PARAGRAPH.match(snippet.node_id)
    while match is not None:
        node_id = f"{match[1]}{int(match[2]) - 1}"
        above = texts.get(node_id, "").strip()
        if not (is_table and above.startswith(head)):
            is_caption = len(above) <= _MOST_CHARS and not above.startswith("|")
            return above if is_caption and (is_table or _ABOUT_AMOUNTS.search(above)) else ""
        match = _PARAGRAPH.match(node_id)
    return ""
