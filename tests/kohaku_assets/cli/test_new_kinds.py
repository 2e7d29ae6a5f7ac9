"""A kind that is registered, and nothing else, is known to settings, slices, stages and the command line."""

import json

import click
import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from pydantic import Field

from kohaku_assets.cli import VERBS, Verb, main
from kohaku_assets.operations.refresh import refresh
from kohaku_assets.pipeline.stage import Stage
from kohaku_assets.pipeline.stages import STAGES
from kohaku_lib.composition import load_settings
from kohaku_lib.errors import SettingsError
from kohaku_lib.evaluation.metrics.answers.interface import ANSWER_METRICS, AnswerMetric, AnswerParts
from kohaku_lib.evaluation.metrics.retrieval.interface import RETRIEVAL_METRICS, RetrievalMetric
from kohaku_lib.evaluation.voting.modes.interface import TIE_BREAKS, VOTE_MODES, Decision, TieBreak, VoteMode
from kohaku_lib.llm import ChatReply
from kohaku_lib.llm.providers.interface import PROVIDERS, ProviderKind
from kohaku_lib.retrieval.channels.interface import CHANNELS, ChannelKind
from kohaku_lib.retrieval.fusion.interface import CONSENSUS, FUSIONS, ConsensusKind, FusionKind
from kohaku_lib.retrieval.fusion.scored_rows import ScoredRows
from kohaku_lib.retrieval.rerank import RERANKERS, RerankerKind
from kohaku_lib.settings import Section
from kohaku_lib.tables import StageReport

QUERY = "How many trees did the city plant?"


@pytest.fixture
def run(fresh, monkeypatch):
    monkeypatch.chdir(fresh().settings.corpus.questions.parents[2])

    def run(*arguments):
        done = CliRunner().invoke(main, arguments)
        assert done.exit_code == 0, done.output
        return done.stdout

    return run


def settings_with(*overrides):
    return load_settings(overrides=overrides, environment={}).settings


class LengthOptions(Section):
    best_chars: int = Field(default=1, description="length of the best snippets")


class LengthReranker:
    def __init__(self, best_chars):
        self.name, self._best_chars = f"length:{best_chars}", best_chars

    def scores(self, query, texts, question_id):
        return [1 / (1 + abs(len(text) - self._best_chars)) for text in texts]


LENGTH = RerankerKind(
    "length",
    lambda settings, dependencies: LengthReranker(dependencies.options.best_chars),
    settings_keys=("rerank.logits",),
    options=LengthOptions,
)


def test_a_reranker_with_a_setting_of_its_own_is_added_by_its_registration(run):
    with RERANKERS.registered(LENGTH):
        read = STAGES["retrieved_context"].slice(settings_with("rerank.kind=length"))
        assert (read["rerank.logits"], read["rerank.options.length.best_chars"]) == (False, 1)
        assert "rerank.options.length.best_chars" not in STAGES["retrieved_context"].slice(settings_with())
        chosen = ("--set", "rerank.kind=length", "--set", "rerank.options.length.best_chars=90")
        found = json.loads(run("search", QUERY, "--json", "--explain", *chosen))
        reranked = found["trace"]["refinement"]["reranked"]
        shown = json.loads(run("settings", "--json", "--differences", *chosen))
        listed = run("settings", *chosen)
    assert (reranked["by"], reranked["failures"]) == ("length:90", [])
    assert found["matches"][0]["score"] == max(row["rerank_score"] for row in reranked["scores"])
    assert shown["rerank.options.length.best_chars"] == {"value": 90, "from": "--set"}
    assert "length of the best snippets" in listed
    with pytest.raises(SettingsError, match=r"rerank\.kind must be 'off', 'auto', 'served', .* got 'length'"):
        settings_with("rerank.kind=length")


def find_first_row(search):
    return [(ScoredRows(np.array([0]), np.array([1.0])),) for _ in search.queries]


