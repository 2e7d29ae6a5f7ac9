"""A kind that is registered, and nothing else, is known to settings, slices, stages and the command line."""

import json

import pytest
from click.testing import CliRunner

from kohaku_assets.cli import main
from kohaku_assets.stages import STAGES
from kohaku_lib.errors import SettingsError
from kohaku_lib.kinds import RERANKERS, RerankerKind
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
    with pytest.raises(SettingsError, match="rerank.kind must be 'off', 'auto', 'served', .* got 'length'"):
        settings_with("rerank.kind=length")
