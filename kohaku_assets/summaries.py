"""Short summaries of what the store holds, for people: scores, and the size of the index."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from kohaku_assets.project import Project
from kohaku_lib.index import Snapshot

ScoreRow = tuple[str, str, int, float, float, float, float | None]


def score_rows_of(project: Project) -> list[ScoreRow]:
    """Return (answers of, metric, questions, score, value, ref, na) per member and metric; empty without scores."""
    record = project.files.latest("scores")
    return score_rows(project.files.read("scores", record.input_key)) if record else []


def score_rows(scores: pa.Table) -> list[ScoreRow]:
    """Return the means of a SCORES table per member and metric, in the order of first appearance.

    `na` is the mean over the rows that the metric counts, None where it counts none; the score is
    0.75 · value + 0.15 · ref + 0.10 · na, where a missing na counts as 1.
    """
    rows = []
    for member in pc.unique(scores["member"]).to_pylist():
        for metric in pc.unique(scores["metric"]).to_pylist():
            chosen = scores.filter((pc.field("member") == member) & (pc.field("metric") == metric))
            value, ref, na = (pc.mean(chosen[name]).as_py() for name in ("value", "ref", "na"))
            score = 0.75 * value + 0.15 * ref + 0.10 * (1.0 if na is None else na)
            rows.append((member, metric, chosen.num_rows, score, value, ref, na))
    return rows


def index_counts(snapshot: Snapshot) -> dict[str, int]:
    """Return the rows of every table and vector space of `snapshot`, and its nodes by kind."""
    kinds = snapshot.nodes["kind"].combine_chunks().value_counts().to_pylist()
    return {**snapshot.meta["counts"], **{f"{row['values']} nodes": row["counts"] for row in kinds}}


def document_counts(snapshot: Snapshot) -> list[dict[str, str | int]]:
    """Return sections, paragraphs and sentences per document, in the order of the nodes."""
    counts = snapshot.nodes.group_by(["document_id", "kind"], use_threads=False).aggregate([([], "count_all")])
    rows: dict[str, dict[str, str | int]] = {}
    for row in counts.to_pylist():
        entry = rows.setdefault(
            row["document_id"], {"document": row["document_id"], "section": 0, "paragraph": 0, "sentence": 0}
        )
        if row["kind"] in entry:
            entry[row["kind"]] = row["count_all"]
    return [{name: entry[name] for name in ("document", "section", "paragraph", "sentence")} for entry in rows.values()]
