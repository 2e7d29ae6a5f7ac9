"""A document of the index as its reader shows it: what it is, and its headings and paragraphs in order."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from kohaku_assets.server.document_pages import document_file
from kohaku_assets.server.problems import Problem
from kohaku_lib.documents.corpus.file_facts import file_facts
from kohaku_lib.documents.formats.interface import format_of
from kohaku_lib.index import Snapshot
from kohaku_lib.settings import CorpusSettings

_NAMES = ("node_id", "kind", "page", "title", "text", "modality", "metadata_json")


def document_json(
    snapshot: Snapshot, document: Mapping[str, Any], others: Sequence[Mapping[str, Any]], corpus: CorpusSettings
) -> dict[str, Any]:
    """Return a document (a row of DOCUMENTS) with its parts as JSON; `modified_at` is None where its file is gone.

    A section has the `level` of its heading, 1 where none is known; a paragraph None. `has_page_images` tells whether its
    pages can be drawn. `attachments` are those of the `others` of its tenant that are within its file.
    """
    kind = format_of(document["path"]) if document["path"] else None
    modified_at = file_facts(_file(corpus, document["path"])).modified_at
    return {
        "document_id": document["document_id"],
        "title": document["title"],
        "name": _name(document),
        "path": document["path"],
        "pages": document["pages"],
        "modified_at": modified_at,
        "attached_to": next((_link(one) for one in others if _is_within(document, one)), None),
        "attachments": [_link(one) for one in others if _is_within(one, document)],
        "has_page_images": kind is not None and kind.draw_pages is not None and modified_at is not None,
        "parts": document_parts(snapshot, document["document_id"]),
    }


def document_parts(snapshot: Snapshot, document_id: str) -> list[dict[str, Any]]:
    """Return the sections and paragraphs of a document in their order."""
    waiting, found = [snapshot.row_of(document_id)], []
    while waiting:
        row = waiting.pop()
        kind = snapshot.kind(row)
        if kind in ("section", "paragraph"):
            found.append(row)
        if kind != "paragraph":
            waiting.extend(reversed(snapshot.children(row)))
    columns = (snapshot.column(name, found) for name in _NAMES)
    return [_part(dict(zip(_NAMES, values, strict=True))) for values in zip(*columns, strict=True)]


def _is_within(document: Mapping[str, Any], holder: Mapping[str, Any]) -> bool:
    return bool(holder["path"]) and document["path"].rpartition("/")[0] == holder["path"]


def _link(document: Mapping[str, Any]) -> dict[str, str]:
    return {"document_id": document["document_id"], "name": _name(document)}


def _name(document: Mapping[str, Any]) -> str:
    return PurePosixPath(document["path"]).name or document["document_id"]


def _file(corpus: CorpusSettings, path: str) -> Path | None:
    try:
        return document_file(corpus, path)
    except Problem:
        return None


def _part(node: dict[str, Any]) -> dict[str, Any]:
    metadata = node.pop("metadata_json")
    if node["kind"] != "section":
        return node | {"level": None}
    level = json.loads(metadata).get("level") if metadata else None
    return node | {"text": node["title"], "level": level if isinstance(level, int) else 1}
