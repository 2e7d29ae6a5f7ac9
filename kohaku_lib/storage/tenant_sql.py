"""SQL conditions that select the rows of one tenant."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

_NODES = "SELECT node_id FROM {nodes} WHERE org_id = {org}"
_DOCUMENTS = "SELECT document_id FROM {documents} WHERE org_id = {org}"
_FIGURES = "SELECT storage_key FROM {image_blobs} WHERE document_id IN (" + _DOCUMENTS + ")"  # noqa: S608 - own names
_CONDITIONS = {  # the first column that the table has determines the condition
    "org_id": "org_id = {org}",
    "node_id": "node_id IN (" + _NODES + " UNION ALL " + _FIGURES + ")",  # vectors of figures have their storage keys
    "document_id": "document_id IN (" + _DOCUMENTS + ")",
    "term_id": "term_id IN (SELECT term_id FROM {lex_postings} WHERE node_id IN (" + _NODES + "))",  # noqa: S608
    "key": "key NOT IN ('counts', 'search_sentences', 'search_paragraphs')",  # counts over all tenants
}


def tenant_condition(columns: Sequence[str], org_id: str, sources: dict[str, str]) -> str:
    """Return the condition that restricts a table with `columns` to the rows of `org_id`; "true" if no column tells.

    `sources` maps the names of the index's tables to their FROM expressions.

    >>> tenant_condition(["entity_id", "org_id"], "o'neill", {})
    "org_id = 'o''neill'"
    """
    condition = next((condition for column, condition in _CONDITIONS.items() if column in columns), "true")
    return condition.format_map({**sources, "org": text_literal(org_id)})


def text_literal(value: str) -> str:
    """Quote `value` as an SQL string literal, for statements that take no parameters.

    >>> text_literal("it's")
    "'it''s'"
    """
    return "'" + value.replace("'", "''") + "'"


def path_literal(value: Path) -> str:
    """Quote the absolute path `value` as an SQL string literal.

    >>> path_literal(Path("/data/it's here"))
    "'/data/it''s here'"
    """
    return text_literal(str(value.resolve()))
