"""Payloads → nodes: rebuilt paragraphs, sentences, rows of tables, ids, and the table in which parents stand before children."""

from kohaku_lib.tree.build import build_tree, tree_parts
from kohaku_lib.tree.sentences import sentence_spans
from kohaku_lib.tree.storage_keys import encode_document_id
from kohaku_lib.tree.table_rows import table_opening

__all__ = ["build_tree", "encode_document_id", "sentence_spans", "table_opening", "tree_parts"]
