"""Numbers of one thing and none of another."""

import pytest

from kohaku_lib.answering.extractive.reader.noughts import is_nought_asked


@pytest.mark.parametrize(
    ("question", "sentence", "expected"),
    [
        ("How many owls nested in the second year?", "Two owls nested in the first year and none in the second.", True),
        ("How many owls nested in the first year?", "Two owls nested in the first year and none in the second.", False),
        ("How many owls nested in the barn?", "Two owls nested in the first year and none in the second.", False),
        ("Wie viele Unfälle gab es im Büro?", "Es gab vier Unfälle im Lager, aber keine im Büro.", True),
    ],
)
def test_a_question_about_the_one_without_asks_for_nought(question, sentence, expected):
    assert is_nought_asked(question, sentence) is expected
