"""Levels are overlays of the project's settings; intent and explicit choices go on top."""

import pytest

from kohaku_lib.composition import load_settings, overlaid
from kohaku_lib.conversation.levels import LEVELS, question_settings
from kohaku_lib.conversation.request import AssistantRequest
from kohaku_lib.errors import SettingsError
from kohaku_lib.retrieval.search.prepare import plan_settings
from kohaku_lib.retrieval.search.search_channels import channel_weights
from kohaku_lib.settings import Settings, leaf_fields, pick
from kohaku_lib.tables import QueryPlan

QUESTION = "How much electricity did the workshop use?"
CHAT = overlaid(Settings(), {"llm.provider": "openai", "answer.by": "model", "llm.model": "small"})


def asked(settings=None, question=QUESTION, **choices):
    return question_settings(settings or Settings(), AssistantRequest(message=question, **choices), question)


def test_without_a_level_the_settings_hold_as_they_are():
    assert asked() == Settings()


@pytest.mark.parametrize(("level", "top_k"), [("basic", 8), ("standard", 10), ("enhanced", 12), ("maximum", 15)])
def test_each_level_takes_its_number_of_results(level, top_k):
    assert asked(intelligence_level=level).retrieval.top_k_final == top_k


def test_higher_levels_search_by_more_queries_and_ways():
    found = [asked(intelligence_level=level).planner for level in LEVELS]
    assert [planner.max_queries for planner in found] == [1, 1, 3, 4]
    assert [planner.routing for planner in found] == ["dense_only", "hybrid", "hybrid", "fusion"]


@pytest.mark.parametrize(
    ("level", "channels"),
    [("basic", {"dense"}), ("standard", {"dense", "lexical"}), ("enhanced", {"dense", "lexical", "graph"})],
)
def test_the_first_levels_add_a_channel_each(level, channels):
    found = asked(intelligence_level=level)
    own = plan_settings(QueryPlan("q", strategy=found.planner.routing), found.retrieval)
    assert {name for name, weight in channel_weights(own).items() if weight > 0} == channels


def test_what_needs_a_chat_model_is_replaced_where_there_is_none():
    assert asked(intelligence_level="maximum").rerank.verify == "quick"
    assert asked(intelligence_level="maximum").ensemble.runs == 1
    assert asked(CHAT, intelligence_level="maximum").rerank.verify == "thorough"
    assert asked(CHAT, intelligence_level="maximum").ensemble.runs == 3


def test_the_level_of_the_request_goes_before_that_of_the_settings():
    settings = overlaid(Settings(), {"assistant.level": "maximum"})
    assert asked(settings).retrieval.top_k_final == 15
    assert asked(settings, intelligence_level="basic").retrieval.top_k_final == 8


def test_explicit_choices_go_before_the_level():
    changed = asked(
        CHAT,
        intelligence_level="maximum",
        enable_verification=False,
        enable_cot=False,
        ensemble_voting=False,
        temperature_override=1.5,
    )
    assert (changed.rerank.verify, changed.assistant.chain_of_thought) == ("none", False)
    assert (changed.ensemble.runs, changed.assistant.temperature) == (1, 1.5)


def test_lists_and_comparisons_take_at_least_the_results_that_they_need():
    assert asked(question="List all machine rooms", intelligence_level="basic").retrieval.top_k_final == 15
    assert asked(question="Compare A with B", intelligence_level="basic").retrieval.top_k_final == 10
    assert asked(question="Compare A with B", intelligence_level="enhanced").rerank.mmr == pytest.approx(0.6)


def test_a_level_changes_how_the_index_is_read_and_never_what_is_in_it():
    sections = {key.partition(".")[0] for values in LEVELS.values() for key in values}
    assert sections <= {"planner", "retrieval", "rerank", "ensemble", "assistant"}


