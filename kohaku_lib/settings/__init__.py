"""The settings of a project: what may be set, where each value came from, and what a stage reads of them."""

from kohaku_lib.settings.keys import leaf_fields, pick, value_of
from kohaku_lib.settings.loading import LoadedSettings, load_settings
from kohaku_lib.settings.models import (
    AnswerSettings,
    CorpusSettings,
    DocumentsSettings,
    EmbeddingSettings,
    EngineSettings,
    EnsembleSettings,
    GraphSettings,
    ImagesSettings,
    LexicalSettings,
    LlmSettings,
    PlannerSettings,
    Price,
    ReplaySettings,
    RetrievalSettings,
    Settings,
    TreeSettings,
    VectorsSettings,
)

__all__ = [
    "AnswerSettings",
    "CorpusSettings",
    "DocumentsSettings",
    "EmbeddingSettings",
    "EngineSettings",
    "EnsembleSettings",
    "GraphSettings",
    "ImagesSettings",
    "LexicalSettings",
    "LlmSettings",
    "LoadedSettings",
    "PlannerSettings",
    "Price",
    "ReplaySettings",
    "RetrievalSettings",
    "Settings",
    "TreeSettings",
    "VectorsSettings",
    "leaf_fields",
    "load_settings",
    "pick",
    "value_of",
]
