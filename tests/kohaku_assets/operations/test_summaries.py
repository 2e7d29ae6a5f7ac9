"""Summaries of the store: rows of the score table, and the size of an index."""

import pytest
from index_material import LIBRARY, small_snapshot

from kohaku_assets.operations.summaries import document_counts, index_counts, score_rows
from kohaku_lib.evaluation.statistics.intervals import Interval

PARTS = {"n": 2.0, "score": 0.5, "score_low": 0.25, "score_high": 0.75, "score_clusters": 1.6}
PARTS |= {"value": 0.1, "ref": 0.2, "na": 0.3}


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    return small_snapshot(tmp_path_factory.mktemp("summaries"), LIBRARY)


def test_no_metrics_give_no_rows():
    assert score_rows({}) == []


def test_there_is_a_row_per_member_and_metric_in_their_order():
    names = ("wattbot/ensemble", "wattbot/run 1", "fork/ensemble")
    metrics = {f"{name}/{part}": value for name in names for part, value in PARTS.items()}
    rows = score_rows(metrics)
    assert [row[:2] for row in rows] == [("ensemble", "wattbot"), ("run 1", "wattbot"), ("ensemble", "fork")]
    assert rows[0][2:] == (2, 0.5, Interval(0.25, 0.75, 1.6), 0.1, 0.2, 0.3)


def test_a_member_may_have_slashes_in_its_name():
    [row] = score_rows({f"wattbot/a/b.csv/{part}": value for part, value in PARTS.items()})
    assert row[:2] == ("a/b.csv", "wattbot")


def test_documents_are_counted_by_kind_of_node(snapshot):
    assert document_counts(snapshot, "default") == [
        {"document": "cats", "sections": 2, "paragraphs": 3, "sentences": 4},
        {"document": "dogs", "sections": 1, "paragraphs": 2, "sentences": 4},
    ]


def test_the_counts_of_an_index_add_up(snapshot):
    counts = index_counts(snapshot, "default")
    kinds = {"document": 2, "section": 3, "paragraph": 5, "sentence": 8}
    assert {kind: counts[f"{kind} nodes"] for kind in kinds} == kinds
    assert counts["nodes"] == sum(kinds.values())
    assert counts["documents"] == 2


def test_another_tenant_has_nothing(snapshot):
    assert document_counts(snapshot, "other") == []
    assert index_counts(snapshot, "other")["nodes"] == 0
