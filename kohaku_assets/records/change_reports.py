"""What a run changed since the last recorded state of the project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise

import pyarrow as pa
import pyarrow.compute as pc

from kohaku_assets.pipeline.project import Project
from kohaku_assets.records.state_history import PastState, changed_keys, own_records, past_states
from kohaku_lib.errors import StoreError
from kohaku_lib.evaluation.changes.change_report import ChangeReport
from kohaku_lib.evaluation.changes.state_changes import DocumentChanges, StateTables, document_changes, state_changes
from kohaku_lib.storage import LatestRecord
from kohaku_lib.tables import RETRIEVAL_SCORES

DOCUMENT_COLUMNS = ("document_id", "sha256", "status", "error")


def report_changes(project: Project, before: PastState | None) -> ChangeReport | None:
    """Return what differs between the current outputs and the state `before`; None if there was none.

    Scores are those of release.answer_metric and release.retrieval_metric.
    """
    if before is None:
        return None
    records, release = own_records(project), project.settings.release
    metrics = (release.answer_metric, release.retrieval_metric)
    changes = state_changes(_tables(project, before.records), _tables(project, records), metrics)
    return ChangeReport(before.made_at, tuple(changed_keys(before.records, records)), changes)


def document_history(project: Project) -> list[tuple[str, DocumentChanges]]:
    """Return when documents were added, changed or removed lately (ISO 8601, UTC), and which, newest first.

    They are those of the project's tenant in the newest 20 states; a state whose documents are not kept any more is passed over.
    """
    known = []
    for state in past_states(project)[:_MOST_STATES]:
        documents = _read(project, state.records, "documents", (*DOCUMENT_COLUMNS, "org_id"))
        if documents is not None:
            own = documents.filter(pc.field("org_id") == project.settings.corpus.org_id)
            known.append((state.made_at, StateTables(documents=own)))
    changes = [(now[0], document_changes(before[1], now[1])) for now, before in pairwise(known)]
    return [(made_at, one) for made_at, one in changes if one and (one.added or one.changed or one.removed)]


_MOST_STATES = 20


def _tables(project: Project, records: Mapping[str, LatestRecord]) -> StateTables:
    read = partial(_read, project, records)
    return StateTables(
        documents=read("documents", DOCUMENT_COLUMNS),
        questions=read("questions", ("id", "row_json")),
        votes=read("ensemble_votes", ("id", "answer_value")),
        scores=read("scores", ("member", "metric", "id", "score")),
        retrieval=read("retrieval_scores", RETRIEVAL_SCORES.names),
    )


def _read(project: Project, records: Mapping[str, LatestRecord], stage: str, columns: Sequence[str]) -> pa.Table | None:
    record = records.get(stage)
    try:
        return None if record is None else project.files.open(stage, record.input_key, columns).table()
    except (StoreError, KeyError):  # removed by 'kohaku gc', damaged, or without a column that came later
        return None
