"""What a document says that could not be read of its file, as sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MOST_HIDDEN = 100  # texts that a document lists as hidden
_MOST_NAMED = 5


def lost_parts(metadata: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each kind of content that the file of a document lacks, by the document's metadata.

    Metadata that other formats or front matter fill in another way say nothing.

    >>> lost_parts({"missing_chapters": ["a.xhtml", "b.xhtml"]})
    ['2 chapters that it names are not in the file: a.xhtml, b.xhtml']
    """
    chapters, entities = (_names(metadata.get(key)) for key in ("missing_chapters", "entities_left_out"))
    sentences: list[str] = []
    if metadata.get("repaired") is True:
        sentences.append("it is damaged and was repaired as far as possible; its pages may lack text")
    if chapters:
        sentences.append(f"{len(chapters)} chapters that it names are not in the file: {_listed(chapters)}")
    if entities:
        sentences.append(
            f"{len(entities)} entities are left out, as their text is not in the file: {_listed(entities)}"
        )
    return sentences


def _names(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


def _listed(names: list[str]) -> str:
    return ", ".join(names[:_MOST_NAMED]) + (", …" if names[_MOST_NAMED:] else "")
