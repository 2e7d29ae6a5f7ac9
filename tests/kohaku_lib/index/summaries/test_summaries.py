"""Summaries of clusters: central sentences within a budget, and a chat model that may fail."""

import numpy as np
from fake_time import FakeTime
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.index.summaries import ChatSummariser, Cluster, EmbeddedPassage
from kohaku_lib.index.summaries.extractive import central_sentences
from kohaku_lib.llm import OpenAIChat
from kohaku_lib.settings import LlmSettings
from kohaku_lib.testing.openai_server import OpenAIServer

EAST, NORTH = np.array([1.0, 0.0]), np.array([0.0, 1.0])
ONE = EmbeddedPassage("East. North.", EAST, ("East is here.", "North is there."), np.array([EAST, NORTH]))
TWO = EmbeddedPassage("East.", EAST, ("East is here.",), np.array([EAST]))
DOWN = {"kind": "status", "status": 400, "message": "cannot be read"}


def ask(reply, faults=(), passages=(ONE, TWO)):
    with OpenAIServer(faults, reply=lambda request: reply) as server:
        llm = LlmSettings(provider="openai", base_url=server.base_url, model="text", call_retries=0)
        chat = OpenAIChat(llm, FakeTime().environment({}))
        return ChatSummariser(chat, "reader", 40, "raptor_summaries", 1).summarise([Cluster("summary:1:a", passages)])


def test_the_sentence_nearest_to_the_centroid_comes_first_into_the_budget_and_equal_ones_once():
    assert central_sentences(Cluster("c", (ONE, TWO)), 3) == ("East is here.",)
    assert central_sentences(Cluster("c", (ONE, TWO)), 100) == ("East is here.", "North is there.")


def test_a_sentence_beyond_the_budget_is_taken_if_it_is_the_nearest():
    assert central_sentences(Cluster("c", (TWO,)), 1) == ("East is here.",)


def test_a_cluster_without_sentences_has_no_summary():
    assert central_sentences(Cluster("c", (EmbeddedPassage("", EAST, (), np.zeros((0, 2))),)), 9) == ()


@given(
    st.lists(st.tuples(st.text(min_size=1, max_size=30), st.floats(-1, 1)), min_size=1, max_size=8), st.integers(1, 30)
)
def test_chosen_sentences_are_in_their_order_and_within_the_budget_but_for_one(found, budget):
    texts, places = zip(*found, strict=True)
    vectors = np.array([[place, np.sqrt(1 - place**2)] for place in places])
    chosen = central_sentences(Cluster("c", (EmbeddedPassage("", EAST, texts, vectors),)), budget)
    assert 1 <= len(chosen) <= len(texts)
    assert sum(max(1, len(text) // 4) for text in chosen) <= budget or len(chosen) == 1
    remaining = iter(texts)
    assert all(text in remaining for text in chosen)


def test_a_model_writes_the_summary_from_the_texts_of_the_cluster():
    report = ask("  East\nprevails. ")
    assert report.sentences == [("East prevails.",)]
    assert report.problems == ()


def test_a_cluster_that_the_model_fails_at_has_its_central_sentences_and_is_a_problem():
    report = ask("never", faults=[DOWN])
    assert report.sentences == [("East is here.", "North is there.")]
    assert report.problems[0].startswith("summary:1:a was not summarised by 'reader': ")


def test_an_empty_reply_is_none():
    report = ask(" ")
    assert report.sentences == [("East is here.", "North is there.")]
    assert report.problems[0].endswith("reply is empty")
