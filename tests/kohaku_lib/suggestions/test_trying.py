"""A suggested question is kept where its own document gives a value or a passage."""

import pytest

from kohaku_lib.answering import Answer
from kohaku_lib.answering.citing.quotes import Citation
from kohaku_lib.answering.closest.passage import ClosestPassage
from kohaku_lib.suggestions.trying import is_answered_from


def answer(outcome, document_id):
    cited = (Citation(document_id, f"{document_id}:p1", 1, None, quote_found=False),) if outcome == "value" else ()
    passages = () if outcome == "value" else (ClosestPassage("4 kg", (0, 4), 0.7, document_id, "n", "", None),)
    value = "4" if outcome == "value" else None
    return Answer(question="?", text="", value=value, outcome=outcome, citations=cited, passages=passages)


@pytest.mark.parametrize(
    ("outcome", "document_id", "is_kept"),
    [
        ("value", "own", True),
        ("passage", "own", True),
        ("value", "other", False),
        ("passage", "other", False),
        ("silent", "own", False),
    ],
)
def test_only_an_answer_from_its_own_document_keeps_a_question(outcome, document_id, is_kept):
    assert is_answered_from(answer(outcome, document_id), "own") == is_kept
