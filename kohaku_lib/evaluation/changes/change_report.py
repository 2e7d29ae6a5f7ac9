"""The report of a refresh: what it changed since the state before, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kohaku_lib.evaluation.changes.state_changes import DocumentChanges, FlippedAnswer, StateChanges
from kohaku_lib.evaluation.metrics.retrieval_summary import RetrievalDifference
from kohaku_lib.evaluation.statistics.intervals import few_documents

MAX_NAMES, MAX_FLIPS, MAX_CHARS = 5, 20, 60


@dataclass(frozen=True, slots=True)
class ChangeReport:
    """What differs since an earlier state: `since` is its time, `causes` the files, settings and code that changed."""

    since: str  # ISO 8601, UTC
    causes: tuple[str, ...]
    changes: StateChanges

    def told(self, *, texts: bool = True, failed: bool = True) -> list[str]:
        """Return the report for people, a sentence per line.

        Without `texts`, they name documents and questions and quote nothing; without `failed`, no failed document is named.
        """
        causes = f" ({_listed(self.causes)})" if self.causes else ""
        found = [*_document_lines(self.changes.documents, texts, failed), *map(_score_line, self.changes.scores or ())]
        found += filter(None, [few_documents(score.interval for score in self.changes.scores or ())])
        found += _flip_lines(self.changes.flips, texts)
        return [f"changed since {self.since[:16]}{causes}:", *found]

    @property
    def summary(self) -> str:
        """The report in one line."""
        documents, flips = self.changes.documents, self.changes.flips
        parts = [_document_counts(documents)] if documents is not None else []
        parts += [f"{score.metric} {score.first:.3f} → {score.second:.3f}" for score in self.changes.scores or ()]
        parts += [f"{_count(len(flips), 'answer')} flipped"] if flips is not None else []
        return "; ".join(parts) or "unknown: the earlier outputs were removed"


def _document_counts(documents: DocumentChanges) -> str:
    added, changed, removed = (len(getattr(documents, part)) for part in ("added", "changed", "removed"))
    return f"documents: {added} added, {changed} changed, {removed} removed, {len(documents.failed)} failed"


def _document_lines(documents: DocumentChanges | None, texts: bool, failed: bool) -> Iterator[str]:
    if documents is None:
        yield "documents: unknown, as the earlier list of them was removed"
        return
    yield _document_counts(documents)
    for part in ("added", "changed", "removed"):
        if names := getattr(documents, part):
            yield f"  {part}: {_listed(names)}"
    for name, reason in list(documents.failed.items())[: MAX_NAMES if failed else 0]:
        yield f"  failed: {name}: {reason}" if texts else f"  failed: {name}"


def _score_line(score: RetrievalDifference) -> str:
    bounds = f"95 % interval {score.interval.text(signed=True)}"
    moved = f"{score.first:.3f} → {score.second:.3f} ({score.difference:+.3f}, {bounds})"
    return f"{score.metric}: {moved} on {_count(score.n, 'question')}"


def _flip_lines(flips: Sequence[FlippedAnswer] | None, texts: bool) -> Iterator[str]:
    if flips is None:
        yield "answers: unknown, as the earlier ones were removed"
        return
    if flips:
        yield f"answers: {len(flips)} flipped"
    for flip in flips[:MAX_FLIPS]:
        gain = "" if flip.gain is None else f" ({flip.gain:+.3f})"
        answers = f": {_shortened(flip.before)} → {_shortened(flip.now)}" if texts else ""
        yield f"  {flip.id}{answers}{gain}"
    if len(flips) > MAX_FLIPS:
        yield f"  and {len(flips) - MAX_FLIPS} more"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    return ", ".join(names[:MAX_NAMES]) + more


def _shortened(text: str) -> str:
    flat = " ".join(text.split()) or "–"
    return flat if len(flat) <= MAX_CHARS else f"{flat[: MAX_CHARS - 1]}…"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
