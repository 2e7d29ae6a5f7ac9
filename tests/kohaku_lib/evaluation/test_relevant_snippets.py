"""Which snippets are known to be relevant, and what they scored."""

from kohaku_lib.evaluation import Judgement, relevant_scores
from kohaku_lib.tables import QueryPlan, RetrievalResult, Snippet

QUOTE = "Training the model took 24 days on 512 chips in total."


def snippet(node_id, text):
    return Snippet(node_id, node_id.split(":")[0], "", None, text, 1, 0.5)


def result(id_, snippets, scores, by="local:tiny"):
    rows = [{"node_id": name, "score_before": 0.1, "rerank_score": score} for name, score in scores.items()]
    trace = {"refinement": {"reranked": {"by": by, "failures": [], "scores": rows}}}
    return RetrievalResult(QueryPlan(id_), (), tuple(snippets), (), trace)


def test_with_a_quote_those_snippets_count_that_hold_half_of_it():
    snippets = [
        snippet("a:1", f"As we said: {QUOTE}"),
        snippet("b:1", "Training the model took 24 days on 512 chips."),
        snippet("c:1", "Training the model took long."),
        snippet("d:1", QUOTE),
    ]
    scores = {"a:1": 0.9, "b:1": 0.4, "c:1": 0.8, "d:1": None}
    judgement = Judgement("q1", "How long?", {"a": 1.0}, QUOTE)
    assert relevant_scores([result("q1", snippets, scores)], [judgement]) == {"local:tiny": [0.9, 0.4]}


def test_without_a_quote_the_best_snippet_of_each_relevant_document_counts():
    snippets = [snippet("A:1", "x"), snippet("A:2", "y"), snippet("b:1", "z"), snippet("c:1", "w")]
    scores = {"A:1": 0.2, "A:2": 0.7, "b:1": 0.3, "c:1": 0.9}
    judgement = Judgement("q1", "Which?", {"a": 1.0, "b": 1.0, "absent": 1.0})
    assert relevant_scores([result("q1", snippets, scores)], [judgement]) == {"local:tiny": [0.7, 0.3]}


def test_scores_stand_by_the_reranker_that_gave_them():
    snippets, judgement = [snippet("a:1", "x")], Judgement("q1", "Which?", {"a": 1.0})
    results = [
        result("q1", snippets, {"a:1": 0.6}),
        result("q1", snippets, {"a:1": 0.5}, by="served:x"),
        result("q1", snippets, {"a:1": None}, by=None),
        result("unjudged", snippets, {"a:1": 0.1}),
        RetrievalResult(QueryPlan("q1")),
    ]
    assert relevant_scores(results, [judgement]) == {"local:tiny": [0.6], "served:x": [0.5]}
