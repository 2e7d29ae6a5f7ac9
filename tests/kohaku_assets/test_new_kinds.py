"""A kind that is registered, and nothing else, is known to settings, slices, stages and the command line."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from kohaku_assets.cli import main
from kohaku_assets.stages import STAGES
from kohaku_lib.errors import SettingsError
from kohaku_lib.kinds import (
    CHANNELS,
    CONSENSUS,
    FUSIONS,
    RERANKERS,
    ChannelKind,
    ConsensusKind,
    FusionKind,
    RerankerKind,
)
from kohaku_lib.retrieval.scored_rows import ScoredRows
from kohaku_lib.settings import load_settings

pytestmark = pytest.mark.xdist_group("sample")
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


class LengthReranker:
    name = "length:1"

    def scores(self, query, texts, question_id):
        return [1 / (1 + len(text)) for text in texts]


LENGTH = RerankerKind("length", lambda settings, dependencies: LengthReranker(), settings_keys=("rerank.logits",))


def test_a_reranker_is_added_by_its_registration(run):
    with RERANKERS.registered(LENGTH):
        assert "rerank.logits" in STAGES["retrieved_context"].slice(settings_with("rerank.kind=length"))
        found = json.loads(run("search", QUERY, "--json", "--explain", "--set", "rerank.kind=length"))
        reranked = found["trace"]["refinement"]["reranked"]
    assert (reranked["by"], reranked["failures"]) == ("length:1", [])
    assert found["matches"][0]["score"] == max(row["rerank_score"] for row in reranked["scores"])
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
        found = json.loads(run("search", QUERY, "--json", *fused, "--set", "retrieval.rrf_k=3"))
    assert [match["kind"] for match in found["matches"]] == ["sentence"] * 3


def keep_last_query(rankings, weights, settings):
    return rankings[-1]


def test_a_consensus_is_added_by_its_registration(run):
    with CONSENSUS.registered(ConsensusKind("last", keep_last_query, ("dedup_first",))):
        read = STAGES["retrieved_context"].slice(settings_with("retrieval.rerank=last"))
        assert "retrieval.dedup_first" in read
        assert "retrieval.planned_query_weight" not in read
        last = json.loads(run("search", QUERY, "--json", "--set", "retrieval.rerank=last"))["matches"]
    assert last != json.loads(run("search", QUERY, "--json"))["matches"]