def test_an_overlay_changes_the_named_keys_alone():
    changed = overlaid(Settings(), {"retrieval.top_k": 12})
    before, after = pick(Settings(), leaf_fields()), pick(changed, leaf_fields())
    assert {key for key in before if before[key] != after[key]} == {"retrieval.top_k"}


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"retrieval.top_k": 0}, "the setting retrieval.top_k must be greater than or equal to 1, got 0"),
        ({"retrieval.paragraph_search_mode": "both"}, "needs embedding.paragraph_mode = 'both'"),
    ],
)
def test_an_overlay_is_checked_like_the_file(values, sentence):
    with pytest.raises(SettingsError, match=sentence):
        overlaid(Settings(), values)


ENGINES = ("raptor_weight", "lightrag_weight", "late_weight")
BUILT = {"raptor.enabled": True, "lightrag.enabled": True, "late.enabled": True}


def engine_weights(settings, **choices):
    return [getattr(asked(settings, **choices).retrieval, name) for name in ENGINES]


def test_the_maximum_level_searches_the_engines_that_the_index_has():
    assert engine_weights(overlaid(Settings(), BUILT), intelligence_level="maximum") == [0.1, 0.1, 0.1]
    assert engine_weights(overlaid(Settings(), BUILT), intelligence_level="enhanced") == [0.0, 0.0, 0.0]
    some = overlaid(Settings(), BUILT | {"late.enabled": False})
    assert engine_weights(some, intelligence_level="maximum") == [0.1, 0.1, 0.0]
    assert engine_weights(Settings(), intelligence_level="maximum") == [0.0, 0.0, 0.0]


def test_the_maximum_level_fuses_all_engines_and_several_queries():
    found = asked(overlaid(Settings(), BUILT), intelligence_level="maximum")
    assert engine_weights(overlaid(Settings(), BUILT), intelligence_level="maximum") == [0.1, 0.1, 0.1]
    assert (found.planner.max_queries, found.planner.style, found.retrieval.consensus) == (4, "variations", "rrf")


def test_a_weight_that_the_settings_have_is_kept_by_a_level():
    settings = overlaid(Settings(), BUILT | {"retrieval.late_weight": 0.4, "retrieval.graph_weight": 0.3})
    assert engine_weights(settings, intelligence_level="maximum") == [0.1, 0.1, 0.4]
    assert asked(settings, intelligence_level="maximum").retrieval.graph_weight == 0.3
    assert engine_weights(settings, intelligence_level="standard") == [0.0, 0.0, 0.0]  # which searches two channels
    assert asked(settings, intelligence_level="standard").retrieval.graph_weight == 0.0


def test_the_profile_of_the_assistant_searches_all_engines_at_its_maximum_level_alone():
    profile = load_settings(overrides=["profile=assistant"], environment={}).settings
    assert engine_weights(profile, intelligence_level="maximum") == [1.0, 1.0, 1.0]
    assert engine_weights(profile, intelligence_level="standard") == [0.0, 0.0, 0.0]
    found = [asked(profile, intelligence_level=level).retrieval for level in LEVELS]
    assert [one.graph_weight for one in found] == [0.0, 0.0, 1.0, 1.0]
    assert [one.related_share for one in found] == [0.0, 0.0, 0.2, 0.2]  # paragraphs that the graph relates


def test_verification_grows_with_the_level_and_long_thinking_is_the_maximum_alone():
    found = [asked(CHAT, intelligence_level=level) for level in LEVELS]
    assert [one.rerank.verify for one in found] == ["none", "quick", "thorough", "thorough"]
    assert [one.assistant.chain_of_thought for one in found] == [False, False, True, True]
    assert [one.assistant.extended_thinking for one in found] == [False, False, False, True]


@pytest.mark.parametrize(
    ("question", "is_in_steps"),
    [("Compare A with B", True), ("Analyse why A failed and evaluate B", True), ("List all machine rooms", False)],
)
def test_an_intent_that_needs_reasons_is_answered_in_steps_where_its_hints_hold(question, is_in_steps):
    hinting = overlaid(CHAT, {"retrieval.intent_hints": True})
    assert asked(hinting, question=question).assistant.chain_of_thought is is_in_steps
    assert asked(CHAT, question=question).assistant.chain_of_thought is False
    request, runtime = AssistantRequest(message=question), {"retrieval.intent_hints": False}
    assert question_settings(hinting, request, question, runtime).assistant.chain_of_thought is False
