"""The settings of a project by section; `kohaku_lib.composition` loads and checks them."""

from kohaku_lib.settings.all_settings import ParallelSettings, Settings
from kohaku_lib.settings.answer_settings import AnswerSettings, FallbackSettings, LlmSettings, ReplaySettings
from kohaku_lib.settings.assistant_settings import AssistantSettings
from kohaku_lib.settings.document_settings import (
    CorpusSettings,
    DocumentsSettings,
    FetchSettings,
    ImagesSettings,
    TreeSettings,
)
from kohaku_lib.settings.engine_index_settings import LateSettings, LightragSettings, RaptorSettings
from kohaku_lib.settings.evaluation_settings import EnsembleSettings, SweepSettings
from kohaku_lib.settings.index_settings import EmbeddingSettings, GraphSettings, LexicalSettings, VectorsSettings
from kohaku_lib.settings.keys import leaf_fields, pick, value_of
from kohaku_lib.settings.model_settings import ModelFacts, Price
from kohaku_lib.settings.retrieval_settings import PlannerSettings, RerankSettings, RetrievalSettings
from kohaku_lib.settings.section import Section
from kohaku_lib.settings.server_settings import ServerSettings

__all__ = [
    "AnswerSettings",
    "AssistantSettings",
    "CorpusSettings",
    "DocumentsSettings",
    "EmbeddingSettings",
    "EnsembleSettings",
    "FallbackSettings",
    "FetchSettings",
    "GraphSettings",
    "ImagesSettings",
    "LateSettings",
    "LexicalSettings",
    "LightragSettings",
    "LlmSettings",
    "ModelFacts",
    "ParallelSettings",
    "PlannerSettings",
    "Price",
    "RaptorSettings",
    "ReplaySettings",
    "RerankSettings",
    "RetrievalSettings",
    "Section",
    "ServerSettings",
    "Settings",
    "SweepSettings",
    "TreeSettings",
    "VectorsSettings",
    "leaf_fields",
    "pick",
    "value_of",
]
