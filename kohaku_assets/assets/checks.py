"""Blocking asset checks: an invalid stage output blocks everything downstream of it, in this run and later ones.

This module maps each check to its rule. The table of stages assigns checks to assets; the rules are functions of
`kohaku_lib`.
"""

# Without `from __future__ import annotations`: Dagster reads the type of `context`.
from collections.abc import Callable, Iterable, Sequence

import dagster as dg
import pyarrow as pa

from kohaku_assets.assets.place import Place
from kohaku_assets.assets.resources import STORE, step_pool
from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stages import CHECKS
from kohaku_assets.records.release import judge_answers, judge_retrieval
from kohaku_lib.evaluation import GateVerdict
from kohaku_lib.index.integrity import duplicate_ids, leaves_without, off_unit_norms, orphans, rows_without_leaf
from kohaku_lib.storage import aligned_windows

Offenders = Callable[[Project], Sequence[str]]
Judge = Callable[[Project], GateVerdict | None]


def build_checks(place: Place) -> list[dg.AssetChecksDefinition]:
    """Return the checks of all stages, which stand at `place`."""
    return [_asset_check(asset, name, place) for asset, names in CHECKS.items() for name in names]


def offenders_of(name: str, project: Project) -> Sequence[str]:
    """Return what violates the rule of a check in the latest outputs of `project`."""
    if name in _OFFENDERS:
        return _OFFENDERS[name](project)
    verdict = _JUDGES[name](project)
    return [verdict.sentence] if verdict is not None and verdict.is_refused else []


def _asset_check(asset: str, name: str, place: Place) -> dg.AssetChecksDefinition:
    resource = place.name(STORE)

    @dg.asset_check(
        asset=place.key(asset),
        name=name,
        description=_DESCRIPTIONS[name],
        blocking=True,
        required_resource_keys={resource},
        pool=step_pool(place),
    )
    def check(context: dg.AssetCheckExecutionContext) -> dg.AssetCheckResult:
        run: Run = getattr(context.resources, resource)
        result = _judged(_JUDGES[name], run.project) if name in _JUDGES else _counted(name, run.project)
        if not result.passed and result.severity == dg.AssetCheckSeverity.ERROR:
            run.project.reject(asset, f"check {name} failed: {result.description}")
        run.unchecked.discard(name)
        return result

    return check


def _counted(name: str, project: Project) -> dg.AssetCheckResult:
    """Return the result of a check that counts what violates its rule."""
    found = _OFFENDERS[name](project)
    listed = ", ".join(found[:3])
    sentence = f"{len(found)} of them, such as {listed}" if found and name not in _TOLD_IN_SENTENCES else listed
    return dg.AssetCheckResult(passed=not found, description=sentence, metadata={"offenders": len(found)})


def _judged(judge: Judge, project: Project) -> dg.AssetCheckResult:
    """Return the result of a check that compares scores: what, on how many questions, and what would have passed."""
    verdict = judge(project)
    if verdict is None:
        return dg.AssetCheckResult(passed=True, description="there are no scores of a published index to compare")
    return dg.AssetCheckResult(
        passed=not (verdict.is_refused or verdict.is_doubtful),
        severity=dg.AssetCheckSeverity.ERROR if verdict.is_refused else dg.AssetCheckSeverity.WARN,
        description=verdict.sentence,
        metadata={name: round(value, 4) for name, value in verdict.figures.items()},
    )


def _no_nodes(project: Project) -> list[str]:
    problem = "the documents contain no nodes; put readable documents into corpus.documents"
    return [] if project.files.open_latest("tree_nodes").num_rows else [problem]


def _duplicate_node_ids(project: Project) -> Sequence[str]:
    return duplicate_ids(project.files.open_latest("tree_nodes", ["node_id"]))


def _orphan_nodes(project: Project) -> list[str]:
    nodes = project.files.open_latest("tree_nodes", ["node_id", "parent_id"])
    return [node_id for [window] in aligned_windows([nodes]) for node_id in orphans(window)]


def _without_vector(project: Project) -> list[str]:
    windows = _leaves_beside(project, "node_embeddings")
    return [node_id for own, rows in windows for node_id in leaves_without(own, rows)]


def _unlike_terms(project: Project) -> list[str]:
    windows = _leaves_beside(project, "lexical_index")
    return [
        node_id for own, rows in windows for find in (leaves_without, rows_without_leaf) for node_id in find(own, rows)
    ]


def _leaves_beside(project: Project, asset: str) -> Iterable[Sequence[pa.Table]]:
    """Return the nodes and the rows of `asset`, some documents at a time."""
    nodes = project.files.open_latest("tree_nodes", ["node_id", "searchable"])
    return aligned_windows([nodes, project.files.open_latest(asset, ["node_id"])])


def _wrong_dimensions(project: Project) -> list[str]:
    wanted = project.settings.embedding.dim
    dims = {name: _dimensions(project, name) for name in ("sentence_embeddings", "node_embeddings")}
    wanted = wanted or dims["sentence_embeddings"]
    return [f"{name} has {dim} dimensions instead of {wanted}" for name, dim in dims.items() if dim != wanted]


def _dimensions(project: Project, asset: str) -> int:
    return project.files.open_latest(asset, ["vector"]).schema.field("vector").type.list_size


def _wrong_norms(project: Project) -> list[str]:
    batches = project.files.open_latest("node_embeddings").batches()
    return [node_id for vectors in batches for node_id in off_unit_norms(vectors)]


_OFFENDERS: dict[str, Offenders] = {
    "index_not_empty": _no_nodes,
    "ids_unique": _duplicate_node_ids,
    "parents_exist": _orphan_nodes,
    "leaves_and_terms_agree": _unlike_terms,
    "every_leaf_has_a_vector": _without_vector,
    "dimensions_agree": _wrong_dimensions,
    "norms_are_one": _wrong_norms,
}

_TOLD_IN_SENTENCES = ("index_not_empty", "dimensions_agree")  # the others by ids

_JUDGES: dict[str, Judge] = {  # only published_index reads these two assets, so they block nothing else
    "retrieval_not_worse_than_published": judge_retrieval,
    "answers_not_worse_than_published": judge_answers,
}

_DESCRIPTIONS = {
    "index_not_empty": "The documents contain at least one node.",
    "ids_unique": "No two nodes have the same id.",
    "parents_exist": "The parent of every node is a node.",
    "leaves_and_terms_agree": "Every searchable leaf has its row in the lexical index, and every row its leaf.",
    "every_leaf_has_a_vector": "Every searchable leaf has its row among the embeddings.",
    "dimensions_agree": "All embeddings have the dimension of the model.",
    "norms_are_one": "All embeddings have length 1.",
    "retrieval_not_worse_than_published": "release.retrieval_metric is not significantly worse than in the published index.",
    "answers_not_worse_than_published": "release.answer_metric is not significantly worse than in the published index.",
}
