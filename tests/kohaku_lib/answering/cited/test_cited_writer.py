"""Texts by a chat model: prompts by intent, sampling, several replies to one question."""

import pytest

from kohaku_lib.answering.cited.cited_writer import CitedWriter
from kohaku_lib.answering.cited.dialogue import Dialogue
from kohaku_lib.llm import ChatReply
from kohaku_lib.settings import Settings
from kohaku_lib.tables import Question, Snippet

SOURCE = Snippet("d:sec1:p1", "d", "D", 1, "The press weighed 4 kg.", 1, 1.0)


class Replies:
    """A chat model that gives its texts one after the other and keeps the requests."""

    provider = "test"

    def __init__(self, *texts):
        self.texts, self.requests = list(texts), []

    def complete(self, request, keep=None):
        self.requests.append(request)
        text = self.texts[len(self.requests) - 1]
        return request.announced(ChatReply(text, None, None, None, None, None, 1, "stop"))


def written(chat, settings=None, intent="FACTUAL", **dialogue):
    settings = settings or Settings()
    drafts = settings.ensemble.runs
    writer = CitedWriter(chat, settings, Dialogue(intent, **dialogue), check=lambda _, content: content, drafts=drafts)
    return writer.answer(Question("q1", "How heavy?"), [SOURCE]).answer


def voted(chat, vote):
    settings = Settings.model_validate({"ensemble": {"runs": 2}, "assistant": {"vote": vote}})
    shown = []
    return written(chat, settings, on_text=shown.append), shown


def test_the_best_of_several_replies_is_the_one_that_the_source_supports():
    chat = Replies("It weighed 9 kg [Source 1].", "The press weighed 4 kg [Source 1].")
    assert voted(chat, "best_of_n") == ("The press weighed 4 kg [Source 1].", [])
    assert [request.seed for request in chat.requests] == [0, 1]


def test_a_synthesis_is_one_more_call_over_the_drafts_which_are_not_shown():
    chat = Replies("It weighed 9 kg [Source 1].", "It weighed 4 kg [Source 1].", "4 kg [Source 1].")
    content, _ = voted(chat, "synthesis")
    assert content == "4 kg [Source 1]."
    merging = chat.requests[2]
    assert "It weighed 9 kg (Source 1)" in merging.user or "It weighed 9 kg [Source 1]" in merging.user
    assert "Write the answer from the drafts" in merging.user
    assert (merging.run, merging.on_text is not None, chat.requests[0].on_text) == (2, True, None)


def test_a_known_model_has_its_own_sampling_and_quotes_first_where_that_helps_it():
    chat = Replies("4 kg [Source 1].")
    settings = Settings.model_validate({"llm": {"model": "llama3.2"}})
    written(chat, settings)
    [request] = chat.requests
    assert (request.temperature, request.top_p) == (0.3, 0.7)
    assert "Quote the sentences that you rely on" in request.system


def test_sampling_has_a_number_of_tokens_too_and_long_thinking_its_own_room():
    chat = Replies("4 kg [Source 1].", "4 kg [Source 1].")
    known = {"llm": {"model": "own-7b", "models": {"own": {"top_k": 40}}}}
    written(chat, Settings.model_validate(known))
    long = Settings.model_validate(known | {"assistant": {"extended_thinking": True}})
    written(chat, long)
    plain, thinking = chat.requests
    assert (plain.top_k, plain.reasoning_effort) == (40, None)
    assert (thinking.reasoning_effort, thinking.max_tokens) == ("high", 2 * plain.max_tokens)
    assert "think in steps" not in thinking.system  # which is chain of thought


@pytest.mark.parametrize(
    ("intent", "rule"),
    [
        ("FACTUAL", "Give the answer in the first sentence"),
        ("SUMMARY", "Begin with two or three sentences that sum it up, then list the main points"),
        ("COMPARISON", "Compare point by point"),
        ("LIST", "List every item that the sources name, one a line, each with its source"),
        ("ANALYTICAL", "Give the evidence first, then what follows from it, then the conclusion"),
        ("UNKNOWN", "Give the answer in the first sentence"),
    ],
)
def test_the_intent_chooses_what_an_answer_is_to_be_like(intent, rule):
    chat = Replies("4 kg [Source 1].")
    written(chat, intent=intent)
    [request] = chat.requests
    assert rule in request.system
    assert request.system.startswith("You answer questions from the numbered sources")
