"""Runtime settings: checked, per tenant, seen by other processes within seconds, and before the level."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import insert

from kohaku_lib.conversation.levels import question_settings
from kohaku_lib.conversation.memory.database import open_database
from kohaku_lib.conversation.memory.runtime_settings import (
    AT_RUNTIME,
    OF_ALL,
    STORE,
    RuntimeSettings,
    changed_values,
    runtime_keys,
)
from kohaku_lib.conversation.memory.tables import RUNTIME_SETTINGS
from kohaku_lib.conversation.request import AssistantRequest
from kohaku_lib.errors import SettingsError
from kohaku_lib.settings import Settings, leaf_fields
from kohaku_lib.settings.keys import accepts_text
from kohaku_lib.settings.section import KindName


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


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([("retrieval.rerank", '"rrf"')], {"retrieval.consensus": "rrf"}),
        ([("retrieval.rerank", '"rrf"'), ("retrieval.consensus", '"score"')], {"retrieval.consensus": "score"}),
        ([("retrieval.rerank", '"rrf"'), ("retrieval.consensus", None)], {}),
    ],
)
def test_a_value_that_was_stored_under_a_former_name_counts_until_a_newer_one(engine, changes, expected):
    with engine.begin() as connection:
        for key, value in changes:
            row = {"org_id": "default", "key": key, "value_json": value, "changed_at": datetime.now(UTC)}
            connection.execute(insert(RUNTIME_SETTINGS), [row | {"changed_by": "ann"}])
    assert values(RuntimeSettings(engine, "default")) == expected


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
        (
            {"embedding.model": "minilm"},
            r"a runtime setting is a number, choice or switch of planner, .* got 'embedding\.model'",
        ),
        ({"assistant.sessions": 3}, "got 'assistant.sessions'"),
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


# Settings of the sections read for each question that only the operator changes, in kohaku.toml. A new setting of these
# sections is added here or to AT_RUNTIME.
OPERATORS_OWN = {
    "addresses": ("retrieval.graph_server", "rerank.base_url"),
    "paths": ("rerank.conformal",),
    "who answers": ("answer.by",),
    "models": ("planner.model", "rerank.served_model", "rerank.chat_model", "rerank.local_model"),
    "names of variables": ("rerank.api_key_env",),
    "limits of the server": (
        *(
            "retrieval.graph_server_timeout_s",
            "retrieval.channel_timeout_s",
            "answer.max_images",
            "answer.max_image_mb",
        ),
        *(f"rerank.{name}" for name in ("batch_size", "call_retries", "retry_base_s", "timeout_s", "max_reply_mb")),
        "rerank.max_concurrent",
    ),
    "of all conversations": tuple(
        f"assistant.{name}"
        for name in (
            *("max_message_chars", "tool_calls", "vote", "sessions"),
            "database",
        )
    ),
}


def test_every_setting_read_for_a_question_is_marked_as_one_of_runtime_or_as_the_operators():
    operators = {key for keys in OPERATORS_OWN.values() for key in keys}
    read = [key for key in leaf_fields() if key.partition(".")[0] in AT_RUNTIME]
    unmarked = [key for key in read if (key in runtime_keys(STORE)) + (key in operators) != 1]
    assert unmarked == []


@pytest.mark.parametrize("key", OF_ALL)
def test_what_all_organisations_share_is_set_for_all_and_by_none_of_them(engine, key):
    RuntimeSettings(engine, STORE).set(Settings(), {key: 2}, "ann")
    assert values(RuntimeSettings(engine, STORE)) == {key: 2}
    with pytest.raises(SettingsError, match="is of all organisations together; set it with"):
        RuntimeSettings(engine, "default").set(Settings(), {key: 3}, "bob")
    with pytest.raises(SettingsError, match="is of all organisations together"):
        changed_values({}, {key: 3})  # of a session


@pytest.mark.parametrize("key", leaf_fields())
def test_no_address_path_model_or_name_of_a_variable_is_changed_at_runtime(key):
    field = leaf_fields()[key]
    is_choice = not accepts_text(field) or any(isinstance(one, KindName) for one in field.metadata)
    assert is_choice or key not in runtime_keys(STORE)


def test_what_is_not_of_runtime_is_refused_and_ignored_where_it_stands_in_the_database(engine):
    runtime = RuntimeSettings(engine, "default")
    keys = sorted(set(leaf_fields()) - set(runtime_keys(STORE)))
    for key in keys:
        with pytest.raises(SettingsError, match=r"set others in kohaku\.toml"):
            runtime.set(Settings(), {key: None}, "ann")
    common = {"org_id": "default", "value_json": '"x"', "changed_at": datetime.now(UTC), "changed_by": "ann"}
    with engine.begin() as connection:
        connection.execute(insert(RUNTIME_SETTINGS), [common | {"key": key} for key in keys])
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
