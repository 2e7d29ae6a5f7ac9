"""Numbers of one thing and none of another."""

import pytest

from kohaku_lib.answering.extractive.reader.noughts import is_nought_asked


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many owls nested in the second year?", True),
        ("How many owls nested in the first year?", False),
        ("How many owls nested in the barn?", False),
    ],
)
def test_a_question_about_the_one_without_asks_for_nought(question, expected):
    assert is_nought_asked(question, "Two owls nested in the first year and none in the second.") is expected


def test_german_sentences_are_read_too():
    text = "Es gab vier Unfälle im Lager, aber keine im Büro."
    assert is_nought_asked("Wie viele Unfälle gab es im Büro?", text)
    assert not is_nought_asked("Wie viele Unfälle gab es im Lager?", text)
