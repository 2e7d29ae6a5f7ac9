"""The table of stages: for each asset its group, inputs, the settings that affect its result, and its code tag.

Everything here determines staleness, and nothing needs Dagster. A code tag is raised by hand when a stage's code
produces a different result for the same input; tests pin a golden hash of each stage's output.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from kohaku_assets.pipeline.kind_keys import rerank_identities
from kohaku_assets.pipeline.slices import (
    RESOLVED,
    answer_prompts,
    caption_keys,
    caption_prompts,
    documents_keys,
    embedder_keys,
    graph_keys,
    graph_prompts,
    image_keys,
    index_keys,
    lightrag_keys,
    paragraph_keys,
    planner_keys,
    planner_prompts,
    prediction_keys,
    raptor_keys,
    retrieval_keys,
    retrieval_prompts,
    summary_prompts,
    token_keys,
    tree_keys,
    vote_keys,
)
from kohaku_lib.kinds import PROVIDERS
from kohaku_lib.prompts import PROMPTS
from kohaku_lib.settings import Settings, pick, value_of

Work = Literal["parse", "embed", "answer"]


@dataclass(frozen=True, slots=True)
class Stage:
    """One asset: `reads` are its parents, `keys` the settings and `prompts` the prompts that affect its result.

    A stage with a `switch` is off unless that setting is true: then nothing reads it, and no refresh runs it.
    """

    name: str
    group: str
    reads: tuple[str, ...]
    keys: tuple[str, ...] | Callable[[Settings], Iterable[str]] = ()
    prompts: Callable[[Settings], Iterable[str]] = lambda settings: ()
    code_tag: str = "1"
    reads_files: bool = False  # user files, whose digest is part of the version
    hash_inputs: bool = False  # for floats: the content hash is that of the inputs, not of the bits
    switch: str | None = None  # None: always on
    work: Work | None = None  # what it mostly does, by which memory and GPUs are set; None: little

    def is_on(self, settings: Settings | None) -> bool:
        """Return whether `settings` (None: the defaults) switch the stage on."""
        return self.switch is None or (settings is not None and value_of(settings, self.switch) is True)

    def parents(self, settings: Settings) -> tuple[str, ...]:
        """Return those of `reads` that `settings` switch on."""
        return tuple(name for name in self.reads if STAGES[name].is_on(settings))

    def slice(self, settings: Settings) -> dict[str, Any]:
        """Return the values that affect the result of this stage, by dotted name.

        These are the settings read by the selected kinds and, as "prompts.<name>", the versions of the prompts sent.
        """
        keys = self.keys(settings) if callable(self.keys) else self.keys
        values = pick(settings, keys)
        resolved = {**RESOLVED, **rerank_identities(), **PROVIDERS.get(settings.llm.provider).identities}
        values |= {key: resolve(settings) for key, resolve in resolved.items() if key in values}
        return values | {f"prompts.{name}": PROMPTS.get(name).version for name in self.prompts(settings)}


_ALL = (
    Stage("source_files", "ingest", (), reads_files=True, code_tag="2"),
    Stage("documents", "ingest", ("source_files",), documents_keys, code_tag="4", work="parse"),
    Stage("document_images", "ingest", ("documents",), ("images.max_side_px", "images.quality"), code_tag="2"),
    Stage("image_captions", "ingest", ("document_images",), caption_keys, caption_prompts, code_tag="2"),
    Stage("tree_nodes", "index", ("documents", "image_captions"), tree_keys, code_tag="7"),
    Stage("sentence_embeddings", "index", ("tree_nodes",), embedder_keys, hash_inputs=True, work="embed"),
    Stage("paragraph_embeddings", "index", ("tree_nodes",), paragraph_keys, hash_inputs=True, work="embed"),
    Stage("lexical_index", "index", ("tree_nodes",), ("lexical.stemmer",), code_tag="4"),
    Stage("knowledge_graph", "index", ("tree_nodes",), graph_keys, graph_prompts, code_tag="3"),
    Stage(
        "node_embeddings",
        "index",
        ("sentence_embeddings", "paragraph_embeddings", "tree_nodes"),
        ("embedding.paragraph_mode", "embedding.weighting"),
        hash_inputs=True,
    ),
    Stage(
        "raptor_summaries",
        "index",
        ("tree_nodes", "node_embeddings"),
        raptor_keys,
        partial(summary_prompts, section="raptor"),
        hash_inputs=True,
        switch="raptor.enabled",
        work="embed",
    ),
    Stage("raptor_leaves", "index", ("raptor_summaries",), switch="raptor.enabled"),
    Stage("token_vectors", "index", ("tree_nodes",), token_keys, hash_inputs=True, switch="late.enabled", work="embed"),
    Stage(
        "lightrag_themes",
        "index",
        ("tree_nodes", "node_embeddings", "knowledge_graph"),
        lightrag_keys,
        partial(summary_prompts, section="lightrag"),
        hash_inputs=True,
        switch="lightrag.enabled",
        work="embed",
    ),
    Stage(
        "image_embeddings", "index", ("document_images", "image_captions"), image_keys, hash_inputs=True, work="embed"
    ),
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
            "raptor_summaries",
            "raptor_leaves",
            "token_vectors",
            "lightrag_themes",
        ),
        index_keys,
        code_tag="5",
    ),
    Stage("questions", "answer", (), reads_files=True, code_tag="2"),
    Stage("query_plans", "answer", ("questions",), planner_keys, planner_prompts, code_tag="4", work="answer"),
    Stage(
        "retrieved_context",
        "answer",
        ("query_plans", "vector_tables"),
        retrieval_keys,
        retrieval_prompts,
        code_tag="6",
        work="answer",
    ),
    Stage(
        "predictions",
        "answer",
        ("questions", "retrieved_context", "vector_tables"),
        prediction_keys,
        answer_prompts,
        code_tag="9",
        work="answer",
    ),
    Stage("ensemble_votes", "evaluate", ("predictions",), vote_keys, code_tag="5"),
    Stage("retrieval_scores", "evaluate", ("retrieved_context", "questions")),
    Stage("scores", "evaluate", ("ensemble_votes", "predictions", "questions")),
    Stage(
        "error_report",
        "evaluate",
        ("ensemble_votes", "predictions", "questions", "retrieved_context"),
        ("report.blank_cost",),
        code_tag="4",
    ),
    Stage("submission", "evaluate", ("ensemble_votes", "questions"), ("submission.escape_formulas",)),
    Stage("published_index", "evaluate", ("vector_tables", "scores", "retrieval_scores", "questions")),
)

STAGES: dict[str, Stage] = {stage.name: stage for stage in _ALL}
# The blocking checks of each stage's output, by name; `kohaku_assets.assets.checks` implements them.
CHECKS = {
    "tree_nodes": ("index_not_empty", "ids_unique", "parents_exist"),
    "lexical_index": ("leaves_and_terms_agree",),
    "node_embeddings": ("every_leaf_has_a_vector", "dimensions_agree", "norms_are_one"),
    "retrieval_scores": ("retrieval_not_worse_than_published",),
    "scores": ("answers_not_worse_than_published",),
}
MEASURED = ("scores", "retrieval_scores")  # the quality measurements of answers and contexts
GROUPS = tuple(dict.fromkeys(stage.group for stage in _ALL))


def with_ancestors(names: Iterable[str], settings: Settings | None = None) -> list[str]:
    """Return `names` and everything they read, directly or not, in the order of the pipeline.

    Stages that `settings` (None: the defaults) do not switch on are left out.

    >>> with_ancestors(["query_plans"])
    ['questions', 'query_plans']
    """
    included: set[str] = set()
    pending = list(names)
    while pending:
        name = pending.pop()
        if name not in included:
            included.add(name)
            pending.extend(STAGES[name].reads)
    return [name for name, stage in STAGES.items() if name in included and stage.is_on(settings)]


def with_descendants(names: Iterable[str], settings: Settings | None = None) -> list[str]:
    """Return `names` and everything that reads them, directly or not, in the order of the pipeline.

    Stages that `settings` (None: the defaults) do not switch on are left out.

    >>> with_descendants(["ensemble_votes"])
    ['ensemble_votes', 'scores', 'error_report', 'submission', 'published_index']
    """
    reached = set(names)
    for name, stage in STAGES.items():
        if reached.intersection(stage.reads):
            reached.add(name)
    return [name for name, stage in STAGES.items() if name in reached and stage.is_on(settings)]
