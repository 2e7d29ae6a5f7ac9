"""The table of stages: for each asset its group, inputs, the settings that affect its result, and its code tag.

Everything here determines staleness, and nothing needs Dagster. A code tag is raised by hand when a stage's code
produces a different result for the same input; tests pin a golden hash of each stage's output.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from kohaku_assets.pipeline.asking_keys import asking_keys, chat_keys
from kohaku_assets.pipeline.rerank_keys import rerank_identities, rerank_keys, reranker_kinds
from kohaku_lib.documents.ocr import engine_identity, figure_setting_names, ocr_setting_names
from kohaku_lib.embedding.model_folder import model_identity, model_kind
from kohaku_lib.kinds import CHANNELS, CONSENSUS, FORMATS, FUSIONS, PROVIDERS, RERANKERS, TIE_BREAKS, VOTE_MODES
from kohaku_lib.prompts import PROMPTS
from kohaku_lib.retrieval.rerank import asks_chat
from kohaku_lib.settings import RetrievalSettings, Settings, pick


@dataclass(frozen=True, slots=True)
class Stage:
    """One asset: `reads` are its parents, `keys` the settings and `prompts` the prompts that affect its result."""

    name: str
    group: str
    reads: tuple[str, ...]
    keys: tuple[str, ...] | Callable[[Settings], Iterable[str]] = ()
    prompts: Callable[[Settings], Iterable[str]] = lambda settings: ()
    code_tag: str = "1"
    reads_files: bool = False  # user files, whose digest is part of the version
    hash_inputs: bool = False  # for floats: the content hash is that of the inputs, not of the bits

    def slice(self, settings: Settings) -> dict[str, Any]:
        """Return the values that affect the result of this stage, by dotted name.

        These are the settings read by the selected kinds and, as "prompts.<name>", the versions of the prompts sent.
        """
        keys = self.keys(settings) if callable(self.keys) else self.keys
        values = pick(settings, keys)
        resolved = {**RESOLVED, **rerank_identities(), **PROVIDERS.get(settings.llm.provider).identities}
        values |= {key: resolve(settings) for key, resolve in resolved.items() if key in values}
        return values | {f"prompts.{name}": PROMPTS.get(name).version for name in self.prompts(settings)}


def _embedding_model(settings: Settings) -> str:
    """The model name; for a folder its content, independent of its path."""
    name = settings.embedding.model
    return model_identity(name) if model_kind(name) == "folder" else name


def _fallback_model(settings: Settings) -> str:
    return settings.llm.fallback.model or settings.llm.model


def _planner(settings: Settings) -> str:
    return "chat" if settings.planner.kind != "rule" and PROVIDERS.get(settings.llm.provider).uses_chat else "rule"


def graph_extractor(settings: Settings) -> str:
    """Return the entity extractor under `settings`: "chat" (in addition to the rules) or "rule"."""
    wants_chat = settings.graph.enabled and settings.graph.extractor != "rule"
    return "chat" if wants_chat and PROVIDERS.get(settings.llm.provider).uses_chat else "rule"


def _rerankers(settings: Settings) -> list[str]:
    return list(reranker_kinds(settings, has_chat=PROVIDERS.get(settings.llm.provider).uses_chat))


# settings whose effective value differs from their text
RESOLVED: dict[str, Callable[[Settings], Any]] = {
    "embedding.model": _embedding_model,
    "planner.kind": _planner,
    "graph.extractor": graph_extractor,
    "rerank.kind": _rerankers,
    "llm.fallback.model": _fallback_model,
    "documents.ocr": lambda settings: engine_identity(settings.documents.ocr),
}


def _documents_keys(settings: Settings) -> Iterator[str]:
    yield from (f"documents.{name}" for kind in FORMATS for name in kind.settings_keys)
    yield from ("documents.time_limit_s", "documents.memory_limit_mb")
    if any(kind.reads_by_ocr for kind in FORMATS):
        yield from (f"documents.{name}" for name in ocr_setting_names(settings.documents))
    yield "corpus.org_id"


def _caption_keys(settings: Settings) -> Iterator[str]:
    yield "images.captions"
    yield from (f"documents.{name}" for name in figure_setting_names(settings.documents))
    if settings.images.captions == "vision":
        yield from ("llm.provider", "images.caption_max_tokens")
        yield "images.caption_model" if settings.images.caption_model else "llm.model"
        yield from chat_keys(settings)


def _graph_keys(settings: Settings) -> Iterator[str]:
    yield "graph.enabled"
    if settings.graph.enabled:
        yield "graph.extractor"
        if graph_extractor(settings) == "chat":
            yield from ("llm.provider", "graph.relation_types", "graph.max_tokens")
            yield "graph.model" if settings.graph.model else "llm.model"
            yield from chat_keys(settings)


def _tree_keys(settings: Settings) -> Iterator[str]:
    yield from ("tree.view", "tree.resegment", "tree.sentence_splitter", "tree.id_base", "tree.id_scope")
    if settings.tree.sentence_splitter == "guarded":
        yield "tree.min_sentence_chars"
    if settings.tree.view == "parent_child":
        yield from ("tree.parent_tokens", "tree.child_tokens", "tree.child_overlap_tokens")


def _embedder_keys(settings: Settings) -> Iterator[str]:
    yield from ("embedding.model", "embedding.dim", "embedding.task", "embedding.long_texts")
    kind = model_kind(settings.embedding.model)
    if kind == "hub":
        yield "embedding.revision"
    if kind == "server":
        yield from ("embedding.server_dimensions", "embedding.input_tokens")


def _paragraph_keys(settings: Settings) -> Iterator[str]:
    yield "embedding.paragraph_mode"
    if settings.embedding.paragraph_mode != "averaged":
        yield from _embedder_keys(settings)


def _image_keys(settings: Settings) -> Iterator[str]:
    yield "embedding.images"
    unread = {"embedding.long_texts"} if settings.embedding.images == "direct" else set()
    yield from (key for key in _embedder_keys(settings) if key not in unread)


def _planner_keys(settings: Settings) -> Iterator[str]:
    yield from ("planner.max_queries", "planner.kind", "planner.routing")
    if _planner(settings) == "chat":
        yield from ("planner.style", "planner.hyde", "planner.step_back")
        if settings.planner.routing == "rules":
            yield "planner.classifier"
        yield "llm.provider"
        yield "planner.model" if settings.planner.model else "llm.model"
        yield from chat_keys(settings)


def _retrieval_keys(settings: Settings) -> Iterator[str]:
    retrieval = settings.retrieval
    unread = {"channel_timeout_s", "graph_server", "graph_server_timeout_s"}
    unread |= _keys_of_all_kinds() - _keys_of_chosen_kinds(retrieval)
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
    searched = [CHANNELS.get(name) for name, weight in fusion.weights(retrieval).items() if weight]
    kinds = (fusion, CONSENSUS.get(retrieval.rerank), *searched)
    return set(fusion.weight_keys()).union(*(kind.settings_keys for kind in kinds))


def _prediction_keys(settings: Settings) -> Iterator[str]:
    yield "llm.provider"
    kind = PROVIDERS.get(settings.llm.provider)
    yield from kind.settings_keys
    if kind.is_recorded:
        return
    yield from ("ensemble.runs", "answer.max_retries")
    if settings.answer.max_retries:
        yield "answer.deepening"
        # Retries retrieve deeper contexts: two settings may agree on the first context but not on these.
        yield from _retrieval_keys(settings)
    if kind.uses_chat:
        yield from asking_keys(settings)
        yield from chat_keys(settings)


def _caption_prompts(settings: Settings) -> Iterator[str]:
    if settings.images.captions == "vision":
        yield "image_caption"


def _graph_prompts(settings: Settings) -> Iterator[str]:
    if graph_extractor(settings) == "chat":
        yield "graph_extraction"


def _planner_prompts(settings: Settings) -> Iterator[str]:
    planner = settings.planner
    if _planner(settings) != "chat":
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


def _retrieval_prompts(settings: Settings) -> Iterator[str]:
    has_chat = PROVIDERS.get(settings.llm.provider).uses_chat
    for kind in reranker_kinds(settings, has_chat=has_chat):
        yield from RERANKERS.get(kind).prompts
    if settings.rerank.verify in ("standard", "thorough"):
        yield "snippet_grading"


def _answer_prompts(settings: Settings) -> Iterator[str]:
    provider = PROVIDERS.get(settings.llm.provider)
    if settings.answer.max_retries and not provider.is_recorded:
        yield from _retrieval_prompts(settings)
    if provider.uses_chat:
        yield "structured_answer"


def _vote_keys(settings: Settings) -> Iterator[str]:
    keys = VOTE_MODES.get(settings.ensemble.ref_mode).settings_keys
    yield from ("ensemble.ref_mode", *keys)
    if "ensemble.tie_break" in keys:
        yield from TIE_BREAKS.get(settings.ensemble.tie_break).settings_keys


_ALL = (
    Stage("source_files", "ingest", (), reads_files=True, code_tag="2"),
    Stage("documents", "ingest", ("source_files",), _documents_keys, code_tag="2"),
    Stage("document_images", "ingest", ("documents",), ("images.max_side_px", "images.quality"), code_tag="2"),
    Stage("image_captions", "ingest", ("document_images",), _caption_keys, _caption_prompts, code_tag="2"),
    Stage("tree_nodes", "index", ("documents", "image_captions"), _tree_keys, code_tag="4"),
    Stage("sentence_embeddings", "index", ("tree_nodes",), _embedder_keys, hash_inputs=True),
    Stage("paragraph_embeddings", "index", ("tree_nodes",), _paragraph_keys, hash_inputs=True),
    Stage("lexical_index", "index", ("tree_nodes",), ("lexical.stemmer",), code_tag="3"),
    Stage("knowledge_graph", "index", ("tree_nodes",), _graph_keys, _graph_prompts, code_tag="3"),
    Stage(
        "node_embeddings",
        "index",
        ("sentence_embeddings", "paragraph_embeddings", "tree_nodes"),
        ("embedding.paragraph_mode", "embedding.weighting"),
        hash_inputs=True,
    ),
    Stage("image_embeddings", "index", ("document_images", "image_captions"), _image_keys, hash_inputs=True),
    Stage(
        "vector_tables",
        "index",
        (
            "documents",
            "document_images",
            "tree_nodes",
            "sentence_embeddings",
            "paragraph_embeddings",
            "lexical_index",
            "knowledge_graph",
            "node_embeddings",
            "image_embeddings",
        ),
        ("lexical.k1", "lexical.b", "lexical.stemmer", "vectors.precision", "vectors.ann"),
        code_tag="4",
    ),
    Stage("questions", "answer", (), reads_files=True, code_tag="2"),
    Stage("query_plans", "answer", ("questions",), _planner_keys, _planner_prompts, code_tag="3"),
    Stage(
        "retrieved_context",
        "answer",
        ("query_plans", "vector_tables"),
        _retrieval_keys,
        _retrieval_prompts,
        code_tag="5",
    ),
    Stage(
        "predictions",
        "answer",
        ("questions", "retrieved_context", "vector_tables"),
        _prediction_keys,
        _answer_prompts,
        code_tag="4",
    ),
    Stage("ensemble_votes", "evaluate", ("predictions",), _vote_keys, code_tag="3"),
    Stage("retrieval_scores", "evaluate", ("retrieved_context", "questions")),
    Stage("scores", "evaluate", ("ensemble_votes", "predictions", "questions")),
    Stage(
        "error_report",
        "evaluate",
        ("ensemble_votes", "predictions", "questions", "retrieved_context"),
        ("report.blank_cost",),
        code_tag="3",
    ),
    Stage("submission", "evaluate", ("ensemble_votes", "questions"), ("submission.escape_formulas",)),
    Stage("published_index", "evaluate", ("vector_tables", "scores", "retrieval_scores", "questions")),
)

STAGES: dict[str, Stage] = {stage.name: stage for stage in _ALL}
# The blocking checks of each stage's output, by name; `kohaku_assets.assets.checks` implements them.
CHECKS = {
    "tree_nodes": ("index_not_empty", "ids_unique", "parents_exist"),
    "node_embeddings": ("every_leaf_has_a_vector", "norms_are_one"),
    "retrieval_scores": ("retrieval_not_worse_than_published",),
    "scores": ("answers_not_worse_than_published",),
}
MEASURED = ("scores", "retrieval_scores")  # the quality measurements of answers and contexts
GROUPS = tuple(dict.fromkeys(stage.group for stage in _ALL))


def with_ancestors(names: Iterable[str]) -> list[str]:
    """Return `names` and everything they read, directly or not, in the order of the pipeline.

    >>> with_ancestors(["query_plans"])
    ['questions', 'query_plans']
    """
    wanted: set[str] = set()
    pending = list(names)
    while pending:
        name = pending.pop()
        if name not in wanted:
            wanted.add(name)
            pending.extend(STAGES[name].reads)
    return [name for name in STAGES if name in wanted]


def with_descendants(names: Iterable[str]) -> list[str]:
    """Return `names` and everything that reads them, directly or not, in the order of the pipeline.

    >>> with_descendants(["ensemble_votes"])
    ['ensemble_votes', 'scores', 'error_report', 'submission', 'published_index']
    """
    reached = set(names)
    for name, stage in STAGES.items():
        if reached.intersection(stage.reads):
            reached.add(name)
    return [name for name in STAGES if name in reached]
