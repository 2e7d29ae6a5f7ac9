"""Build one-paragraph documents from the citations of metadata rows without a file."""

from __future__ import annotations

from collections.abc import Mapping

from kohaku_lib.tables import DocumentPayload, ParagraphPayload, SectionPayload


def citation_text(document_id: str, facts: Mapping[str, str]) -> str:
    """Return the text of a document known only by its metadata: its citation, else its title, else its id.

    >>> citation_text("wu2021", {"title": "Sustainable AI", "year": "2021"})
    'Sustainable AI'
    """
    return facts.get("citation", "").strip() or facts.get("title", "").strip() or document_id


def citation_payload(document_id: str, facts: Mapping[str, str]) -> DocumentPayload:
    """Return a payload with the citation as its only paragraph."""
    text = citation_text(document_id, facts)
    title = facts.get("title", "").strip() or document_id
    section = SectionPayload(title, (ParagraphPayload(text),), {"level": 1, "heading_path": [title]})
    return DocumentPayload(document_id, title, text, {"only_citation": True}, (section,))
