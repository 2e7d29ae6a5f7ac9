"""Blocking asset checks: a stage whose output breaks a rule stops everything downstream of it, in this run and later.

Here belongs which rule guards which asset; the rules themselves are functions of `kohaku_lib`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import dagster as dg

from kohaku_assets.project import Project
from kohaku_lib.index.integrity import duplicate_ids, off_unit_norms, orphans, unembedded_leaves

Offenders = Callable[[], Sequence[str]]


def build_checks(project: Project) -> list[dg.AssetChecksDefinition]:
    """Return the checks of `project`: no empty index, unique ids, parents exist, leaves have vectors, norms are 1."""
    read = project.files.latest_table

    def no_nodes() -> list[str]:
        return [] if read("tree_nodes").num_rows else ["no document gave a single node"]

    return [
        _check(project, "tree_nodes", "index_not_empty", no_nodes),
        _check(project, "tree_nodes", "ids_unique", lambda: duplicate_ids(read("tree_nodes"))),
        _check(project, "tree_nodes", "parents_exist", lambda: orphans(read("tree_nodes"))),
        _check(
            project,
            "node_embeddings",
            "every_leaf_has_a_vector",
            lambda: unembedded_leaves(read("tree_nodes"), read("node_embeddings")),
        ),
        _check(project, "node_embeddings", "norms_are_one", lambda: off_unit_norms(read("node_embeddings"))),
    ]


def _check(project: Project, asset: str, name: str, offenders: Offenders) -> dg.AssetChecksDefinition:
    @dg.asset_check(asset=asset, name=name, blocking=True)
    def check() -> dg.AssetCheckResult:
        wrong = offenders()
        sentence = f"check {name} failed on {len(wrong)}: {', '.join(wrong[:3])}" if wrong else ""
        if wrong:
            project.reject(asset, sentence)
        return dg.AssetCheckResult(passed=not wrong, description=sentence, metadata={"offenders": len(wrong)})

    return check
