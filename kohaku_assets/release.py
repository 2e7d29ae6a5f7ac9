"""The scores that the published index had, and whether a new one may take its place."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pyarrow as pa

from kohaku_assets.project import Project
from kohaku_lib.evaluation import release_scores, worse_than_published
from kohaku_lib.index import current_version
from kohaku_lib.storage import write_atomically
from kohaku_lib.tables import RETRIEVAL_SCORES, SCORES, empty_table

_VERSION = b"index_version"


def remember_release(project: Project, index_version: str) -> None:
    """Keep the present scores as those of the index that is published now."""
    import pyarrow.parquet as pq

    latest = project.files.latest_table
    table = release_scores(latest("retrieval_scores"), latest("scores"), latest("questions"))
    stamped = table.replace_schema_metadata({_VERSION: index_version.encode()})
    write_atomically(_path(project), partial(pq.write_table, stamped))


def worse_retrieval(project: Project) -> list[str]:
    """Return why the present retrieval scores hold the index back; [] where nothing does."""
    retrieval = project.files.latest_table("retrieval_scores")
    return _worse(project, retrieval, empty_table(SCORES), project.settings.release.retrieval_metric)


def worse_answers(project: Project) -> list[str]:
    """Return why the present scores of the answers hold the index back; [] where nothing does."""
    scores = project.files.latest_table("scores")
    return _worse(project, empty_table(RETRIEVAL_SCORES), scores, project.settings.release.answer_metric)


def _worse(project: Project, retrieval: pa.Table, scores: pa.Table, metric: str) -> list[str]:
    published = _published(project)
    if published is None or not project.settings.release.gate:
        return []
    new = release_scores(retrieval, scores, project.files.latest_table("questions"))
    sentence = worse_than_published(published, new, [metric], project.settings.release.level)
    return [sentence] if sentence else []


def _published(project: Project) -> pa.Table | None:
    """Return the scores of the published index; None where they are not known, as after a roll-back."""
    import pyarrow.parquet as pq

    path = _path(project)
    if not path.is_file():
        return None
    table = pq.read_table(path)
    version = (table.schema.metadata or {}).get(_VERSION, b"").decode()
    return table if version == current_version(project.snapshots) else None


def _path(project: Project) -> Path:
    return project.store / "release_scores.parquet"