def test_a_retrieval_channel_is_added_by_its_registration(run):
    assert "retrieval.graph_hops" not in STAGES["retrieved_context"].slice(settings_with("retrieval.graph_weight=0"))
    with CHANNELS.registered(ChannelKind("first", find_first_row, settings_keys=("graph_hops",))):
        assert "retrieval.graph_hops" in STAGES["retrieved_context"].slice(settings_with("retrieval.graph_weight=0"))
        found = json.loads(run("search", QUERY, "--json", "--explain"))["trace"]
    assert len(found["channels"][0]["first"][0]) == 1


def keep_dense(lists, weights, settings):
    return lists["dense"][0].head(settings.rrf_k)


def test_a_fusion_is_added_by_its_registration(run):
    with FUSIONS.registered(FusionKind("dense_sentences", keep_dense, ("rrf_k",))):
        read = STAGES["retrieved_context"].slice(settings_with("retrieval.fusion=dense_sentences"))
        assert {"retrieval.rrf_k", "retrieval.dense_weight"} <= read.keys()
        fused = ("--set", "retrieval.fusion=dense_sentences", "--set", "retrieval.evidence_share=0")
        fused += ("--set", "retrieval.hop_weight=0")  # a hop may add nodes that the fusion left out
        found = json.loads(run("search", QUERY, "--json", *fused, "--set", "retrieval.rrf_k=3"))
    assert [match["kind"] for match in found["matches"]] == ["sentence"] * 3


def keep_last_query(rankings, weights, settings):
    return rankings[-1]


def test_a_consensus_is_added_by_its_registration(run):
    with CONSENSUS.registered(ConsensusKind("last", keep_last_query, ("dedup_first",))):
        read = STAGES["retrieved_context"].slice(settings_with("retrieval.consensus=last"))
        assert "retrieval.dedup_first" in read
        assert "retrieval.planned_query_weight" not in read
        last = json.loads(run("search", QUERY, "--json", "--set", "retrieval.consensus=last"))["matches"]
    assert last != json.loads(run("search", QUERY, "--json"))["matches"]


def score_length(truth, predicted):
    return AnswerParts(float(predicted is not None and len(predicted.value) == len(truth.value)), 1.0, 1.0)


def test_an_answer_metric_is_added_by_its_registration(run, tmp_path):
    truth, predicted = tmp_path / "truth.csv", tmp_path / "predicted.csv"
    truth.write_text("id,answer_value,ref_id\nq1,80,a\nq2,7,a\n")
    predicted.write_text("id,answer_value,ref_id\nq1,99,b\nq2,99,b\n")
    with ANSWER_METRICS.registered(AnswerMetric("length", score_length, "length")):
        given = ("--truth", str(truth), "--pred", str(predicted), "--json")
        found = json.loads(run("score", *given, "--metric", "length"))
        assert settings_with("release.answer_metric=length").release.answer_metric == "length"
        assert "length" in run("score", "--help")
    assert (found["metric"], found["value"]) == ("length", 0.5)


def test_a_retrieval_metric_is_added_by_its_registration(run):
    number = RetrievalMetric("documents", lambda judgement, retrieved: float(len(retrieved.documents)))
    with RETRIEVAL_METRICS.registered(number):
        found = json.loads(run("evaluate-retrieval", "--truth", "data/sample/questions.csv", "--json"))
        assert settings_with("release.retrieval_metric=documents").release.retrieval_metric == "documents"
    assert found["metrics"]["documents"]["mean"] >= 1.0


@pytest.fixture
def vote(run, tmp_path):
    runs = [tmp_path / f"{name}.csv" for name in "abc"]
    for value, path in enumerate(runs):
        path.write_text(f"id,answer_value,ref_id\nq1,{value},a\n")

    def vote(*options):
        out = tmp_path / "voted.csv"
        run("vote", *map(str, runs), "--out", str(out), *options)
        return out.read_text().splitlines()[-1]

    return vote


def take_last(tally):
    last = tally.ballots[-1]
    return Decision(last.value, last.refs, last, 1.0)


