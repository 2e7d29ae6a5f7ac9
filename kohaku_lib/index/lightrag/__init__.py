"""LightRAG's high level: the themes of the relations and communities of the knowledge graph."""

from kohaku_lib.index.lightrag.themes import THEME_COLUMNS, find_themes

__all__ = ["THEME_COLUMNS", "find_themes"]
