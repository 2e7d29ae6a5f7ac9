"""The knowledge graph: entities, their names, mentions and relations."""

from kohaku_lib.index.graph.acronyms import find_definitions
from kohaku_lib.index.graph.arrays import GraphIndex, write_graph
from kohaku_lib.index.graph.chat import GRAPH_ROW_CACHE_SCHEMA, ChatExtractor
from kohaku_lib.index.graph.chat_prompt import GraphPrompt
from kohaku_lib.index.graph.describe import describe_entities
from kohaku_lib.index.graph.entities import canonical_name
from kohaku_lib.index.graph.extract import GRAPH_COLUMNS, extract_mentions, with_first_names
from kohaku_lib.index.graph.hits import GraphHits, Keyword
from kohaku_lib.index.graph.mention_table import write_mentions
from kohaku_lib.index.graph.rules import find_mentions

__all__ = [
    "GRAPH_COLUMNS",
    "GRAPH_ROW_CACHE_SCHEMA",
    "ChatExtractor",
    "GraphHits",
    "GraphIndex",
    "GraphPrompt",
    "Keyword",
    "canonical_name",
    "describe_entities",
    "extract_mentions",
    "find_definitions",
    "find_mentions",
    "with_first_names",
    "write_graph",
    "write_mentions",
]
