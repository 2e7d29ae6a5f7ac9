"""What of a question the kept answers depend on: everything else must be the same."""

from dataclasses import replace

import numpy as np
import pytest

from kohaku_lib.composition import overlaid
from kohaku_lib.conversation.cache.answer_cache import AnswerCache, AskedQuestion
from kohaku_lib.conversation.response.response import Response
from kohaku_lib.index import SearchFilter
from kohaku_lib.settings import Settings

ASKED = AskedQuestion("Who maintains it?", Settings(), SearchFilter(), "chat", "v1", lambda: np.ones(3))


@pytest.mark.parametrize(
    "other",
    [
        {"index_version": "v2"},
        {"mode": "general"},
        {"where": SearchFilter(folders=("a",))},
        {"where": SearchFilter(org_id="acme")},
        {"settings": overlaid(Settings(), {"corpus.org_id": "acme"})},
        {"settings": overlaid(Settings(), {"llm.max_tokens": 9})},
        {"settings": overlaid(Settings(), {"retrieval.top_k": 9})},
    ],
    ids=lambda other: next(iter(other)),
)
def test_a_question_of_another_scope_is_another_question(other):
    assert replace(ASKED, **other).scope != ASKED.scope


def test_the_same_question_in_other_words_is_of_the_same_scope():
    assert replace(ASKED, text="Whose is it?").scope == ASKED.scope


def test_whether_and_how_long_an_answer_is_kept_may_change_from_one_question_to_the_next():
    now = [0.0]
    cache = AnswerCache(Settings(), lambda: now[0])
    off, short = (replace(ASKED, settings=overlaid(Settings(), one)) for one in (OFF, SHORT))
    assert cache.find(ASKED) is None
    for asked in (ASKED, off, short):
        cache.keep(asked, RESPONSE)
    assert [cache.find(asked) is not None for asked in (ASKED, off, short)] == [True, False, True]
    now[0] = 60.0
    assert [cache.find(asked) is not None for asked in (ASKED, off, short)] == [True, False, False]
    assert (cache.counts.hits, cache.counts.misses) == (3, 2)


def test_how_many_answers_are_kept_may_change_from_one_question_to_the_next():
    cache = AnswerCache(overlaid(Settings(), {"assistant.cache_entries": 2}))
    names = ("Ann", "Bob", "Cid")
    assert cache.find(ASKED) is None  # it follows the index from here on

    def found(entries):
        of = [
            replace(ASKED, text=name, settings=overlaid(Settings(), {"assistant.cache_entries": entries}))
            for name in names
        ]
        for asked in of:
            cache.keep(asked, RESPONSE)
        return [cache.find(asked) is not None for asked in of]

    assert [found(entries) for entries in (2, 5, 1)] == [[False, True, True], [True] * 3, [False, False, True]]


RESPONSE = Response(
    content="Ann [Source 1].", confidence_score=0.9, is_answer=True, question="", session_id="", answer_id=""
)
OFF, SHORT = {"assistant.cache": False}, {"assistant.cache_ttl_s": 30.0}
