"""Documents → the table of nodes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa

from kohaku_lib.documents.payloads import payload_from_json
from kohaku_lib.errors import KohakuError
from kohaku_lib.settings import TreeSettings
from kohaku_lib.tables import NODES, DocumentPayload, StageReport, empty_table
from kohaku_lib.tree.flatten import flatten
from kohaku_lib.tree.resegment import is_hard_wrapped, resegment
from kohaku_lib.tree.storage_keys import encode_document_id


def build_tree(documents: pa.Table, captions: pa.Table, settings: TreeSettings) -> tuple[pa.Table, StageReport]:
    """Return the nodes of all parsed `documents` (a row each) with the texts of their images from `captions`.

    The rows of one document stand together in pre-order, so `parent_row` always points upwards. Documents that
    are not parsed are passed over; one without text, with an unreadable payload or with an id that was taken
    already is listed in the report and gives no nodes. `rows_computed` counts nodes.

    >>> from kohaku_lib.tables import DOCUMENTS, IMAGE_CAPTIONS
    >>> table, report = build_tree(empty_table(DOCUMENTS), empty_table(IMAGE_CAPTIONS), TreeSettings())
    >>> table.num_rows, report.problems
    (0, ())
    """
    caption_by_key = dict(zip(captions["storage_key"].to_pylist(), captions["text"].to_pylist(), strict=True))
    tables: list[pa.Table] = []
    problems: list[str] = []
    taken: set[str] = set()
    rows = resegmented = 0
    for row in documents.to_pylist():
        if row["status"] != "parsed" or row["payload_json"] is None:
            continue
        try:
            payload = _payload(row, taken)
        except (ValueError, KohakuError) as error:
            problems.append(f"document {row['document_id']!r} has no usable payload and was left out: {error}")
            continue
        if settings.resegment and is_hard_wrapped(payload):
            payload = resegment(payload, settings)
            resegmented += 1
        columns = flatten(payload, row["org_id"], caption_by_key, settings)
        if not len(columns):
            problems.append(f"document {row['document_id']!r} has no text and was left out")
            continue
        taken.add(payload.document_id)
        tables.append(columns.table(rows))
        rows += len(columns)
    nodes = pa.concat_tables(tables).combine_chunks() if tables else empty_table(NODES)
    return nodes, StageReport(nodes.num_rows, problems=tuple(problems), metrics=_metrics(nodes, resegmented))


def _payload(row: Mapping[str, Any], taken: set[str]) -> DocumentPayload:
    payload = payload_from_json(_json(row["payload_json"]))
    document_id = encode_document_id(row["document_id"])
    if document_id in taken:
        msg = "another document has the same id"
        raise ValueError(msg)
    known = {key: value for key, value in json.loads(row["metadata_json"]).items() if value not in (None, "")}
    title = row["title"] or payload.title or document_id
    return replace(payload, document_id=document_id, title=title, metadata={**payload.metadata, **known})


def _json(text: str) -> Any:
    """Return the value of a JSON text; half surrogate pairs, which no table can hold, become "?"."""
    value = json.loads(text)
    if "\\ud" not in text.lower():
        return value
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def _metrics(nodes: pa.Table, resegmented: int) -> dict[str, float]:
    kinds = nodes["kind"].value_counts().to_pylist()
    counts = {f"{entry['values']}_nodes": float(entry["counts"]) for entry in kinds}
    return {**counts, "documents_resegmented": float(resegmented)}