def test_a_vote_mode_is_added_by_its_registration(vote):
    with VOTE_MODES.registered(VoteMode("last", take_last, settings_keys=("ensemble.ignore_blank",))):
        read = STAGES["ensemble_votes"].slice(settings_with("ensemble.ref_mode=last"))
        assert read == {"ensemble.ref_mode": "last", "ensemble.min_runs": 1, "ensemble.ignore_blank": True}
        voted = vote("--mode", "last")
    assert ",2," in voted


def test_a_tie_break_is_added_by_its_registration(vote):
    latest = TieBreak("latest", lambda groups, settings, question_id: groups[-1], ("ensemble.seed",))
    with TIE_BREAKS.registered(latest):
        chosen = settings_with("ensemble.ref_mode=union", "ensemble.tie_break=latest")
        assert "ensemble.seed" in STAGES["ensemble_votes"].slice(chosen)
        voted = vote("--tie-break", "latest")
    assert ",2," in voted


class UnitChat:
    """A chat model that replies to every question with `retry_base_s`, and cites the first excerpt."""

    provider = "unit"

    def __init__(self, settings, environment):
        self.value = str(settings.retry_base_s)

    def known(self, request):
        return None

    def complete(self, request, keep=None):
        text = json.dumps({"answer": "", "answer_value": self.value, "ref_id": [1], "explanation": ""})
        reply = ChatReply(text, 10, None, 5, 0.0, 0.0, 1, "stop")
        if keep is not None:
            keep(reply)
        return reply

    def stop(self):
        pass


def test_a_provider_is_added_by_its_registration(run):
    with PROVIDERS.registered(ProviderKind("unit", build_chat=UnitChat, settings_keys=("llm.retry_base_s",))):
        chosen = settings_with("llm.provider=unit", "answer.by=model", "planner.kind=rule")
        for stage in ("predictions", "query_plans"):
            is_read = "llm.retry_base_s" in STAGES[stage].slice(chosen)
            assert is_read == (stage == "predictions")
        unit = (
            "llm.provider=unit",
            "answer.by=model",
            "planner.kind=rule",
            "llm.retry_base_s=7.5",
            "answer.keep_unstated=true",
        )
        unit = [piece for one in unit for piece in ("--set", one)]
        found = json.loads(run("ask", QUERY, "--json", *unit))
    assert (found["answer_value"], len(found["citations"])) == ("7.5", 1)
    with pytest.raises(SettingsError, match=r"llm\.provider must be 'openai', .* or 'local', got 'unit'"):
        settings_with("llm.provider=unit", "answer.by=model")


def test_a_provider_without_a_server_is_no_fallback():
    with (
        PROVIDERS.registered(ProviderKind("unit", build_chat=UnitChat)),
        pytest.raises(
            SettingsError, match=r"llm\.fallback\.provider must be 'openai', 'openrouter' or 'bedrock', got 'unit'"
        ),
    ):
        settings_with("llm.provider=openrouter", "llm.fallback.provider=unit")


@click.command("hello")
def hello_command():
    """Greet."""
    click.echo("hello")


def test_a_verb_is_added_by_its_registration(run):
    with VERBS.registered(Verb("hello", "Greet.", load=lambda: hello_command)):
        assert "  hello  " in run("--help")
        assert run("hello") == "hello\n"
    assert CliRunner().invoke(main, ["hello"]).exit_code == 2


def count_questions(_run, inputs):
    """Counts the questions that have an answer."""
    votes = inputs["ensemble_votes"]
    return pa.table({"questions": [votes.num_rows]}), StageReport(votes.num_rows)


def test_an_asset_is_added_by_its_stage(fresh, monkeypatch):
    stage = Stage("question_count", "evaluate", count_questions, ("ensemble_votes",))
    monkeypatch.setitem(STAGES, "question_count", stage)
    project = fresh()
    assert [s.asset for s in project.statuses() if s.status != "fresh"] == ["question_count"]
    report = refresh(project)
    assert (report.failure, list(report.outcomes)) == (None, ["question_count"])
    assert project.present_table("question_count").to_pylist() == [{"questions": 12}]
    assert [s.asset for s in project.statuses() if s.status != "fresh"] == []
