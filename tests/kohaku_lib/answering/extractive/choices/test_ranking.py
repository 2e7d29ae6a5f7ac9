"""Options are ranked by the numbers and years of their own sentences."""

import pytest

from kohaku_lib.answering.extractive.answerer import ExtractiveAnswerer
from kohaku_lib.answering.extractive.choices.ranking import own_sentences, rank_options
from kohaku_lib.answering.extractive.evidence.evidence import gather_evidence
from kohaku_lib.answering.extractive.question.directions import direction_of
from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.tables import Question, Snippet


def _snippets(*texts):
    return [Snippet(f"d{n}:1", f"d{n}", "Boats", 1, text, n, 1 / n) for n, text in enumerate(texts, 1)]


def _ranked(question, *texts):
    form = read_question(Question("q", question))
    return rank_options(form, gather_evidence(form, _snippets(*texts)))


@pytest.mark.parametrize(
    ("question", "texts", "value"),
    [
        (
            "Which pier is longer, North Pier or Sand Pier?",
            ("North Pier is a pier of 310 m built in 1920.", "Sand Pier opened in 1932 and is 420 m long."),
            "Sand Pier",
        ),
        (
            "Which pier opened first, North Pier or Sand Pier?",
            ("North Pier is a pier of 310 m that opened in 1920.", "Sand Pier opened in 1932 and is 420 m long."),
            "North Pier",
        ),
        (
            "Who is younger, Ada Holm or Bo Lind?",
            ("Ada Holm (born 4 May 1950) rows.", "Bo Lind (born 1 June 1948) sails."),
            "Ada Holm",
        ),
    ],
)
def test_the_asked_end_is_taken_where_both_have_a_number_of_one_kind(question, texts, value):
    finding = _ranked(question, *texts)
    assert (finding and finding.value) == value


def test_no_option_is_taken_on_a_tie_or_where_one_has_no_number():
    question = "Which pier is longer, North Pier or Sand Pier?"
    assert _ranked(question, "North Pier is 31 m long. Sand Pier is 31 m long.") is None
    assert _ranked(question, "North Pier is 310 m long.", "Sand Pier is closed.") is None


def test_numbers_of_different_kinds_are_not_compared():
    assert _ranked("Which is larger, Ark or Bee?", "Ark is 30 m long.", "Bee weighs 4 tonnes.") is None


@pytest.mark.parametrize(
    ("words", "direction"),
    [
        ("was built earlier", "first"),
        ("is the youngest", "last"),
        ("has more masts", "high"),
        ("has the fewest masts", "low"),
        ("is the most efficient", ""),
        ("is the highest and the lowest", ""),
        ("is red", ""),
        ("is the most recent", "last"),
    ],
)
def test_the_direction_is_read_from_the_question(words, direction):
    assert direction_of(f"Which {words}, Ark or Bee?") == direction


def test_the_own_sentences_of_an_option_are_those_that_name_it_or_follow_its_name():
    form = read_question(Question("q", "Which is longer, the Ark or Bee?"))
    evidence = gather_evidence(
        form, _snippets("The Ark is a boat. It is long.", "Bee met the Ark there once again. It left.")
    )
    assert [one.text for one in own_sentences("the Ark", evidence.sentences)] == [
        "The Ark is a boat.",
        "It is long.",
        "Bee met the Ark there once again.",
        "It left.",
    ]
    assert [one.text for one in own_sentences("Bee", evidence.sentences)] == [
        "Bee met the Ark there once again.",
        "It left.",
    ]


def test_an_option_without_numbers_is_chosen_by_what_its_snippet_says():
    given = ExtractiveAnswerer().answer(
        Question("q", "Which dog comes from Switzerland, Appen Hound or Patrijs?"),
        _snippets("Patrijs is a dog of the Netherlands.", "Appen Hound is a breed. It comes from Switzerland."),
    )
    assert given.answer_value == "Appen Hound"
    assert given.ref_id == ("d2",)
