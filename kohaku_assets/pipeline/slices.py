"""The settings and prompts that affect the result of each stage, as far as the selected kinds read them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from kohaku_assets.pipeline.kind_keys import asking_keys, chat_keys, rerank_keys, reranker_kinds
from kohaku_lib.documents.formats.interface import FORMATS
from kohaku_lib.documents.ocr import engine_identity, figure_setting_names, ocr_setting_names
from kohaku_lib.embedding.model_folder import model_identity, model_kind
from kohaku_lib.kinds import CHANNELS, CONSENSUS, FUSIONS, PROVIDERS, TIE_BREAKS, VOTE_MODES
from kohaku_lib.retrieval.rerank import RERANKERS, asks_chat
from kohaku_lib.settings import RetrievalSettings, Settings, value_of
from kohaku_lib.settings.engine_combinations import ENGINES


def _embedding_model(settings: Settings) -> str:
    """The model name; for a folder its content, independent of its path."""
    name = settings.embedding.model
    return model_identity(name) if model_kind(name) == "folder" else name


def _fallback_model(settings: Settings) -> str:
    return settings.llm.fallback.model or settings.llm.model


def _planner_kind(settings: Settings) -> str:
    return "chat" if settings.planner.kind != "rule" and PROVIDERS.get(settings.llm.provider).uses_chat else "rule"


def graph_extractor(settings: Settings) -> str:
    """Return the entity extractor under `settings`: "chat" (in addition to the rules) or "rule"."""
    wants_chat = settings.graph.enabled and settings.graph.extractor != "rule"
    return "chat" if wants_chat and PROVIDERS.get(settings.llm.provider).uses_chat else "rule"


def _reranker_names(settings: Settings) -> list[str]:
    return list(reranker_kinds(settings, has_chat=PROVIDERS.get(settings.llm.provider).uses_chat))


# settings whose effective value differs from their text
RESOLVED: dict[str, Callable[[Settings], Any]] = {
    "embedding.model": _embedding_model,
    "planner.kind": _planner_kind,
    "graph.extractor": graph_extractor,
    "rerank.kind": _reranker_names,
    "llm.fallback.model": _fallback_model,
    "llm.models": lambda settings: settings.llm.facts().context_window,  # all that structured answers go by
    "documents.ocr": lambda settings: engine_identity(settings.documents.ocr),
}


def documents_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect parsing."""
    yield from (f"documents.{name}" for kind in FORMATS for name in kind.settings_keys)
    yield from ("documents.time_limit_s", "documents.memory_limit_mb")
    if any(kind.reads_by_ocr for kind in FORMATS):
        yield from (f"documents.{name}" for name in ocr_setting_names(settings.documents))
    yield "corpus.org_id"
    if settings.corpus.org_folders:
        yield "corpus.org_folders"


def caption_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect captions of figures."""
    yield "images.captions"
    yield from (f"documents.{name}" for name in figure_setting_names(settings.documents))
    if settings.images.captions == "vision":
        yield from ("llm.provider", "images.caption_max_tokens")
        yield "images.caption_model" if settings.images.caption_model else "llm.model"
        yield from chat_keys(settings)


def graph_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect the knowledge graph."""
    yield "graph.enabled"
    if settings.graph.enabled:
        yield "graph.extractor"
        if graph_extractor(settings) == "chat":
            yield from ("llm.provider", "graph.entity_types", "graph.relation_types", "graph.max_tokens")
            yield "graph.model" if settings.graph.model else "llm.model"
            yield from chat_keys(settings)


def tree_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect the tree."""
    yield from ("tree.view", "tree.resegment", "tree.sentence_splitter", "tree.id_base", "tree.id_scope")
    yield from ("tree.parent_texts", "tree.search_placeholders")
    if settings.tree.sentence_splitter == "guarded":
        yield "tree.min_sentence_chars"
    if settings.tree.view == "parent_child":
        yield from ("tree.parent_tokens", "tree.child_tokens", "tree.child_overlap_tokens")


def embedder_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect vectors of texts."""
    yield from ("embedding.model", "embedding.dim", "embedding.task", "embedding.long_texts")
    kind = model_kind(settings.embedding.model)
    if kind == "hub":
        yield "embedding.revision"
    if kind != "server" and settings.embedding.precision != "auto":
        yield "embedding.precision"
    if kind == "server":
        yield from ("embedding.server_dimensions", "embedding.input_tokens")


def paragraph_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect vectors of paragraphs."""
    yield "embedding.paragraph_mode"
    if settings.embedding.paragraph_mode != "averaged":
        yield from embedder_keys(settings)


def image_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect vectors of images."""
    yield "embedding.images"
    unread = {"embedding.long_texts"} if settings.embedding.images == "direct" else set()
    yield from (key for key in embedder_keys(settings) if key not in unread)


def planner_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect query plans."""
    yield from ("planner.max_queries", "planner.kind", "planner.routing")
    if _planner_kind(settings) == "chat":
        yield from ("planner.style", "planner.hyde", "planner.step_back")
        if settings.planner.routing == "rules":
            yield "planner.classifier"
        yield "llm.provider"
        yield "planner.model" if settings.planner.model else "llm.model"
        yield from chat_keys(settings)


def index_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect the index beside its inputs."""
    yield from ("lexical.k1", "lexical.b", "lexical.stemmer", "vectors.precision", "vectors.ann")
    # Those that switch engines on, as their assets are then inputs.
    yield from (key for key in ENGINES.values() if value_of(settings, key))
    if settings.late.enabled:
        yield "late.compression"


