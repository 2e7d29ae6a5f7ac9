"""Retrieval figures, by hand and against an independent script."""

import json
import subprocess
import sys
from pathlib import Path

import ir_measures
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import RR, R, nDCG

from kohaku_lib.evaluation import read_rows, score_retrieval
from kohaku_lib.evaluation.metrics.evidence import evidence_recall
from kohaku_lib.evaluation.metrics.judgements import Judgement
from kohaku_lib.evaluation.metrics.retrieval.interface import RETRIEVAL_METRICS, RankedContext
from kohaku_lib.tables import QUESTIONS, RETRIEVAL_SCORES, RETRIEVED_CONTEXT, empty_table

SHARED = Path(__file__).resolve().parents[4] / "../shared"


def question(name, **cells):
    row = {"id": name, "question": "?", **cells}
    return {"id": name, "question": "?", "has_truth": "answer_value" in cells, "row_json": json.dumps(row)}


def context(name, documents, texts=()):
    matches = [
        {"node_id": f"{document}:{n}", "document_id": document, "kind": "sentence", "score": 1.0 / (n + 1)}
        for n, document in enumerate(documents)
    ]
    snippets = [
        {
            "node_id": f"s{n}",
            "document_id": "a",
            "document_title": "A",
            "page": 1,
            "text": text,
            "rank": n + 1,
            "score": 1.0,
        }
        for n, text in enumerate(texts)
    ]
    return {"id": name, "queries": ["?"], "matches": matches, "snippets": snippets, "trace_json": "{}"}


def tables(questions, contexts):
    return pa.Table.from_pylist(contexts, schema=RETRIEVED_CONTEXT), pa.Table.from_pylist(questions, schema=QUESTIONS)


def scores(questions, contexts):
    table, report = score_retrieval(*tables(questions, contexts))
    return {(row["id"], row["metric"]): row["value"] for row in table.to_pylist()}, report


def test_documents_count_in_the_order_of_their_first_match():
    found, _ = scores([question("q1", ref_id="['A','c']")], [context("q1", ["b", "b", "a", "b", "x", "c"])])
    assert found["q1", "document_recall@1"] == 0.0
    assert found["q1", "document_recall@3"] == 0.5
    assert found["q1", "document_recall@5"] == 1.0
    assert found["q1", "mrr"] == 0.5
    # gains at ranks 2 and 4: 1/log2(3) + 1/log2(5) over 1 + 1/log2(3)
    assert found["q1", "ndcg@10"] == pytest.approx((0.63093 + 0.43068) / 1.63093, abs=1e-5)


def test_a_gold_document_that_is_not_found_scores_zero():
    found, _ = scores([question("q1", ref_id="a")], [context("q1", ["b"])])
    assert {value for (_, _), value in found.items()} == {0.0}


def test_evidence_is_the_share_of_the_quote_s_shingles_within_the_budget():
    quote = "alpha beta gamma delta epsilon zeta eta"  # three shingles
    text = "Alpha beta gamma delta epsi-\nlon zeta; then eta."  # holds the first two
    rows = [question("q1", ref_id="a", explanation="Quote", supporting_materials=quote)]
    found, _ = scores(rows, [context("q1", ["a"], [text])])
    assert found["q1", "evidence_recall@4000"] == pytest.approx(2 / 3)
    found, _ = scores(rows, [context("q1", ["a"], ["x" * 4000, text])])
    assert (found["q1", "evidence_recall@4000"], found["q1", "evidence_recall@16000"]) == (0.0, pytest.approx(2 / 3))


def test_evidence_is_asked_only_of_quotes():
    rows = [question("q1", ref_id="a", explanation="Figure", supporting_materials="one two three four five")]
    found, report = scores(rows, [context("q1", ["a"], ["one two three four five"])])
    assert not any(metric.startswith("evidence") for _, metric in found)
    assert report.metrics["mrr/n"] == 1.0


def test_a_question_without_a_context_scores_zero_and_one_without_references_not_at_all():
    found, report = scores([question("q1", ref_id="a"), question("q2", ref_id="is_blank"), question("q3")], [])
    assert {name for name, _ in found} == {"q1"}
    assert report.metrics["document_recall@10"] == 0.0


