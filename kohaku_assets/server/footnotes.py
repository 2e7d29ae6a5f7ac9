"""Answers as one text for chat clients: citations as [1], and what they stand for below."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from kohaku_lib.conversation import Source

_CITATION = re.compile(r"\[Source (\d+)\]")
_MARK = re.compile(r"\[(\d+)\]")


class ShortMarks:
    """Turns the parts of one answer into text for chat clients.

    Citations become [1], [2], … in the order of their first use, as clients count the annotations.

    >>> marks = ShortMarks()
    >>> marks.text("It used 41,800 kWh [Source 4], 70% for machines [Source 2] [Source 4].")
    'It used 41,800 kWh [1], 70% for machines [2] [1].'
    >>> marks.numbers
    [4, 2]
    """

    def __init__(self) -> None:
        self.numbers: list[int] = []  # of the sources, in the order of their marks

    def text(self, part: str) -> str:
        """Return the text of the next part."""
        return _CITATION.sub(self._mark, part)

    def _mark(self, citation: re.Match[str]) -> str:
        number = int(citation[1])
        if number not in self.numbers:
            self.numbers.append(number)
        return f"[{self.numbers.index(number) + 1}]"


def footnotes(sources: Sequence[Source], address: str) -> str:
    """Return the sources as lines of Markdown, each a link into the page of the server; empty without any."""
    lines = [
        f"[{number}] [{_plain(source.place)}]({source_url(source, address)})"
        for number, source in enumerate(sources, start=1)
    ]
    return "\n\n" + "  \n".join(lines) if lines else ""


def url_citations(text: str, sources: Sequence[Source], address: str) -> list[dict[str, Any]]:
    """Return the marks of `sources` in `text` in the form of the OpenAI protocol."""
    found = []
    for mark in _MARK.finditer(text):
        number = int(mark[1])
        if 1 <= number <= len(sources):
            source = sources[number - 1]
            where = {"start_index": mark.start(), "end_index": mark.end()}
            place = {"title": source.place, "url": source_url(source, address)}
            found.append({"type": "url_citation", "url_citation": where | place})
    return found


def source_url(source: Source, address: str) -> str:
    """Return the address at which the page of the server shows a source."""
    return f"{address.rstrip('/')}/#node={quote(source.chunk_id, safe=':')}"


def _plain(title: str) -> str:
    """Return a title that cannot end its own link."""
    return " ".join(re.sub(r"[\[\]<>`*_\\]", " ", title).split())
