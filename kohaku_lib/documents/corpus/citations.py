"""A row of metadata without a file as a document of one paragraph: its citation."""

from __future__ import annotations

from collections.abc import Mapping

from kohaku_lib.tables import DocumentPayload, ParagraphPayload, SectionPayload


def citation_text(document_id: str, facts: Mapping[str, str]) -> str:
    """Return what stands for a document of which only the metadata is known: citation, else title, else id.

    >>> citation_text("wu2021", {"title": "Sustainable AI", "year": "2021"})
    'Sustainable AI'
    """
    return facts.get("citation", "").strip() or facts.get("title", "").strip() or document_id


def citation_payload(document_id: str, facts: Mapping[str, str]) -> DocumentPayload:
    """Return the payload that holds the citation as its one paragraph."""
    text = citation_text(document_id, facts)
    title = facts.get("title", "").strip() or document_id
    section = SectionPayload(title, (ParagraphPayload(text),), {"level": 1, "heading_path": [title]})
    return DocumentPayload(document_id, title, text, {"only_citation": True}, (section,))
