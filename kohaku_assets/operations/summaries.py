"""Short summaries of the store for display: scores, and the size of the index."""

from __future__ import annotations

from collections.abc import Mapping

from kohaku_assets.pipeline.project import Project
from kohaku_lib.evaluation.statistics.intervals import Interval
from kohaku_lib.index import Snapshot, tenant_counts, tenant_nodes

ScoreRow = tuple[str, str, int, float, Interval, float, float, float]


def score_rows_of(project: Project) -> list[ScoreRow]:
    """Return (member, metric, n, score, 95 % interval, value, ref, na) per member and metric; empty without truth."""
    record = project.present("scores")
    manifest = project.files.find("scores", record.input_key) if record else None
    return score_rows(manifest.metrics) if manifest else []


def score_rows(metrics: Mapping[str, float]) -> list[ScoreRow]:
    """Return the rows of the score table from the metrics "<metric>/<member>/<part>" of the stage `scores`.

    >>> parts = {"n": 2, "score": 0.5, "score_low": 0.2, "score_high": 0.8, "value": 0.5, "ref": 0.5, "na": 0.5}
    >>> [row] = score_rows({f"fork/ensemble/{name}": figure for name, figure in parts.items()})
    >>> row[:4], row[4].text()
    (('ensemble', 'fork', 2, 0.5), '0.200 to 0.800')
    """
    parts_by_pair: dict[tuple[str, str], dict[str, float]] = {}
    for name, figure in metrics.items():
        metric, _, rest = name.partition("/")
        member, _, part = rest.rpartition("/")
        parts_by_pair.setdefault((member, metric), {})[part] = figure
    return [
        (
            member,
            metric,
            int(parts["n"]),
            parts["score"],
            Interval(parts["score_low"], parts["score_high"], parts.get("score_clusters")),  # none: of an older version
            parts["value"],
            parts["ref"],
            parts["na"],
        )
        for (member, metric), parts in parts_by_pair.items()
    ]


def index_counts(snapshot: Snapshot, org_id: str) -> dict[str, int]:
    """Return the row counts of a tenant in every table and vector space of `snapshot`, and its nodes by kind."""
    kinds = tenant_nodes(snapshot, org_id, ["kind"])["kind"].combine_chunks().value_counts().to_pylist()
    return {**tenant_counts(snapshot, org_id), **{f"{row['values']} nodes": row["counts"] for row in kinds}}


def searchable_documents(snapshot: Snapshot) -> int:
    """Return how many documents an index has, those of all tenants."""
    counts = snapshot.nodes.group_by("kind", use_threads=False).aggregate([([], "count_all")]).to_pylist()
    return next((row["count_all"] for row in counts if row["kind"] == "document"), 0)


def document_counts(snapshot: Snapshot, org_id: str) -> list[dict[str, str | int]]:
    """Return the counts of sections, paragraphs and sentences per document of a tenant, in node order."""
    nodes = tenant_nodes(snapshot, org_id, ["document_id", "kind"])
    counts = nodes.group_by(["document_id", "kind"], use_threads=False).aggregate([([], "count_all")])
    rows: dict[str, dict[str, str | int]] = {}
    for row in counts.to_pylist():
        name = row["document_id"]
        entry = rows.setdefault(name, {"document": name, "sections": 0, "paragraphs": 0, "sentences": 0})
        if row["kind"] != "document":
            entry[f"{row['kind']}s"] = row["count_all"]
    return list(rows.values())
