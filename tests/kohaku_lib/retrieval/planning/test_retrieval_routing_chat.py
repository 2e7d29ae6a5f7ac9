"""Questions that the rules are unsure of, sorted by a chat model on a loopback server."""

import json

import pytest
from openai_server import OpenAIServer

from kohaku_lib.llm import CallLedger, build_chat, plain_chat
from kohaku_lib.prompts import question_class
from kohaku_lib.retrieval import plan_question
from kohaku_lib.retrieval.planning.plan_chat import UnusableReplyError
from kohaku_lib.retrieval.planning.routing import complexity_signals, intents, route, signals
from kohaku_lib.retrieval.planning.routing_chat import SURE, classify_by_chat
from kohaku_lib.settings import LlmSettings, PlannerSettings

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
