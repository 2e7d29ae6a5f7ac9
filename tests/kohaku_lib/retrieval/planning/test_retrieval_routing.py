"""Intents, complexity and strategies of questions, by rule and by a chat model on a loopback server."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.llm import CallLedger, build_chat, plain_chat
from kohaku_lib.prompts import question_class
from kohaku_lib.retrieval import plan_question
from kohaku_lib.retrieval.planning.plan_chat import UnusableReplyError
from kohaku_lib.retrieval.planning.routing import (
    SURE,
    channel_hints,
    classify_by_chat,
    classify_intent,
    complexity_signals,
    intents,
    route,
    signals,
)
from kohaku_lib.settings import LlmSettings, PlannerSettings
from kohaku_lib.testing.openai_server import OpenAIServer


@pytest.mark.parametrize(
    ("question", "intent", "confidence"),
    [
        ("List the sites", "LIST", 1 / 3),
        ("List and enumerate every site", "LIST", 2 / 3),
        ("Compare solar with wind; what is the difference between them?", "COMPARISON", 1.0),
        ("Give an overview and summary of the report", "SUMMARY", 2 / 3),
        ("Explain the reasons for the peak", "ANALYTICAL", 2 / 3),
        ("Who built it, and when?", "FACTUAL", 2 / 3),
        ("List the differences", "LIST", 0.7 / 3),  # a tie with COMPARISON
        ("Why was it when it was?", "ANALYTICAL", 0.7 / 3),  # a tie with FACTUAL
        ("GPT-3 energy", "FACTUAL", 0.4),
        ("Does the room have sensors?", "FACTUAL", 0.5),
        ("How hot may it get?", "ANALYTICAL", 0.5),
        ("energy of the machine room", "SUMMARY", 0.4),
        ("energy machine room", "FACTUAL", 0.4),
        ("", "UNKNOWN", 0.0),
        ("   ", "UNKNOWN", 0.0),
    ],
)
def test_the_intent_with_most_hits_wins_and_the_form_decides_without_any(question, intent, confidence):
    assert classify_intent(question) == (intent, pytest.approx(confidence))


@pytest.mark.parametrize(
    ("question", "signals"),
    [
        ("Show whom the growth belonged to, so far", ()),  # how, row, long, who: only inside other words
        ("What is the total power?", ("aggregation",)),
        ("Who is the founder whose firm was sold after 1990?", ("multi-hop", "temporal")),
        ("Why is A larger than B?", ("comparison", "reasoning")),
        ("How is the pump related to the valve?", ("relation",)),
        ("One? Two?", ("several",)),
        (" ".join(["word"] * 16), ("long",)),
        (" ".join(["word"] * 15), ()),
    ],
)
def test_complexity_is_counted_in_whole_words(question, signals):
    assert complexity_signals(question) == signals


@pytest.mark.parametrize(
    ("question", "complexity", "strategy"),
    [
        ("Capital of France", 0, "hybrid"),
        ("Is A larger than B?", 1, "hybrid"),
        ("Why did the firm whose founder left grow after 1990?", 4, "fusion"),
        ("What is the average use of all rooms?", 2, "two_stage"),
        ("What do the papers that measure water say across sites?", 0, "hierarchical"),
        ("Summary of what happened after 1990", 1, "hierarchical"),
    ],
)
def test_the_strategy_follows_from_the_complexity_and_its_signals(question, complexity, strategy):
    found = route(question)
    assert (found.complexity, found.strategy) == (complexity, strategy)


def test_what_a_chat_model_adds_follows_from_the_signals():
    complex_reason = route("Why did the firm whose founder left grow after 1990?")
    assert (complex_reason.hyde, complex_reason.step_back, complex_reason.variations) == (True, True, False)
    compared = route("Is A larger than B?")
    assert (compared.hyde, compared.step_back, compared.variations) == (False, False, True)


def test_the_confidence_falls_with_the_complexity_and_rises_with_clear_signals():
    assert route("Capital of France").confidence == pytest.approx(0.9)
    # complexity 4 costs 0.2, three signals bring 0.15
    assert route("Why did the firm whose founder left grow after 1990?").confidence == pytest.approx(0.85)


@pytest.mark.parametrize(
    ("question", "dense", "lexical"),
    [
        ("the use of water", 1.0, 1.0),
        ("power use", 1.0, 1.25),
        ('"power use" of rooms here', 1.0, 1.25),
        ("PUE 2023", 1.0, 1.953125),
        ('"PUE 2023"', 1.0, 2.0),  # four hints, and never more than 2
        ("what do people say about cooling with water", 1.25, 1.0),
    ],
)
def test_hints_move_weight_between_meaning_and_words(question, dense, lexical):
    assert channel_hints(question) == {"dense": dense, "lexical": lexical}


@given(st.text())
def test_every_text_has_a_route(question):
    found = route(question)
    assert 0.0 <= found.intent_confidence <= 1.0
    assert 0.5 <= found.confidence <= 1.0
    assert found.complexity >= 0
    assert all(1.0 <= weight <= 2.0 for weight in found.weights.values())


SYSTEM = question_class.system(intents())
UNSURE = "Does the site use more water?"
CERTAIN = "List all sites, name all their owners and enumerate their loads"


def sorted_by(reply, question=UNSURE):
    return classify_by_chat(question, "q1", lambda *_: reply, route(question))


@pytest.fixture
def planned(tmp_path):
    """Return a function that plans a question with what the server replies to the classifier, and the server."""
    replies = {"sort": json.dumps({"intent": "SUMMARY", "signals": ["aggregation"]})}

    def reply(request):
        system = request["messages"][0]["content"]
        return replies["sort"] if system == SYSTEM else json.dumps({"queries": ["water use"]})

    with OpenAIServer(reply=reply) as server:
        llm = LlmSettings(provider="openai", model="m", base_url=server.base_url, call_retries=0)
        chat = plain_chat(build_chat(llm, CallLedger(tmp_path / "calls")), llm, "query_plans")

        def plan(question=UNSURE, told=None, **settings):
            replies["sort"] = told or replies["sort"]
            own = {"routing": "rules", "classifier": "chat", **settings}
            return plan_question(question, "q1", PlannerSettings(max_queries=2, **own), chat)

        yield plan, server


def systems(server):
    return [request["messages"][0]["content"] for request in server.requests]


def test_the_rules_are_unsure_of_the_one_and_sure_of_the_other():
    assert route(UNSURE).intent_confidence < SURE <= route(CERTAIN).intent_confidence


def test_a_model_sorts_what_the_rules_are_unsure_of(planned):
    plan, _ = planned
    found = plan().plan
    assert (found.intent, found.strategy, found.signals) == ("SUMMARY", "two_stage", ("aggregation",))
    assert found.complexity == 2


@pytest.mark.parametrize(
    ("question", "settings"),
    [(CERTAIN, {}), (UNSURE, {"classifier": "rule"}), (UNSURE, {"routing": "hybrid"}), (UNSURE, {"routing": "off"})],
)
def test_nobody_is_asked_where_the_rules_are_sure_or_the_settings_decide(planned, question, settings):
    plan, server = planned
    plan(question, **settings)
    assert SYSTEM not in systems(server)


def test_a_reply_that_sorts_nothing_leaves_the_route_of_the_rules(planned):
    plan, _ = planned
    found = plan(told="It is a hard one.")
    by_rule = route(UNSURE)
    assert (found.plan.intent, found.plan.strategy) == (by_rule.intent, by_rule.strategy)
    assert found.problems == ["the classifier failed: " + str(_error("It is a hard one."))]
    assert not found.is_gap


def _error(reply):
    with pytest.raises(UnusableReplyError, match="a classifier must name one of LIST") as caught:
        sorted_by(reply)
    return caught.value


@pytest.mark.parametrize("reply", ["", "SUMMARY", '{"intent": "POEM"}', '{"signals": []}', '["SUMMARY"]'])
def test_a_reply_without_a_known_intent_is_no_use(reply):
    assert "try another planner.model" in str(_error(reply))


def test_thinking_prose_and_small_letters_do_not_matter():
    found = sorted_by('<think>{"intent": "LIST"}</think>So: ```json\n{"intent": " summary "}\n```')
    assert (found.intent, found.signals) == ("SUMMARY", ())


def test_what_can_be_counted_is_not_left_to_the_model():
    long = "Does the site, which lies by the river and has been there for more than thirty years now, use more water?"
    assert "long" in complexity_signals(long)
    assert sorted_by('{"intent": "FACTUAL", "signals": ["reasoning", "several", "magic"]}', long).signals == (
        "reasoning",
        "long",
    )


def test_signals_of_the_rules_that_the_model_does_not_see_are_dropped():
    question = "What is the average PUE?"
    assert route(question).signals == ("aggregation",)
    assert sorted_by('{"intent": "FACTUAL"}', question).signals == ()


def test_the_prompt_names_every_intent_and_what_cannot_be_counted():
    assert all(name in SYSTEM for name in (*intents(), *(set(signals()) - {"long", "several"})))
