"""A reranker on a server: what is sent, what comes back, what is tried again, and what ends it."""

import pytest
from fake_time import FakeTime, patient

from kohaku_lib.errors import ModelError
from kohaku_lib.llm import Environment
from kohaku_lib.llm.resilience.attempt import AttemptError
from kohaku_lib.retrieval.rerank import rerank
from kohaku_lib.retrieval.rerank.served import ServedReranker, scores_of, sigmoid
from kohaku_lib.settings import RerankSettings
from kohaku_lib.testing.openai_server import OpenAIServer

QUERY = "old cats sleep"
TEXTS = ["dogs bark", "old cats sleep more", "cats purr"]
SHARES = [0.0, 1.0, pytest.approx(1 / 3)]
BROKEN = {"kind": "status", "status": 503}


def reranker_at(base_url, fake_time=None, environment=None, **more):
    settings = RerankSettings(kind="served", base_url=base_url, served_model="small", **more)
    return ServedReranker(settings, (fake_time or FakeTime()).environment(environment))


def scores_at(server, fake_time=None, texts=TEXTS, **more):
    return reranker_at(server.base_url, fake_time, **more).scores(QUERY, texts, "q1")


def test_scores_come_back_in_the_order_of_the_texts_however_the_server_ranks_them():
    with OpenAIServer() as server:
        assert scores_at(server) == SHARES
        assert server.requests == [{"model": "small", "query": QUERY, "documents": TEXTS, "top_n": 3}]


def test_texts_go_out_in_requests_of_at_most_so_many():
    with OpenAIServer() as server:
        assert scores_at(server, batch_size=2) == SHARES
        assert [request["documents"] for request in server.requests] == [TEXTS[:2], TEXTS[2:]]


def test_no_texts_ask_nobody():
    with OpenAIServer() as server:
        assert scores_at(server, texts=[]) == []
        assert server.requests == []


@pytest.mark.parametrize(
    "fault",
    [
        BROKEN,
        {"kind": "status", "status": 429},
        {"kind": "drop"},
        {"kind": "malformed"},
        {"kind": "page"},
        {"kind": "reported", "code": 502},
        {"kind": "results", "value": []},
        {"kind": "results", "value": None},
        {"kind": "results", "value": [{"index": 0, "relevance_score": 0.5}]},
        {"kind": "results", "value": [{"index": 0, "relevance_score": 0.5}] * 3},
        {"kind": "results", "value": [{"index": at, "relevance_score": None} for at in range(3)]},
        {"kind": "results", "value": [{"index": at + 1, "relevance_score": 0.5} for at in range(3)]},
        {"kind": "results", "value": ["a", "b", "c"]},
    ],
    ids=lambda fault: "-".join(str(part) for part in fault.values())[:40],
)
def test_what_passes_is_tried_again(fault):
    fake_time = FakeTime()
    with OpenAIServer([fault, fault]) as server:
        assert scores_at(server, fake_time) == SHARES
    assert fake_time.slept == [1.0, 2.0]


@pytest.mark.parametrize("kind", ["held", "drip"])
def test_a_server_that_does_not_finish_in_time_is_asked_again(kind):
    with OpenAIServer([{"kind": kind, "seconds": 600.0}]) as server:
        settings = RerankSettings(base_url=server.base_url, served_model="small", timeout_s=1.0, call_retries=1)
        environment = Environment(variables={}, sleep=lambda _: patient(reranker._endpoint))
        reranker = ServedReranker(settings, environment)
        assert reranker.scores(QUERY, TEXTS, "q1") == SHARES
        assert len(server.requests) == 2


def test_retries_end_and_the_sentence_says_who_where_and_why():
    with OpenAIServer([BROKEN] * 9) as server:
        with pytest.raises(ModelError) as caught:
            scores_at(server)
        assert len(server.requests) == 3
    assert str(caught.value) == (
        f"the reranker 'served:small' at {server.base_url} gave no scores after 3 attempts: status 503, scripted"
    )


@pytest.mark.parametrize("status", [401, 404, 422])
def test_what_will_not_pass_is_not_tried_again(status):
    with OpenAIServer([{"kind": "status", "status": status}]) as server:
        with pytest.raises(ModelError, match=f"gave no scores: status {status}"):
            scores_at(server)
        assert len(server.requests) == 1


def test_a_server_that_is_not_there_fails_at_once():
    with pytest.raises(ModelError, match="gave no scores: the connection failed"):
        reranker_at("http://127.0.0.1:9/v1").scores(QUERY, TEXTS, "q1")


