"""When scores hold an index back: a significant fall on the same questions, and nothing else."""

import pyarrow as pa
import pytest

from kohaku_lib.evaluation import judge_release, release_scores
from kohaku_lib.tables import QUESTIONS, RETRIEVAL_SCORES, SCORES, empty_table


def scores_of(values, metric="document_recall@5"):
    rows = [{"id": f"q{place}", "metric": metric, "value": value} for place, value in enumerate(values)]
    return pa.Table.from_pylist(rows, schema=RETRIEVAL_SCORES)


def questions_of(*texts):
    rows = [
        {"id": f"q{place}", "question": text, "has_truth": True, "row_json": f'{{"question": "{text}"}}'}
        for place, text in enumerate(texts)
    ]
    return pa.Table.from_pylist([{name: row.get(name) for name in QUESTIONS.names} for row in rows], schema=QUESTIONS)


RECALL = "document_recall@5"
PLANTED = [0.0] * 8 + [1.0] * 32  # eight of forty questions are lost


def verdict(old, new, documents, level=0.05, metric=RECALL):
    """The verdict on scores of questions that are spread over so many documents, one after the other."""
    each = len(new) // documents
    clusters = pa.array([f"d{place // each}" for place in range(len(new))])
    place = RETRIEVAL_SCORES.get_field_index("cluster")
    first, second = (scores_of(values).set_column(place, "cluster", clusters) for values in (old, new))
    return judge_release(first, second, metric, level)


def test_a_loss_within_one_of_four_documents_warns_and_the_same_over_forty_refuses():
    warned = verdict([1.0] * 40, PLANTED, 4)
    assert (warned.is_refused, warned.is_doubtful) == (False, True)
    assert warned.sentence.startswith(
        "document_recall@5 is 0.800, in the published index 1.000, on the 40 questions of 4 documents that both have "
        "(-0.200, 95 % interval "
    )
    # By questions: of the 256 ways to swap the eight that differ, two are as extreme.
    assert ", 4 documents of effect, p = 0.00781); a difference of 0.560 can be seen with so many" in warned.sentence
    assert "with fewer than 12 documents of effect a loss refuses an index only below 0.500" in warned.sentence
    refused = verdict([1.0] * 40, PLANTED, 40)
    assert (refused.is_refused, refused.is_doubtful) == (True, False)
    assert refused.figures["p"] == 2 / 2**8
    assert refused.sentence.endswith("mend it, or publish all the same with release.gate = false")
    # Five losses would pass (p = 2 / 2^5), six would not.
    assert 1.0 - 6 / 40 < refused.figures["passes from"] < 1.0


def test_with_few_documents_an_index_that_loses_most_of_what_was_right_is_refused():
    assert verdict([1.0] * 40, [0.0] * 30 + [1.0] * 10, 4).is_refused
    assert not verdict([1.0] * 40, [0.0] * 20 + [1.0] * 20, 4).is_refused


@pytest.mark.parametrize(
    ("new", "level"),
    [
        ([0.0] * 5 + [1.0] * 35, 0.05),  # p = 0.0625
        ([0.0] * 6 + [1.0] * 34, 0.01),
        ([1.0] * 40, 0.05),
    ],
)
def test_a_fall_that_may_be_chance_passes_and_says_what_would_not(new, level):
    found = verdict([1.0] * 40, new, 40, level)
    assert (found.is_refused, found.is_doubtful) == (False, False)
    assert found.sentence.endswith("it would be refused")
    assert found.figures["passes from"] <= found.figures["new"]


def test_a_rise_passes():
    found = verdict([0.0] * 40, [1.0] * 40, 40)
    assert (found.is_refused, found.is_doubtful) == (False, False)


def test_without_a_shared_question_or_metric_nothing_is_compared():
    other = pa.table({"id": ["x"], "metric": [RECALL], "value": [0.0], "cluster": [None]}, schema=RETRIEVAL_SCORES)
    assert judge_release(scores_of([1.0] * 8), other, RECALL, 0.05) is None
    assert verdict([1.0] * 8, [0.0] * 8, 8, metric="mrr") is None


def test_the_ensemble_stands_for_the_answers_and_a_changed_question_is_another():
    rows = [
        {"member": member, "metric": "wattbot", "id": "q0", "value": 1.0, "ref": 1.0, "na": 1.0, "score": score}
        for member, score in (("ensemble", 0.9), ("run 1", 0.4))
    ]
    scores = pa.Table.from_pylist(rows, schema=SCORES)
    first = release_scores(scores_of([1.0]), scores, questions_of("How much?"))
    assert list(zip(first["metric"].to_pylist(), first["value"].to_pylist(), strict=True)) == [
        ("document_recall@5", 1.0),
        ("wattbot", 0.9),
    ]
    [name] = set(first["id"].to_pylist())
    assert name.startswith("q0 ")
    again = release_scores(scores_of([1.0]), empty_table(SCORES), questions_of("How many?"))
    assert again["id"].to_pylist()[0] != name


def test_the_cluster_of_a_question_is_the_document_of_its_truth():
    questions = questions_of("How?")
    row = '{"question": "How?", "ref_id": "[\'d\', \'e\']"}'
    questions = questions.set_column(questions.column_names.index("row_json"), "row_json", pa.array([row]))
    assert release_scores(scores_of([1.0]), empty_table(SCORES), questions)["cluster"].to_pylist() == ["d"]
