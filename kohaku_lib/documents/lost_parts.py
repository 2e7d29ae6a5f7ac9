"""What a document says that could not be read of its file, as sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

MOST_HIDDEN = 100  # texts that a document lists as hidden, or as struck out
UNREAD_PARTS = "unread_parts"
_MOST_NAMED = 5


def struck_facts(texts: Sequence[str]) -> dict[str, Any]:
    """Return what a document strikes out for its metadata: the number of texts, and the first of them.

    >>> struck_facts(["24"]), struck_facts([])
    ({'struck_text': {'count': 1, 'first': ['24']}}, {})
    """
    return counted("struck_text", texts)


def counted(key: str, texts: Sequence[str]) -> dict[str, Any]:
    """Return texts for the metadata of a document, under a key: their number, and the first of them; nothing without any.

    >>> counted("unread_parts", ["file a.bin"])
    {'unread_parts': {'count': 1, 'first': ['file a.bin']}}
    """
    return {key: {"count": len(texts), "first": list(texts[:MOST_HIDDEN])}} if texts else {}


def struck_texts(metadata: Mapping[str, Any]) -> tuple[int, list[str]]:
    """Return the number of texts that a document strikes out, and the first of them, by its metadata.

    >>> struck_texts({"struck_text": {"count": 1, "first": ["24"]}}), struck_texts({"struck_text": "of front matter"})
    ((1, ['24']), (0, []))
    """
    return _counted(metadata, "struck_text")


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
    count, unread = _counted(metadata, UNREAD_PARTS)
    if count:
        what = "1 part of the file is" if count == 1 else f"{count} parts of the file are"
        sentences.append(f"{what} not read: {_listed(unread)}")
    return sentences


def _counted(metadata: Mapping[str, Any], key: str) -> tuple[int, list[str]]:
    stated = metadata.get(key)
    stated = stated if isinstance(stated, dict) else {}
    count = stated.get("count")
    return (count, _names(stated.get("first"))) if isinstance(count, int) else (0, [])


def _names(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


def _listed(names: list[str]) -> str:
    return ", ".join(names[:_MOST_NAMED]) + (", …" if names[_MOST_NAMED:] else "")