def test_a_request_that_is_too_large_is_halved_and_a_text_that_is_too_long_has_no_score():
    texts = ["dogs bark", "old cats sleep " * 20, "cats purr"]
    with OpenAIServer(most_chars=50) as server:
        assert scores_at(server, texts=texts) == [0.0, None, pytest.approx(1 / 3)]
        assert [len(request["documents"]) for request in server.requests] == [3, 1, 2, 1, 1]


def test_logits_become_scores_and_are_refused_where_nobody_spoke_of_them():
    logits = [{"index": at, "relevance_score": score} for at, score in enumerate([-2.0, 0.0, 2.0])]
    with OpenAIServer([{"kind": "results", "value": logits}]) as server:
        assert scores_at(server, logits=True) == [pytest.approx(0.1192, abs=1e-4), 0.5, pytest.approx(0.8808, abs=1e-4)]
    with (
        OpenAIServer([{"kind": "results", "value": logits}]) as server,
        pytest.raises(ModelError, match=r"from 0 to 1, got -2\.0; set rerank\.logits = true"),
    ):
        scores_at(server)


def test_the_key_is_sent_and_never_told():
    environment = {"MY_KEY": "secret-key"}
    fault = {"kind": "status", "status": 401, "message": "bad key secret-key"}
    with OpenAIServer([{"kind": "ok"}, fault]) as server:
        reranker = reranker_at(server.base_url, environment=environment, api_key_env="MY_KEY")
        reranker.scores(QUERY, TEXTS, "q1")
        assert server.headers[0]["authorization"] == "Bearer secret-key"
        with pytest.raises(ModelError, match=r"bad key \[key\]"):
            reranker.scores(QUERY, TEXTS, "q1")


def test_what_is_not_set_is_asked_for():
    with pytest.raises(
        ModelError, match=r"served_model = .* needs a key in the environment variable MY_KEY, which is not set"
    ):
        reranker_at("http://127.0.0.1:9/v1", api_key_env="MY_KEY")
    with pytest.raises(ModelError, match=r"needs rerank\.base_url and rerank\.served_model"):
        ServedReranker(RerankSettings(kind="served", base_url="http://127.0.0.1:9/v1"))


def test_no_more_requests_are_in_flight_than_allowed():
    from concurrent.futures import ThreadPoolExecutor

    with OpenAIServer(delay_s=0.05, together=2) as server, ThreadPoolExecutor(4) as pool:
        reranker = reranker_at(server.base_url, max_concurrent=2)
        found = list(pool.map(lambda name: reranker.scores(QUERY, TEXTS, name), "abcd"))
        assert (server.most_in_flight, found) == (2, [SHARES] * 4)


def test_a_score_that_is_true_or_an_index_that_is_true_is_no_number():
    for item in ({"index": 0, "relevance_score": True}, {"index": True, "relevance_score": 0.5}):
        with pytest.raises(AttemptError):
            scores_of({"results": [item]}, 1)


def test_the_next_reranker_answers_where_one_fails_and_the_failure_is_named():
    with OpenAIServer() as server:
        broken = reranker_at("http://127.0.0.1:9/v1", call_retries=0)
        found = rerank([broken, reranker_at(server.base_url)], QUERY, TEXTS, "q1")
    assert (found.scores, found.by) == (SHARES, "served:small")
    assert len(found.failures) == 1
    assert "gave no scores" in found.failures[0]


def test_where_all_fail_every_score_is_unknown():
    broken = reranker_at("http://127.0.0.1:9/v1", call_retries=0)
    found = rerank([broken, broken], QUERY, TEXTS)
    assert (found.scores, found.by, len(found.failures)) == ([None] * 3, None, 2)
    assert rerank([], QUERY, TEXTS).scores == [None] * 3


def test_a_reranker_that_scores_none_of_the_texts_has_failed():
    with OpenAIServer(most_chars=2) as server:
        found = rerank([reranker_at(server.base_url)], QUERY, TEXTS)
    assert (found.by, found.failures) == (None, ("served:small scored none of 3 snippets",))


def test_a_logit_however_large_has_a_probability():
    assert (sigmoid(1e6), sigmoid(-1e6), sigmoid(0.0)) == (1.0, 0.0, 0.5)
    assert sigmoid(1.5) == pytest.approx(0.81757, abs=1e-5)
