"""The scores of the published index, and the release gate that compares a new index with it."""

from __future__ import annotations

from functools import partial

import pyarrow as pa

from kohaku_assets.pipeline.project import Project
from kohaku_lib.evaluation import GateVerdict, judge_release, release_scores
from kohaku_lib.index import current_version
from kohaku_lib.storage import write_atomically
from kohaku_lib.tables import RETRIEVAL_SCORES, SCORES, empty_table

_VERSION, _TENANT = b"index_version", b"org_id"


def record_release(project: Project, index_version: str) -> None:
    """Store the current scores as those of the index that has just been published."""
    import pyarrow.parquet as pq

    latest = project.files.latest_table
    table = release_scores(latest("retrieval_scores"), latest("scores"), latest("questions"))
    about = {_VERSION: index_version.encode(), _TENANT: project.settings.corpus.org_id.encode()}
    stamped = table.replace_schema_metadata(about)
    write_atomically(project.paths.release_scores, partial(pq.write_table, stamped))


def judge_retrieval(project: Project) -> GateVerdict | None:
    """Return the verdict on the retrieval scores; None without a published index to compare, or without the gate."""
    retrieval = project.files.latest_table("retrieval_scores")
    return _verdict(project, retrieval, empty_table(SCORES), project.settings.release.retrieval_metric)


def judge_answers(project: Project) -> GateVerdict | None:
    """Return the verdict on the answer scores; None without a published index to compare, or without the gate."""
    scores = project.files.latest_table("scores")
    return _verdict(project, empty_table(RETRIEVAL_SCORES), scores, project.settings.release.answer_metric)


def _verdict(project: Project, retrieval: pa.Table, scores: pa.Table, metric: str) -> GateVerdict | None:
    published = _published(project)
    if published is None or not project.settings.release.gate:
        return None
    new = release_scores(retrieval, scores, project.files.latest_table("questions"))
    return judge_release(published, new, metric, project.settings.release.significance_level)


def _published(project: Project) -> pa.Table | None:
    """Return the scores of the published index; None if unknown or of another tenant."""
    import pyarrow.parquet as pq

    path = project.paths.release_scores
    if not path.is_file():
        return None
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowInvalid):  # the status of the stage that wrote it is "missing"
        return None
    about = table.schema.metadata or {}
    own = project.settings.corpus.org_id
    is_own = about.get(_TENANT, own.encode()).decode() == own
    return table if is_own and about.get(_VERSION, b"").decode() == current_version(project.snapshots) else None
