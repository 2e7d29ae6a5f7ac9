"""Reranking through the verbs, over the built sample and a server on the loopback."""

import json

import pytest
from click.testing import CliRunner

from kohaku_assets.cli import main
from kohaku_assets.components.indexes import open_own_index
from kohaku_assets.pipeline.run import Run
from kohaku_lib.project.retrievers import make_retriever
from kohaku_lib.retrieval.refine.score_thresholds import conformal_threshold
from kohaku_lib.testing.openai_server import OpenAIServer, shared_words

QUERY = "How many trees did the city plant?"


@pytest.fixture
def server():
    with OpenAIServer() as running:
        yield running


def settings_of(server):
    return (
        "rerank.kind=served",
        f"rerank.base_url={server.base_url}",
        "rerank.served_model=shares",
        "rerank.retry_base_s=0",
    )


@pytest.fixture
def run(fresh, server, monkeypatch):
    home = fresh().settings.corpus.questions.parents[2]
    monkeypatch.chdir(home)

    def run(*arguments, settings=()):
        overrides = [part for setting in (*settings_of(server), *settings) for part in ("--set", setting)]
        return CliRunner().invoke(main, [*arguments, *overrides])

    run.home = home
    return run


def test_a_search_is_reranked_and_a_pair_is_paid_for_once(run, server):
    found = json.loads(run("search", QUERY, "--json", "--explain").stdout)
    reranked = found["trace"]["refinement"]["reranked"]
    assert (reranked["by"], reranked["failures"]) == ("served:shares", [])
    scores = [row["rerank_score"] for row in reranked["scores"]]
    assert all(0.0 <= score <= 1.0 for score in scores)
    [request] = server.requests
    assert scores == [shared_words(QUERY, text) for text in request["documents"]]
    assert found["matches"][0]["score"] == max(scores)
    again = json.loads(run("search", QUERY, "--json", "--explain").stdout)
    assert again["matches"] == found["matches"]
    assert len(server.requests) == 1


def test_a_server_without_the_endpoint_leaves_the_search_as_it_was(run, server):
    plain = json.loads(CliRunner().invoke(main, ["search", QUERY, "--json"]).stdout)
    server.faults.append({"kind": "status", "status": 404})
    outcome = run("search", QUERY, "--json", "--explain")
    found = json.loads(outcome.stdout)
    assert found["matches"] == plain["matches"]
    assert found["trace"]["refinement"]["reranked"]["by"] is None
    assert "status 404" in found["trace"]["refinement"]["reranked"]["failures"][0]


def test_a_reranker_is_calibrated_on_a_truth_and_then_drops_by_it(run, server, fresh):
    outcome = run("calibrate-rerank", "--truth", "data/sample/questions.csv", "--out", "calibration.json")
    assert outcome.exit_code == 0, outcome.stderr
    scores = json.loads((run.home / "calibration.json").read_text())["served:shares"]
    assert len(scores) > 3
    assert all(0.0 <= score <= 1.0 for score in scores)
    assert "served:shares" in outcome.stdout
    project = fresh(
        *settings_of(server), f"rerank.conformal={run.home / 'calibration.json'}", "rerank.conformal_error=0.4"
    )
    [result] = make_retriever(Run(project).session, open_own_index(project)).retrieve([("q", [QUERY])])
    least = conformal_threshold(scores, 0.4)
    dropped = [row for row in result.trace["dropped"] if row["why"] == "conformal"]
    assert dropped
    assert all(row["rerank_score"] < least for row in dropped)
    is_enough = "insufficient" not in result.trace["refinement"]
    assert all(snippet.score >= least for snippet in result.snippets) == is_enough
    assert is_enough or len(result.snippets) == 1


def test_without_a_reranker_there_is_nothing_to_calibrate(run):
    outcome = CliRunner().invoke(
        main, ["calibrate-rerank", "--truth", "data/sample/questions.csv", "--out", "calibration.json"]
    )
    assert outcome.exit_code == 2
    assert "was reranked; set rerank.kind" in outcome.stderr
    assert not (run.home / "calibration.json").exists()


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("rerank.kind=local", "rerank.kind = 'local' needs rerank.local_model"),
        ("rerank.kind=chat", "rerank.kind = 'chat' needs a chat model, but llm.provider is not set"),
        ("rerank.verify=standard", "rerank.verify = 'standard' needs a chat model"),
    ],
)
def test_what_is_named_but_not_set_up_is_one_sentence(run, setting, sentence):
    outcome = run("search", QUERY, settings=(setting,))
    assert outcome.exit_code == 2
    assert sentence in " ".join(outcome.stderr.split())


@pytest.mark.parametrize("setting", ["rerank.kind=served", "rerank.score_gap=true", "rerank.denoise_alpha=0.5"])
def test_a_setting_that_nothing_would_read_is_refused(run, setting):
    outcome = CliRunner().invoke(main, ["search", QUERY, "--set", setting])
    assert outcome.exit_code == 2
    assert setting.split("=")[0] in outcome.stderr
