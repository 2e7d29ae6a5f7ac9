"""The table of stages: all that is told of each asset but the code of its step. Needs no Dagster."""

from __future__ import annotations

from collections.abc import Iterable

from kohaku_assets.pipeline.result_free import RESULT_FREE
from kohaku_assets.pipeline.stage import Stage
from kohaku_assets.pipeline.stages.answer import ANSWER
from kohaku_assets.pipeline.stages.evaluate import EVALUATE
from kohaku_assets.pipeline.stages.index import INDEX
from kohaku_assets.pipeline.stages.ingest import INGEST
from kohaku_lib.settings import Settings
from kohaku_lib.settings.section import Slice

STAGES: dict[str, Stage] = {stage.name: stage for stage in (*INGEST, *INDEX, *ANSWER, *EVALUATE)}
# The blocking checks of each stage's output, by name; `kohaku_assets.assets.checks` implements them.
CHECKS = {
    "tree_nodes": ("index_not_empty", "ids_unique", "parents_exist"),
    "lexical_index": ("leaves_and_terms_agree",),
    "node_embeddings": ("every_leaf_has_a_vector", "dimensions_agree", "norms_are_one"),
    "retrieval_scores": ("retrieval_not_worse_than_published",),
    "scores": ("answers_not_worse_than_published",),
}
MEASURED = ("scores", "retrieval_scores")  # the quality measurements of answers and contexts
GROUPS = tuple(dict.fromkeys(stage.group for stage in STAGES.values()))


def parents(stage: Stage, settings: Settings) -> tuple[str, ...]:
    """Return those assets that `stage` reads which `settings` switch on."""
    return tuple(name for name in stage.reads if STAGES[name].is_on(settings))


def readable(name: str, settings: Settings, *, by_effect: bool = False) -> Slice:
    """Return the settings that the code of a stage may read, as a change of each is noticed.

    These are the settings of its slice and those of inputs whose hash covers theirs. An effect runs whenever the
    version changes, so that it may read the settings of all inputs.

    >>> "embedding.model" in readable("vector_tables", Settings()).keys
    True
    """
    keys, pending, seen = set(RESULT_FREE), [name], set[str]()
    while pending:
        stage = STAGES[pending.pop()]
        keys.update(stage.keys_read(settings))
        inputs = (STAGES[one] for one in parents(stage, settings) if one not in seen)
        covered = [one.name for one in inputs if by_effect or one.hash_inputs or one.name == "vector_tables"]
        pending, seen = [*pending, *covered], seen.union(covered)
    return Slice(name, frozenset(keys))


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
    ['ensemble_votes', 'scores', 'error_report', 'submission', 'published_index', 'suggested_questions']
    """
    reached = set(names)
    for name, stage in STAGES.items():
        if reached.intersection(stage.reads):
            reached.add(name)
    return [name for name, stage in STAGES.items() if name in reached and stage.is_on(settings)]
