"""Runtime settings: checked, per tenant, seen by other processes within seconds, and before the level."""

import pytest

from kohaku_lib.assistant.levels import question_settings
from kohaku_lib.assistant.memory.database import open_database
from kohaku_lib.assistant.memory.runtime_settings import STORE, RuntimeSettings
from kohaku_lib.assistant.request import AssistantRequest
from kohaku_lib.errors import SettingsError
from kohaku_lib.settings import Settings


@pytest.fixture
def engine(tmp_path):
    opened = open_database(tmp_path)
    yield opened
    opened.dispose()


def values(runtime):
    return {key: found.value for key, found in runtime.values().items()}


def test_a_value_is_kept_with_who_set_it(engine):
    RuntimeSettings(engine, "default").set(Settings(), {"retrieval.top_k": 12}, "ann")
    found = RuntimeSettings(engine, "default").values()["retrieval.top_k"]
    assert (found.value, found.changed_by) == (12, "ann")
    assert found.place.startswith("organisation 'default', by ann at 20")
    RuntimeSettings(engine, STORE).set(Settings(), {"retrieval.top_k": 12}, "ann")
    assert RuntimeSettings(engine, STORE).values()["retrieval.top_k"].place.startswith("runtime, by ann at 20")


def test_the_newest_value_counts_and_none_drops_it(engine):
    runtime = RuntimeSettings(engine, "default")
    runtime.set(Settings(), {"retrieval.top_k": 12, "rerank.verify": "quick"}, "ann")
    runtime.set(Settings(), {"retrieval.top_k": 13}, "bob")
    assert values(runtime) == {"retrieval.top_k": 13, "rerank.verify": "quick"}
    runtime.set(Settings(), {"retrieval.top_k": None}, "bob")
    assert values(runtime) == {"rerank.verify": "quick"}


def test_a_change_of_another_process_is_seen_after_five_seconds(engine):
    now = [0.0]
    here, there = RuntimeSettings(engine, "default", lambda: now[0]), RuntimeSettings(engine, "default")
    assert values(here) == {}
    there.set(Settings(), {"retrieval.top_k": 12}, "ann")
    now[0] = 4.9
    assert values(here) == {}
    now[0] = 5.0
    assert values(here) == {"retrieval.top_k": 12}


def test_tenants_do_not_share_values(engine):
    RuntimeSettings(engine, "default").set(Settings(), {"retrieval.top_k": 12}, "ann")
    assert values(RuntimeSettings(engine, "other")) == {}


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"embedding.model": "minilm"}, r"a runtime setting is one of planner, .* got 'embedding\.model'"),
        ({"assistant.cache": False}, "got 'assistant.cache'"),
        ({"no.such": 1}, "got 'no.such'"),
        ({"retrieval.top_k": 0}, "the setting retrieval.top_k must be greater than or equal to 1, got 0"),
        ({"retrieval.paragraph_search_mode": "both"}, "needs embedding.paragraph_mode = 'both'"),
    ],
)
def test_a_wrong_value_is_refused_and_none_of_its_change_is_kept(engine, wrong, sentence):
    runtime = RuntimeSettings(engine, "default")
    with pytest.raises(SettingsError, match=sentence):
        runtime.set(Settings(), {"rerank.verify": "quick", **wrong}, "ann")
    assert values(runtime) == {}


def test_runtime_values_go_before_the_level_and_behind_the_request():
    runtime = {"retrieval.top_k_final": 3, "rerank.verify": "quick"}
    request = AssistantRequest(message="Why?", intelligence_level="basic", enable_verification=False)
    found = question_settings(Settings(), request, "Why?", runtime)
    assert (found.retrieval.top_k_final, found.planner.routing, found.rerank.verify) == (3, "dense_only", "none")


def test_a_runtime_level_holds_where_the_request_names_none():
    runtime = {"assistant.level": "maximum"}
    assert question_settings(Settings(), AssistantRequest(message="?"), "?", runtime).retrieval.top_k_final == 15
    basic = AssistantRequest(message="?", intelligence_level="basic")
    assert question_settings(Settings(), basic, "?", runtime).retrieval.top_k_final == 8
