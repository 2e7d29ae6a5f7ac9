"""The scores of the published index, and the release gate that compares a new index with it."""

from __future__ import annotations

from functools import partial

import pyarrow as pa

from kohaku_assets.pipeline.project import Project
from kohaku_lib.evaluation import release_scores, worse_than_published
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


def worse_retrieval(project: Project) -> list[str]:
    """Return why the current retrieval scores block the release; [] if they do not."""
    retrieval = project.files.latest_table("retrieval_scores")
    return _gate_findings(project, retrieval, empty_table(SCORES), project.settings.release.retrieval_metric)


def worse_answers(project: Project) -> list[str]:
    """Return why the current answer scores block the release; [] if they do not."""
    scores = project.files.latest_table("scores")
    return _gate_findings(project, empty_table(RETRIEVAL_SCORES), scores, project.settings.release.answer_metric)


def _gate_findings(project: Project, retrieval: pa.Table, scores: pa.Table, metric: str) -> list[str]:
    published = _published(project)
    if published is None or not project.settings.release.gate:
        return []
    new = release_scores(retrieval, scores, project.files.latest_table("questions"))
    sentence = worse_than_published(published, new, [metric], project.settings.release.significance_level)
    return [sentence] if sentence else []


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
