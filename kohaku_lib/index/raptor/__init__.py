"""RAPTOR: a tree of summaries above the paragraphs, and its lineage to them."""

from kohaku_lib.index.raptor.lineage import summary_leaves
from kohaku_lib.index.raptor.tree import RAPTOR_COLUMNS, summarise_nodes

__all__ = ["RAPTOR_COLUMNS", "summarise_nodes", "summary_leaves"]