def test_means_come_with_their_interval():
    rows = [question(f"q{n}", ref_id="a", cluster="" if n < 2 else f"talk {n}") for n in range(4)]
    _, report = scores(rows, [context(f"q{n}", ["a"] if n else ["b", "a"]) for n in range(4)])
    assert report.metrics["mrr"] == pytest.approx(3.5 / 4)
    assert report.metrics["mrr/low"] < 3.5 / 4 < report.metrics["mrr/high"] == 1.0
    assert report.metrics["mrr/clusters"] == 16 / 6


def test_without_truth_the_table_is_empty():
    table, report = score_retrieval(*tables([question("q1")], [context("q1", ["a"])]))
    assert (table.schema, table.num_rows, report.metrics) == (RETRIEVAL_SCORES, 0, {})
    assert score_retrieval(empty_table(RETRIEVED_CONTEXT), empty_table(QUESTIONS))[0].num_rows == 0


@given(st.sets(st.sampled_from("abcdef"), min_size=1), st.permutations("abcdefgh"))
def test_scores_lie_between_zero_and_one_and_grow_with_the_cutoff(gold, ranked):
    judgement, retrieved = Judgement("q1", "?", dict.fromkeys(gold, 1.0)), RankedContext(ranked, None)
    found = {one.name: one.score(judgement, retrieved) for one in RETRIEVAL_METRICS if "evidence" not in one.name}
    assert all(0.0 <= value <= 1.0 for value in found.values())
    assert found["document_recall@1"] <= found["document_recall@3"] <= found["document_recall@5"]
    assert found["document_recall@10"] == 1.0


@given(
    st.dictionaries(st.sampled_from("abcdefghijkl"), st.integers(1, 3), min_size=1),
    st.lists(st.sampled_from("abcdefghijklmnop"), min_size=1, max_size=14, unique=True),
)
def test_metrics_of_documents_equal_those_of_ir_measures(gains, ranked):
    judgement, retrieved = (
        Judgement("q1", "?", {name: float(gain) for name, gain in gains.items()}),
        RankedContext(ranked, None),
    )
    found = {one.name: one.score(judgement, retrieved) for one in RETRIEVAL_METRICS if "evidence" not in one.name}
    run = {"q1": {document: -float(rank) for rank, document in enumerate(ranked)}}
    names = {f"document_recall@{k}": R @ k for k in (1, 3, 5, 10)} | {"mrr": RR, "ndcg@10": nDCG @ 10}
    oracle = ir_measures.calc_aggregate(names.values(), {"q1": gains}, run)
    assert found == pytest.approx({name: oracle[measure] for name, measure in names.items()})


@given(st.lists(st.sampled_from("abc"), max_size=12))
def test_a_text_holds_all_of_itself(words):
    assert evidence_recall(" ".join(words), [" ".join(words)], 10_000) == (1.0 if words else None)


@pytest.mark.skipif(not (SHARED / "tools/retrieval_eval.py").exists(), reason="the independent script is not at hand")
def test_figures_equal_those_of_an_independent_script(tmp_path):
    truth = SHARED / "data/wattbot/train_QA.csv"
    rows = read_rows(truth)
    gold = [row["ref_id"].strip("[]'") for row in rows]
    contexts = [
        context(
            row["id"],
            ["wu2021a", gold[n % 7], gold[n], "XIA2024"],
            [rows[n - n % 3]["supporting_materials"], "\n", row["supporting_materials"][40:]],
        )
        for n, row in enumerate(rows)
        if n % 5
    ]
    retrieved = tmp_path / "retrieved.jsonl"
    retrieved.write_text("".join(json.dumps(entry) + "\n" for entry in contexts))
    questions = [
        question(row.pop("id"), **{name: cell for name, cell in row.items() if name != "question"}) for row in rows
    ]
    _, report = scores(questions, contexts)
    for budget in (4000, 16000):
        command = [sys.executable, SHARED / "tools/retrieval_eval.py", truth, retrieved, "--budget", str(budget)]
        stated = json.loads(
            subprocess.run(command, capture_output=True, check=True, env={"PYTHONWARNINGS": "ignore"}).stdout
        )
        assert report.metrics["mrr/n"] == stated["questions"]
        assert report.metrics[f"evidence_recall@{budget}/n"] == stated["quotes"] > 10
        assert report.metrics[f"evidence_recall@{budget}"] == pytest.approx(stated["evidence_recall"], abs=5e-5)
        for cutoff in (1, 3, 5, 10):
            figure = report.metrics[f"document_recall@{cutoff}"]
            assert figure == pytest.approx(stated[f"doc_recall@{cutoff}"], abs=5e-5)
