"""Payloads → nodes: rebuilt paragraphs, sentences, ids, and the table in which parents stand before children."""

from kohaku_lib.tree.build import build_tree
from kohaku_lib.tree.sentences import sentence_spans
from kohaku_lib.tree.storage_keys import encode_document_id

__all__ = ["build_tree", "encode_document_id", "sentence_spans"]
