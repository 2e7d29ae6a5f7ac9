"""What differs between two states of a project: documents, scores and answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation.metrics.answers.interface import ANSWER_METRICS
from kohaku_lib.evaluation.metrics.retrieval_summary import RetrievalDifference, compare_scores
from kohaku_lib.evaluation.metrics.score_answers import ENSEMBLE
from kohaku_lib.evaluation.release import release_scores
from kohaku_lib.values import values_equal


@dataclass(frozen=True, slots=True)
class StateTables:
    """The tables of one state; None where the output does not exist (any more)."""

    documents: pa.Table | None = None  # DOCUMENTS: document_id, sha256, status, error
    questions: pa.Table | None = None
    votes: pa.Table | None = None  # ENSEMBLE_VOTES
    scores: pa.Table | None = None
    retrieval: pa.Table | None = None  # RETRIEVAL_SCORES


@dataclass(frozen=True, slots=True)
class DocumentChanges:
    """Document ids added, changed and removed since the earlier state, and all failed ones with the reason."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    failed: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class FlippedAnswer:
    """A question whose answer differs; `gain` is the difference of its score, None without truth."""

    id: str
    before: str
    now: str
    gain: float | None


@dataclass(frozen=True, slots=True)
class StateChanges:
    """The differences between two states; a part is None if the tables of both are not known."""

    documents: DocumentChanges | None
    scores: tuple[RetrievalDifference, ...] | None
    flips: tuple[FlippedAnswer, ...] | None


def state_changes(before: StateTables, now: StateTables, metrics: Sequence[str]) -> StateChanges:
    """Return the differences of `now` to `before` in documents, answers and those of the `metrics` that both have.

    Scores are paired by question, and questions whose row in the file changed are not compared. The gain of a flipped
    answer is that of the first of `metrics` that is an answer metric.

    >>> ids = {"document_id": ["a", "b"], "status": ["parsed", "failed"], "error": [None, "is empty"]}
    >>> older, newer = (pa.table({**ids, "sha256": hashes}) for hashes in (["1", "2"], ["3", "2"]))
    >>> state_changes(StateTables(older), StateTables(newer), ["wattbot"]).documents
    DocumentChanges(added=(), changed=('a',), removed=(), failed={'b': 'is empty'})
    """
    scores = _score_changes(before, now, metrics)
    return StateChanges(document_changes(before, now), scores, _flips(before, now, metrics))


def document_changes(before: StateTables, now: StateTables) -> DocumentChanges | None:
    """Return the differences in documents; None if the documents of both are not known."""
    if before.documents is None or now.documents is None:
        return None
    old, new = (_column_by(table, "document_id", "sha256") for table in (before.documents, now.documents))
    rows = zip(*(now.documents[name].to_pylist() for name in ("document_id", "status", "error")), strict=True)
    return DocumentChanges(
        tuple(name for name in new if name not in old),
        tuple(name for name in new if name in old and new[name] != old[name]),
        tuple(name for name in old if name not in new),
        {name: error or status for name, status, error in rows if status == "failed"},
    )


def _score_changes(
    before: StateTables, now: StateTables, metrics: Sequence[str]
) -> tuple[RetrievalDifference, ...] | None:
    first, second = (_scores_by(tables, metrics) for tables in (before, now))
    if first is None or second is None:
        return None
    try:
        return tuple(sorted(compare_scores(first, second), key=lambda one: metrics.index(one.metric)))
    except InputFileError:  # no question with truth is shared
        return ()


def _scores_by(tables: StateTables, metrics: Sequence[str]) -> pa.Table | None:
    if tables.retrieval is None or tables.scores is None or tables.questions is None:
        return None
    scores = release_scores(tables.retrieval, tables.scores, tables.questions)
    return scores.filter(pc.field("metric").isin(list(metrics)))


def _flips(before: StateTables, now: StateTables, metrics: Sequence[str]) -> tuple[FlippedAnswer, ...] | None:
    if before.votes is None or now.votes is None:
        return None
    old, new = (_column_by(votes, "id", "answer_value") for votes in (before.votes, now.votes))
    gains = dict(_gains(before.scores, now.scores, next(name for name in metrics if name in ANSWER_METRICS)))
    shared = [name for name in new if name in old]
    flipped = [name for name in shared if gains.get(name) or not values_equal(old[name], new[name])]
    return tuple(FlippedAnswer(name, old[name], new[name], gains.get(name)) for name in flipped)


def _gains(before: pa.Table | None, now: pa.Table | None, metric: str) -> Iterator[tuple[str, float]]:
    if before is None or now is None:
        return
    old, new = (_ensemble_scores(scores, metric) for scores in (before, now))
    yield from ((name, new[name] - old[name]) for name in new if name in old)


def _ensemble_scores(scores: pa.Table, metric: str) -> dict[str, float]:
    rows = zip(*(scores[name].to_pylist() for name in ("member", "metric", "id", "score")), strict=True)
    return {name: score for member, kind, name, score in rows if (member, kind) == (ENSEMBLE, metric)}


def _column_by(table: pa.Table, key: str, value: str) -> dict[str, str]:
    return dict(zip(table[key].to_pylist(), table[value].to_pylist(), strict=True))
