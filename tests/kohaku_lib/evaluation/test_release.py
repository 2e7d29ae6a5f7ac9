"""When scores hold an index back: a significant fall on the same questions, and nothing else."""

import pyarrow as pa
import pytest

from kohaku_lib.evaluation import release_scores, worse_than_published
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


def test_a_significant_fall_is_told_with_its_figures():
    sentence = worse_than_published(scores_of([1.0] * 8), scores_of([0.0] * 6 + [1.0] * 2), ["document_recall@5"], 0.05)
    assert sentence is not None
    # Six questions fell: of the 64 ways to swap them, two are as extreme.
    assert sentence.startswith(
        "document_recall@5 is 0.250, in the published index 1.000, on the 8 questions that both have (-0.750, 95 % "
    )
    assert "p = 0.0312" in sentence
    assert "release.gate = false" in sentence


@pytest.mark.parametrize(
    ("new", "metrics", "level"),
    [
        ([0.0] * 5 + [1.0] * 3, ["document_recall@5"], 0.05),  # p = 0.0625
        ([0.0] * 6 + [1.0] * 2, ["document_recall@5"], 0.01),
        ([0.0] * 8, ["mrr"], 0.05),
    ],
)
def test_a_fall_that_may_be_chance_or_in_another_metric_holds_nothing_back(new, metrics, level):
    assert worse_than_published(scores_of([1.0] * 8), scores_of(new), metrics, level) is None


def test_a_rise_holds_nothing_back():
    assert worse_than_published(scores_of([0.0] * 8), scores_of([1.0] * 8), ["document_recall@5"], 0.05) is None


def test_without_a_shared_question_nothing_is_compared():
    other = pa.table(
        {"id": ["x"], "metric": ["document_recall@5"], "value": [0.0], "cluster": [None]}, schema=RETRIEVAL_SCORES
    )
    assert worse_than_published(scores_of([1.0] * 8), other, ["document_recall@5"], 0.05) is None


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


def test_every_question_counts_by_itself_whatever_its_document():
    scored = scores_of([1.0])
    of_one = scored.set_column(scored.column_names.index("cluster"), "cluster", pa.array(["d"]))
    assert release_scores(of_one, empty_table(SCORES), questions_of("How?"))["cluster"].to_pylist() == [None]
