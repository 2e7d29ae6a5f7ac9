"""Documents → the table of nodes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from kohaku_lib.digests import digest
from kohaku_lib.documents.payloads import payload_from_json
from kohaku_lib.errors import KohakuError
from kohaku_lib.settings import TreeSettings
from kohaku_lib.storage import Piece, PreviousOutput, StagePart, concat_parts
from kohaku_lib.storage.stages.map_documents import shifted
from kohaku_lib.tables import NODES, DocumentPayload, StageReport, empty_table
from kohaku_lib.tree.flatten import flatten
from kohaku_lib.tree.resegmenting.resegment import is_hard_wrapped, resegment


def build_tree(documents: pa.Table, captions: pa.Table, settings: TreeSettings) -> tuple[pa.Table, StageReport]:
    """Return the nodes of all parsed `documents` (a row each) with the texts of their images from `captions`.

    The rows of one document are contiguous and in pre-order, so `parent_row` always points upwards. Documents that
    are not parsed are skipped; one without text, with an unreadable payload or with a duplicate id is listed in the
    report and has no nodes. `rows_computed` counts nodes.

    >>> from kohaku_lib.tables import DOCUMENTS, IMAGE_CAPTIONS
    >>> table, report = build_tree(empty_table(DOCUMENTS), empty_table(IMAGE_CAPTIONS), TreeSettings())
    >>> table.num_rows, report.problems
    (0, ())
    """
    return concat_parts(list(tree_parts([documents], captions, settings, PreviousOutput(None, ""))))


def tree_parts(
    documents: Iterable[pa.Table], captions: pa.Table, settings: TreeSettings, previous: PreviousOutput
) -> Iterator[StagePart]:
    """Yield the tree of `build_tree` one document at a time; those found in `previous` are not rebuilt."""
    images: dict[str, list[tuple[str, str]]] = {}
    for document_id, key, text in zip(
        *(captions[name].to_pylist() for name in ("document_id", "storage_key", "text")), strict=True
    ):
        images.setdefault(document_id, []).append((key, text))
    taken: set[str] = set()
    rows = 0
    yield StagePart(empty_table(NODES), StageReport(0, metrics={"documents_resegmented": 0.0}))
    for row in (row for table in documents for row in table.select(_COLUMNS).to_pylist()):
        if row["status"] != "parsed" or row["payload_json"] is None:
            continue
        key = previous.key(digest([row, images.get(row["document_id"], [])]))
        table, piece, is_new = _recall_tree(previous, key) or _new_tree(
            row, images.get(row["document_id"], []), settings, key
        )
        document_id = encode_document_id(row["document_id"])
        if document_id in taken:
            why = "another document has the same id"
            table, piece, is_new = _empty_tree(row, f"has no usable payload and was left out: {why}", "")
        elif table.num_rows:
            taken.add(document_id)
        computed, reused = (piece.rows, 0) if is_new else (0, piece.rows)
        report = StageReport(computed, reused, piece.problems, piece.metrics)
        yield StagePart(shifted(table, rows), report, (piece,))
        rows += piece.rows


def encode_document_id(document_id: str) -> str:
    """Return `document_id` with every ":" and whitespace character percent-encoded.

    Ancestors are recognised by `child.startswith(parent + ":")`, so the separator must not occur in an id. Other
    characters are unchanged, so that encoding is idempotent.

    >>> encode_document_id("annual report:2023")
    'annual%20report%3A2023'
    >>> encode_document_id(encode_document_id("a b"))
    'a%20b'
    """
    return re.sub(r"[:\s]", lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), document_id)


_Tree = tuple[pa.Table, Piece, bool]  # the last: whether it was built just now
_COLUMNS = ("document_id", "org_id", "title", "status", "metadata_json", "payload_json")


def _recall_tree(previous: PreviousOutput, key: str) -> _Tree | None:
    place = previous.place(key)
    if place is None:
        return None
    piece, table = previous.piece(place)
    return table, piece, False


def _new_tree(row: Mapping[str, Any], images: Sequence[tuple[str, str]], settings: TreeSettings, key: str) -> _Tree:
    try:
        payload = _payload_of_row(row)
    except (ValueError, KohakuError) as error:
        return _empty_tree(row, f"has no usable payload and was left out: {error}", key)
    hard_wrapped = settings.resegment and is_hard_wrapped(payload)
    if hard_wrapped:
        payload = resegment(payload, settings)
    columns = flatten(payload, row["org_id"], dict(images), settings)
    if not len(columns):
        return _empty_tree(row, "has no text and was left out", key)
    table = columns.table()
    metrics = _kind_counts(table) | {"documents_resegmented": float(hard_wrapped)}
    return table, Piece(key, table.num_rows, metrics=metrics), True


def _empty_tree(row: Mapping[str, Any], why: str, key: str) -> _Tree:
    return empty_table(NODES), Piece(key, 0, (f"document {row['document_id']!r} {why}",)), True


def _payload_of_row(row: Mapping[str, Any]) -> DocumentPayload:
    payload = payload_from_json(_storable_json(row["payload_json"]))
    document_id = encode_document_id(row["document_id"])
    known = {key: value for key, value in json.loads(row["metadata_json"]).items() if value not in (None, "")}
    title = row["title"] or payload.title or document_id
    return replace(payload, document_id=document_id, title=title, metadata={**payload.metadata, **known})


def _storable_json(text: str) -> Any:
    """Return the value of a JSON text; lone surrogates, which no table can store, become "?"."""
    value = json.loads(text)
    if "\\ud" not in text.lower():
        return value
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def _kind_counts(nodes: pa.Table) -> dict[str, float]:
    return {f"{entry['values']}_nodes": float(entry["counts"]) for entry in nodes["kind"].value_counts().to_pylist()}
