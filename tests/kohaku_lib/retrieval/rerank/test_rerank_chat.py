"""A chat model's yes or no as a score: odds where the server gives them, words where not, and who pays."""

import math

import pytest
from fake_time import FakeTime
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.llm import BudgetSpentError, CallLedger, ChatReply, ChatRequest, LedgeredChat, OpenAIChat
from kohaku_lib.retrieval.rerank import RerankDependencies, build_rerankers, rerank
from kohaku_lib.retrieval.rerank.chat_reranker import ChatReranker, yes_probability
from kohaku_lib.settings import LlmSettings, RerankSettings
from kohaku_lib.testing.openai_server import OpenAIServer, prompt_of

QUERY = "How long do cats sleep?"
TEXTS = ["Cats sleep for 15 hours.", "Dogs bark."]


def chat_at(server, **more):
    settings = LlmSettings(provider="openai", base_url=server.base_url, model="judge", **more)
    return OpenAIChat(settings, FakeTime().environment())


def says(request):
    return "Yes" if "Excerpt:\nCats" in prompt_of(request) else "No"


def odds_of_yes(probability):
    return lambda request: {"Yes": math.log(probability), "No": math.log(1 - probability)}


def test_the_odds_of_the_first_token_are_the_score():
    with OpenAIServer(reply=says, odds=odds_of_yes(0.8)) as server:
        reranker = ChatReranker(chat_at(server), "judge", 5)
        assert reranker.scores(QUERY, TEXTS, "q1") == [pytest.approx(0.8)] * 2
        sent = server.requests[0]
    assert (sent["model"], sent["logprobs"], sent["top_logprobs"], sent["temperature"]) == ("judge", True, 5, 0.0)
    assert "response_format" not in sent
    assert QUERY in prompt_of(sent)


def test_without_odds_the_words_decide():
    with OpenAIServer(reply=says) as server:
        assert ChatReranker(chat_at(server), "judge", 5).scores(QUERY, TEXTS, "q1") == [0.9, 0.1]


def test_a_server_that_refuses_odds_is_asked_without_them():
    refusal = {"kind": "status", "status": 400, "param": "logprobs", "message": "logprobs is not supported"}
    with OpenAIServer([refusal], reply=says) as server:
        reranker = ChatReranker(chat_at(server), "judge", 1)
        assert reranker.scores(QUERY, TEXTS, "q1") == [0.9, 0.1]
        assert ["logprobs" in request for request in server.requests] == [True, False, False]


def test_five_pairs_are_judged_at_once_and_no_more():
    with OpenAIServer(reply=says, delay_s=0.05, together=5) as server:
        ChatReranker(chat_at(server, max_concurrent=20), "judge", 5).scores(
            QUERY, [f"Text {n}." for n in range(11)], "q1"
        )
        assert (server.most_in_flight, len(server.billed)) == (5, 11)


def test_a_pair_in_the_ledger_is_not_paid_for_again_and_keeps_its_odds(tmp_path):
    with OpenAIServer(reply=says, odds=odds_of_yes(0.7)) as server:
        for _ in range(2):  # as two runs would, each with the ledger read anew
            reranker = ChatReranker(LedgeredChat(chat_at(server), CallLedger(tmp_path)), "judge", 1)
            assert reranker.scores(QUERY, TEXTS, "q1") == [pytest.approx(0.7)] * 2
            assert reranker.scores(QUERY, TEXTS, "q2") == [pytest.approx(0.7)] * 2
        assert len(server.requests) == 2


def test_a_pair_that_is_refused_has_no_score_and_the_others_have():
    refusal = {"kind": "status", "status": 400, "message": "flagged by the content filter"}
    with OpenAIServer([refusal], reply=says) as server:
        assert ChatReranker(chat_at(server), "judge", 1).scores(QUERY, TEXTS, "q1") == [None, 0.1]


def test_a_server_that_is_down_scores_nothing():
    with OpenAIServer([{"kind": "status", "status": 503}] * 9) as server:
        found = rerank([ChatReranker(chat_at(server, call_retries=1), "judge", 1)], QUERY, TEXTS, "q1")
    assert (found.scores, found.by) == ([None, None], None)
    assert "gave no reply after 2 attempts" in found.failures[0]


def test_a_spent_budget_scores_nothing_rather_than_a_part():
    class Spent:
        provider = "openai"

        def complete(self, request, keep=None):
            if "Dogs" in request.user:
                msg = "the budget is spent"
                raise BudgetSpentError(msg)
            return ChatReply("Yes", None, None, None, None, 0.0, 1, None)

    found = rerank([ChatReranker(Spent(), "judge", 1)], QUERY, TEXTS, "q1")
    assert (found.scores, found.by, found.failures) == ([None, None], None, ("the budget is spent",))


def test_auto_asks_the_server_first_and_the_chat_model_where_that_has_no_such_endpoint():
    with OpenAIServer([{"kind": "status", "status": 404}], reply=says) as server:
        settings = RerankSettings(kind="auto", base_url=server.base_url, served_model="small")
        dependencies = RerankDependencies(
            chat=chat_at(server), chat_model="judge", environment=FakeTime().environment()
        )
        found = rerank(build_rerankers(settings, dependencies), QUERY, TEXTS, "q1")
    assert (found.scores, found.by) == ([0.9, 0.1], "chat:judge")
    assert "status 404" in found.failures[0]


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("Yes", 0.9),
        ("YES, it does.", 0.9),
        ("**No**", 0.1),
        ("no.", 0.1),
        ("Nothing here says so.", 0.5),
        ("It may be yes or no.", 0.6),
        ("The answer is: yes", 0.9),
        ("I would say no", 0.1),
        ("<think>Yes? no...</think> No", 0.1),
        ("", 0.5),
        ("Not sure, yesterday it was noted.", 0.5),
    ],
)
def test_words_stand_for_scores(text, score):
    assert yes_probability(text, None) == score


@pytest.mark.parametrize(
    ("odds", "score"),
    [
        ({"Yes": math.log(0.6), "No": math.log(0.2)}, 0.75),
        ({"yes": math.log(0.3), " Yes": math.log(0.3), "No": math.log(0.2)}, 0.75),
        ({"Yes": math.log(0.5)}, 1.0),
        ({"No": 0.0, "Yes": -9999.0}, 0.0),
        ({"▁No": math.log(0.5), "ĠYes": math.log(0.5)}, 0.5),
    ],
)
def test_odds_stand_for_their_share_of_yes(odds, score):
    assert yes_probability("whatever", odds) == pytest.approx(score)


def test_odds_of_other_words_leave_it_to_the_reply():
    assert yes_probability("Yes", {"Well": -0.1, "Maybe": -2.0}) == 0.9


@given(st.dictionaries(st.sampled_from(["Yes", "No", " yes", "no", "So", "▁Yes"]), st.floats(-1e6, 5.0)), st.text())
def test_a_score_is_always_between_0_and_1(odds, text):
    assert 0.0 <= yes_probability(text, odds) <= 1.0


def test_a_chat_that_does_not_ask_for_odds_gets_none():
    with OpenAIServer(reply=says, odds=odds_of_yes(0.7)) as server:
        request = ChatRequest("judge", "s", "Excerpt:\nCats", 0.0, 4, 0, 0, "t", "q", json_object=False)
        reply = chat_at(server).complete(request)
        assert (reply.text, reply.first_token) == ("Yes", None)
        assert "logprobs" not in server.requests[0]