def raptor_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect the tree of summaries."""
    yield from ("raptor.enabled", "raptor.cluster_size", "raptor.levels")
    yield from (*_summary_keys(settings, "raptor"), *embedder_keys(settings))


def lightrag_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect the themes of the knowledge graph."""
    yield from ("lightrag.enabled", "lightrag.relations_per_entity", "lightrag.min_community")
    yield from (*_summary_keys(settings, "lightrag"), *embedder_keys(settings))


def token_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect token vectors."""
    yield "late.enabled"
    yield from (key for key in embedder_keys(settings) if key not in ("embedding.dim", "embedding.long_texts"))


def _summary_keys(settings: Settings, section: str) -> Iterator[str]:
    yield from (f"{section}.summariser", f"{section}.summary_tokens")
    if value_of(settings, f"{section}.summariser") == "chat":
        yield "llm.provider"
        yield f"{section}.model" if value_of(settings, f"{section}.model") else "llm.model"
        yield from chat_keys(settings)


def retrieval_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect contexts."""
    retrieval = settings.retrieval
    unread = {"channel_timeout_s", "graph_server", "graph_server_timeout_s"}
    unread |= _keys_of_all_kinds() - _keys_of_chosen_kinds(retrieval)
    if retrieval.dedup_first:
        unread.discard("deduplicate")
    if settings.vectors.precision == "float32" and settings.vectors.ann == "off":
        unread.add("rescore")
    yield from (f"retrieval.{name}" for name in type(retrieval).model_fields if name not in unread)
    has_chat = PROVIDERS.get(settings.llm.provider).uses_chat
    yield from rerank_keys(settings, has_chat=has_chat)
    if asks_chat(settings.rerank, has_chat=has_chat):
        yield from chat_keys(settings)


def _keys_of_all_kinds() -> set[str]:
    """Return the fields of retrieval that only particular kinds read."""
    kinds = (*FUSIONS, *CONSENSUS, *CHANNELS)
    weights = {channel.weight_key for channel in CHANNELS if channel.weight_key}
    return weights.union(*(kind.settings_keys for kind in kinds))


def _keys_of_chosen_kinds(retrieval: RetrievalSettings) -> set[str]:
    """Return those of these fields that the selected kinds read."""
    fusion = FUSIONS.get(retrieval.fusion)
    channels = [CHANNELS.get(name) for name, weight in fusion.weights(retrieval).items() if weight]
    kinds = (fusion, CONSENSUS.get(retrieval.rerank), *channels)
    weights = {key for key in fusion.weight_keys() if getattr(retrieval, key)}  # a weight of 0 is that of no channel
    return weights.union(*(kind.settings_keys for kind in kinds))


def prediction_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect answers."""
    yield "llm.provider"
    kind = PROVIDERS.get(settings.llm.provider)
    yield from kind.settings_keys
    if kind.is_recorded:
        return
    yield from ("ensemble.runs", "answer.max_retries")
    if settings.answer.max_retries:
        yield "answer.deepening"
        # Retries retrieve deeper contexts: two settings may agree on the first context but not on these.
        yield from retrieval_keys(settings)
        if _replans(settings):
            yield "answer.replan_on_retry"
            yield from planner_keys(settings)
    if kind.uses_chat:
        yield from asking_keys(settings)
        yield from chat_keys(settings)


def _replans(settings: Settings) -> bool:
    return settings.answer.replan_on_retry and _planner_kind(settings) == "chat"


def caption_prompts(settings: Settings) -> Iterator[str]:
    """Yield the prompts that are sent for captions of figures."""
    if settings.images.captions == "vision":
        yield "image_caption"


def graph_prompts(settings: Settings) -> Iterator[str]:
    """Yield the prompts that are sent for the knowledge graph."""
    if graph_extractor(settings) == "chat":
        yield "graph_extraction"


def summary_prompts(settings: Settings, section: str) -> Iterator[str]:
    """Yield the prompts that are sent for the summaries of a section, raptor or lightrag."""
    if value_of(settings, f"{section}.summariser") == "chat":
        yield "cluster_summary"


def planner_prompts(settings: Settings) -> Iterator[str]:
    """Yield the prompts that are sent for query plans."""
    planner = settings.planner
    if _planner_kind(settings) != "chat":
        return
    if planner.style == "channels":
        yield "channel_plan"
    elif planner.max_queries > 1:
        yield "search_queries" if planner.style == "queries" else "question_variations"
    if planner.routing != "off" and planner.max_queries > 1:  # a route may need variations
        yield "question_variations"
    if planner.routing == "rules" and planner.classifier == "chat":
        yield "question_class"
    if planner.hyde != "off":
        yield "hypothetical_passage"
    if planner.step_back != "off":
        yield "broader_question"


def retrieval_prompts(settings: Settings) -> Iterator[str]:
    """Yield the prompts that are sent for contexts."""
    has_chat = PROVIDERS.get(settings.llm.provider).uses_chat
    for kind in reranker_kinds(settings, has_chat=has_chat):
        yield from RERANKERS.get(kind).prompts
    if settings.rerank.verify in ("standard", "thorough"):
        yield "snippet_grading"


def answer_prompts(settings: Settings) -> Iterator[str]:
    """Yield the prompts that are sent for answers."""
    provider = PROVIDERS.get(settings.llm.provider)
    if settings.answer.max_retries and not provider.is_recorded:
        yield from retrieval_prompts(settings)
        if _replans(settings):
            yield from planner_prompts(settings)
    if provider.uses_chat:
        yield "structured_answer"
        if settings.answer.cite == "node":
            yield "node_citation"


def vote_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect the vote."""
    keys = VOTE_MODES.get(settings.ensemble.ref_mode).settings_keys
    yield from ("ensemble.ref_mode", "ensemble.least_runs", *keys)
    if "ensemble.tie_break" in keys:
        yield from TIE_BREAKS.get(settings.ensemble.tie_break).settings_keys
