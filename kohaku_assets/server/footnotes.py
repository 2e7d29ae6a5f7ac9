"""Answers as one text for chat clients: citations as [1], and what they stand for below."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from kohaku_lib.assistant import Source

_CITATION = re.compile(r"\[Source (\d+)\]")
_MARK = re.compile(r"\[(\d+)\]")


def with_short_marks(text: str) -> str:
    """Return `text` with its citations shortened.

    >>> with_short_marks("It used 41,800 kWh [Source 1].")
    'It used 41,800 kWh [1].'
    """
    return _CITATION.sub(r"[\1]", text)


def footnotes(sources: Sequence[Source], address: str) -> str:
    """Return the cited sources as lines of Markdown, each a link into the page of the server; empty without any."""
    lines = [
        f"[{number}] [{_plain(_title(source))}]({source_url(source, address)})"
        for number, source in enumerate(sources, start=1)
        if source.cited
    ]
    return "\n\n" + "  \n".join(lines) if lines else ""


def url_citations(text: str, sources: Sequence[Source], address: str) -> list[dict[str, Any]]:
    """Return the citations in `text`, with short marks, in the form of the OpenAI protocol."""
    found = []
    for mark in _MARK.finditer(text):
        number = int(mark[1])
        if 1 <= number <= len(sources):
            source = sources[number - 1]
            where = {"start_index": mark.start(), "end_index": mark.end()}
            place = {"title": _title(source), "url": source_url(source, address)}
            found.append({"type": "url_citation", "url_citation": where | place})
    return found


def source_url(source: Source, address: str) -> str:
    """Return the address at which the page of the server shows a source."""
    return f"{address.rstrip('/')}/#node={quote(source.chunk_id, safe=':')}"


def _title(source: Source) -> str:
    page = f", page {source.page_number}" if source.page_number else ""
    return f"{source.document_name}{page}"


def _plain(title: str) -> str:
    """Return a title that cannot end its own link."""
    return re.sub(r"[\[\]<>`*_\\]", " ", title).strip()
