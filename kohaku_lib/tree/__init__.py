"""Document payloads → the table of nodes: paragraphs, sentences, table rows and ids, parents before children."""

from kohaku_lib.tree.build import build_tree, encode_document_id, tree_parts
from kohaku_lib.tree.table_rows import table_opening

__all__ = ["build_tree", "encode_document_id", "table_opening", "tree_parts"]
