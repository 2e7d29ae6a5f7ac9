"""Blocking asset checks: a stage whose output breaks a rule stops everything downstream of it, in this run and later.

Here belongs which rule guards which asset; the rules themselves are functions of `kohaku_lib`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import dagster as dg

from kohaku_assets.project import Project
from kohaku_assets.release import worse_answers, worse_retrieval
from kohaku_lib.index.integrity import duplicate_ids, off_unit_norms, orphans, unembedded_leaves
from kohaku_lib.storage import aligned_windows

Offenders = Callable[[], Sequence[str]]


def build_checks(project: Project) -> list[dg.AssetChecksDefinition]:
    """Return the checks of `project`.

    No empty index, unique ids, parents exist, leaves have vectors, norms are 1; and the scores are not significantly
    worse than those of the published index.
    """
    open_latest = project.files.open_latest

    def no_nodes() -> list[str]:
        told = "no document gave a single node; put documents that can be read into corpus.documents"
        return [] if open_latest("tree_nodes").num_rows else [told]

    def lost() -> list[str]:
        nodes = open_latest("tree_nodes", ["node_id", "parent_id"])
        return [found for [window] in aligned_windows([nodes]) for found in orphans(window)]

    def without_vector() -> list[str]:
        nodes = open_latest("tree_nodes", ["node_id", "searchable"])
        windows = aligned_windows([nodes, open_latest("node_embeddings", ["node_id"])])
        return [found for own, vectors in windows for found in unembedded_leaves(own, vectors)]

    def wrong_norms() -> list[str]:
        return [found for vectors in open_latest("node_embeddings").batches() for found in off_unit_norms(vectors)]

    return [
        _check(project, "tree_nodes", "index_not_empty", no_nodes),
        _check(project, "tree_nodes", "ids_unique", lambda: duplicate_ids(open_latest("tree_nodes", ["node_id"]))),
        _check(project, "tree_nodes", "parents_exist", lost),
        _check(project, "node_embeddings", "every_leaf_has_a_vector", without_vector),
        _check(project, "node_embeddings", "norms_are_one", wrong_norms),
        # Only published_index reads these two, so they hold back nothing else.
        _check(project, "retrieval_scores", "retrieval_not_worse_than_published", lambda: worse_retrieval(project)),
        _check(project, "scores", "answers_not_worse_than_published", lambda: worse_answers(project)),
    ]


def _check(project: Project, asset: str, name: str, offenders: Offenders) -> dg.AssetChecksDefinition:
    @dg.asset_check(asset=asset, name=name, blocking=True)
    def check() -> dg.AssetCheckResult:
        wrong = offenders()
        sentence = f"check {name} failed on {len(wrong)}: {', '.join(wrong[:3])}" if wrong else ""
        if wrong:
            project.reject(asset, sentence)
        project.unchecked.discard(name)
        return dg.AssetCheckResult(passed=not wrong, description=sentence, metadata={"offenders": len(wrong)})

    return check
