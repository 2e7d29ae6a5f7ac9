"""What of a question the kept answers depend on: everything else must be the same."""

from dataclasses import replace

import numpy as np
import pytest

from kohaku_lib.assistant.cache.answer_cache import AskedQuestion
from kohaku_lib.composition import overlaid
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
