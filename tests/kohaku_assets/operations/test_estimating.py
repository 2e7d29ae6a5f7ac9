"""Counting calls before they are paid for, against what a run then asks."""

import json

import pytest
from click.testing import CliRunner
from stage_refresh import refresh_stages

from kohaku_assets.cli import main
from kohaku_assets.operations.estimating import estimate_refresh
from kohaku_assets.operations.refresh import refresh
from kohaku_lib.errors import SettingsError
from kohaku_lib.testing.openai_server import OpenAIServer

PRICE = 'llm.prices={"small"={input_usd_per_million=1.0,output_usd_per_million=2.0}}'


def chat(server, *more):
    return (
        "llm.provider=openai",
        "answer.by=model",
        f"llm.base_url={server.base_url}",
        "llm.model=small",
        "planner.kind=rule",
        *more,
    )


def test_the_estimate_is_what_a_run_then_asks_and_known_calls_are_free(fresh):
    with OpenAIServer() as server:
        settings = chat(server, PRICE, "answer.max_retries=0", "release.gate=false")
        (before,) = estimate_refresh(fresh(*settings))
        assert server.stats()["requests"] == 0
        report = refresh_stages(fresh(*settings), ["predictions"])
        assert report.failure is None, report.failure
        asked = server.stats()["requests"]
        assert estimate_refresh(fresh(*settings)) == []
        (more,) = estimate_refresh(fresh(*settings, "ensemble.runs=2"))
    assert (before.stage, before.model, before.basis, before.known_calls) == ("predictions", "small", "prompts", 0)
    assert before.calls == before.most_calls == asked == 12
    assert before.cost_usd == pytest.approx((before.input_tokens + 2 * before.output_tokens) / 1e6)
    assert (more.calls, more.known_calls) == (12, 12)
    assert more.output_tokens < before.output_tokens  # by now the length of replies is known


def test_a_price_that_is_unknown_stays_unknown_and_deeper_attempts_are_counted(fresh):
    with OpenAIServer() as server:
        (estimate,) = estimate_refresh(fresh(*chat(server, "answer.max_retries=2")))
    assert (estimate.cost_usd, estimate.most_calls) == (None, 36)


def test_prompts_that_cannot_be_known_yet_are_estimated_from_the_settings(fresh):
    with OpenAIServer() as server:
        (estimate,) = estimate_refresh(fresh(*chat(server, "retrieval.top_k=7", "ensemble.runs=3", PRICE)))
    assert (estimate.basis, estimate.calls, estimate.known_calls) == ("settings", 36, None)
    assert estimate.input_tokens == 36 * (6000 + 800)


def test_queries_that_a_model_plans_are_counted_too(fresh):
    with OpenAIServer() as server:
        settings = [override for override in chat(server) if not override.startswith("planner")]
        plans, predictions = estimate_refresh(fresh(*settings, "planner.model=planner"))
        assert server.stats()["requests"] == 0
    assert (plans.stage, plans.model, plans.calls, plans.basis) == ("query_plans", "planner", 12, "prompts")
    assert (predictions.basis, predictions.calls) == ("settings", 12)


def test_without_a_chat_model_there_is_nothing_to_estimate(fresh):
    assert estimate_refresh(fresh("answer.max_retries=0")) == []


def test_the_verb_prints_the_estimate_and_runs_nothing(fresh, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "no-key")
    with OpenAIServer() as server:
        folder = fresh().home
        overrides = [part for key in chat(server, PRICE) for part in ("--set", key)]
        arguments = ["refresh", "--config", str(folder / "kohaku.toml"), *overrides, "--dry-run"]
        as_json = CliRunner().invoke(main, [*arguments, "--json"])
        told = CliRunner().invoke(main, arguments)
        unpriced = CliRunner().invoke(main, [*arguments, "--set", "llm.model=large"])
        assert server.stats()["requests"] == 0
    assert (as_json.exit_code, told.exit_code) == (0, 0)
    assert 'llm.prices lacks large; set it in the form llm.prices = {"large" = {input' in unpriced.stderr
    (row,) = json.loads(as_json.stdout)
    assert (row["stage"], row["calls"]) == ("predictions", 12)
    assert f"about {row['cost_usd']:.4f} US dollars" in told.stderr


def test_entities_that_a_model_is_to_find_are_named_though_not_counted(fresh):
    with OpenAIServer() as server:
        settings = chat(server, "graph.extractor=chat", "graph.model=finder")
        entities, answers = estimate_refresh(fresh(*settings))
        (alone,) = estimate_refresh(fresh(*settings, "graph.enabled=false"))
    assert (entities.stage, entities.model, entities.calls) == ("knowledge_graph", "finder", None)
    assert answers.stage == alone.stage == "predictions"


def test_a_reranker_needs_no_key_where_nothing_is_run(fresh, monkeypatch):
    monkeypatch.setenv("RERANK_KEY", "secret")
    served = (
        "rerank.kind=served",
        "rerank.base_url=http://127.0.0.1:9/v1",
        "rerank.served_model=cross",
        "rerank.api_key_env=RERANK_KEY",
        "rerank.call_retries=0",
    )
    with OpenAIServer() as server:
        settings = chat(server, *served, "answer.max_retries=0", "release.gate=false")
        refresh_stages(fresh(*settings), ["retrieved_context"])
        monkeypatch.delenv("RERANK_KEY")
        (estimate,) = estimate_refresh(fresh(*settings), ["predictions"])
    assert estimate.calls == 12


def test_what_a_run_costs_is_told_before_there_is_a_key(fresh, monkeypatch):
    for variable in ("OPENAI_API_KEY", "OPENROUTER_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    settings = (
        "llm.provider=openai",
        "answer.by=model",
        "llm.model=small",
        "llm.fallback.provider=openrouter",
        "planner.kind=rule",
        PRICE,
    )
    (estimate,) = estimate_refresh(fresh(*settings))
    assert (estimate.basis, estimate.calls) == ("prompts", 12)
    assert estimate.cost_usd > 0
    with pytest.raises(SettingsError, match="OPENAI_API_KEY"):
        refresh(fresh(*settings))


def test_a_run_that_spends_its_budget_ends_with_one_sentence_and_the_next_one_ends_it(fresh):
    with OpenAIServer() as server:
        settings = chat(server, PRICE, "answer.max_retries=0", "release.gate=false")
        report = refresh_stages(fresh(*settings, "llm.max_cost_usd=0.012", "llm.max_concurrent=1"), ["predictions"])
        paid = server.stats()["billed"]
        assert 0 < paid < 12
        assert report.failure is not None
        assert report.failure.startswith(f"predictions: {12 - paid} of 12 answers are missing: not asked: ")
        assert fresh().store.exists()
        assert refresh_stages(fresh(*settings), ["predictions"]).failure is None
        assert server.stats() == {"requests": 12, "billed": 12, "distinct": 12}
