"""What differs between two states of a project, and the words for it."""

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.evaluation.changes.change_report import ChangeReport
from kohaku_lib.evaluation.changes.state_changes import FlippedAnswer, StateTables, state_changes
from kohaku_lib.tables import RETRIEVAL_SCORES, SCORES, empty_table

METRICS = ("wattbot", "mrr")


def documents(**hashes):
    status = ["failed" if sha == "bad" else "parsed" for sha in hashes.values()]
    error = ["is empty" if sha == "bad" else None for sha in hashes.values()]
    return pa.table(
        {"document_id": list(hashes), "sha256": list(hashes.values()), "status": status, "error": error},
        schema=pa.schema([(name, pa.string()) for name in ("document_id", "sha256", "status", "error")]),
    )


def answered(scores, **values):
    """The tables of a state with these answers and, by question, their scores."""
    parts = {"member": "ensemble", "metric": "wattbot", "value": 0.0, "ref": 0.0, "na": None}
    rows = [{**parts, "id": name, "score": score} for name, score in scores.items()]
    return StateTables(
        questions=pa.table({"id": list(values), "row_json": ["{}" for _ in values]}),
        votes=pa.table({"id": list(values), "answer_value": list(values.values())}),
        scores=pa.Table.from_pylist(rows, schema=SCORES),
        retrieval=empty_table(RETRIEVAL_SCORES),
    )


def test_documents_are_added_changed_removed_and_failed():
    before = StateTables(documents(kept="1", edited="2", gone="3"))
    found = state_changes(
        before, StateTables(documents(kept="1", edited="9", new="4", broken="bad")), METRICS
    ).documents
    assert (found.added, found.changed, found.removed) == (("new", "broken"), ("edited",), ("gone",))
    assert found.failed == {"broken": "is empty"}


NAMES = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("123"))


@given(NAMES, NAMES)
def test_the_way_back_swaps_added_and_removed_and_changes_the_same(one, other):
    first, second = (StateTables(documents(**hashes)) for hashes in (one, other))
    there, back = (state_changes(*pair, METRICS).documents for pair in ((first, second), (second, first)))
    assert set(there.added) == set(back.removed) == other.keys() - one.keys()
    assert (
        set(there.changed) == set(back.changed) == {name for name in one if name in other and one[name] != other[name]}
    )


def test_answers_flip_by_value_or_by_score_and_scores_are_paired():
    before = answered({"a": 0.0, "b": 1.0, "c": 1.0}, a="5", b="1,000", c="x")
    now = answered({"a": 1.0, "b": 1.0, "c": 0.5}, a="6", b="1000", c="x", late="7")
    found = state_changes(before, now, METRICS)
    assert found.flips == (FlippedAnswer("a", "5", "6", 1.0), FlippedAnswer("c", "x", "x", -0.5))
    [score] = found.scores
    assert (score.metric, score.n, round(score.first, 3), round(score.second, 3)) == ("wattbot", 3, 0.667, 0.833)


def test_without_truth_an_answer_flips_without_a_gain():
    found = state_changes(answered({}, a="yes"), answered({}, a="no"), METRICS)
    assert found.flips == (FlippedAnswer("a", "yes", "no", None),)
    assert found.scores == ()


def test_what_was_removed_is_unknown_and_not_unchanged():
    found = state_changes(StateTables(), StateTables(documents(a="1")), METRICS)
    assert (found.documents, found.scores, found.flips) == (None, None, None)
    report = ChangeReport("2026-11-23T16:00:00", (), found)
    assert "unknown" in report.summary
    assert report.told()[1:] == [
        "documents: unknown, as the earlier list of them was removed",
        "answers: unknown, as the earlier ones were removed",
    ]


def test_the_report_names_causes_documents_scores_with_interval_and_answers():
    before, now = answered({"a": 0.0, "b": 0.0}, a="5", b=""), answered({"a": 1.0, "b": 1.0}, a="6", b="7 kWh")
    found = state_changes(before, now, METRICS)
    report = ChangeReport("2026-11-23T16:00:00", ("retrieval.top_k",), found)
    assert report.summary == "wattbot 0.000 → 1.000; 2 answers flipped"
    assert report.told() == [
        "changed since 2026-11-23T16:00 (retrieval.top_k):",
        "documents: unknown, as the earlier list of them was removed",
        "wattbot: 0.000 → 1.000 (+1.000, 95 % interval +1.000 to +1.000, 2 documents) on 2 questions",
        "An interval here rests on only 2 documents and may be too narrow.",
        "answers: 2 flipped",
        "  a: 5 → 6 (+1.000)",
        "  b: – → 7 kWh (+1.000)",
    ]
    assert report.told(texts=False)[-3:] == ["answers: 2 flipped", "  a (+1.000)", "  b (+1.000)"]
