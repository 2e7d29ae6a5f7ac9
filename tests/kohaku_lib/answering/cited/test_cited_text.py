"""Texts with citations as answers: citations that hold, the sentence that answers, what says nothing."""

import pytest

from kohaku_lib.answering.cited.cited_text import checked_citations, checked_text, is_answered_at_once
from kohaku_lib.answering.figures import FigureSnippet
from kohaku_lib.tables import Question, Snippet, StructuredAnswer

SHOWN = [
    Snippet("a:p1", "a", "Energy", 1, "In 2023 the workshop used 41,800 kWh. The cooling takes sea water.", 1, 0.9),
    Snippet("b:p1", "b", "Staff", 1, "Ines Holm is the head of the lamp store. She joined in 2019.", 2, 0.8),
]
AMOUNT, NAME = "How much electricity did the workshop use in 2023?", "Who runs the lamp store?"


def checked(question, text, shown=SHOWN):
    return checked_text(Question("q", question), StructuredAnswer(text, text, (), ""), shown)


@pytest.mark.parametrize(
    ("question", "text", "value", "refs"),
    [
        (AMOUNT, "The workshop used 41,800 kWh [Source 1].", "41800", ("a",)),
        (AMOUNT, "The workshop used 41,800 kWh.", "41800", ("a",)),
        (AMOUNT, "The workshop used 41,800 kWh [Source 2].", "41800", ("a",)),
        (AMOUNT, "The cooling takes sea water [Source 1]. In 2023 it was 41,800 kWh [Source 1].", "41800", ("a",)),
        (NAME, "Ines Holm is the head of the lamp store [Source 2].", "Ines Holm", ("b",)),
        ("How many kWh did it use in 2023, in thousands?", "It used 41,800 kWh in 2023 [Source 1].", "41.8", ("a",)),
        ("True or false: The cooling takes sea water.", "True: the cooling takes sea water [Source 1].", "1", ("a",)),
    ],
)
def test_the_main_sentence_gives_the_value_and_the_source_that_bears_it_out(question, text, value, refs):
    found = checked(question, text)
    assert (found.answer.answer_value, found.answer.ref_id, found.is_doubted) == (value, refs, False)
    assert "[Source 1]" in found.answer.answer


def test_the_value_of_a_german_text_has_a_decimal_point():
    card = Snippet("k:p1", "k", "Karten", 1, "Die Karte für das Jahr kostet 1.630,30 €.", 1, 0.9)
    found = checked("Wie viel kostet die Karte?", "Die Karte kostet 1.630,30 € [Source 1].", [card])
    assert (found.answer.answer_value, found.is_doubted) == ("1630.30", False)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (AMOUNT, "The sources do not say how much electricity the workshop used in 2023."),
        (AMOUNT, "The sources do not say how much electricity the workshop used in 2023 [Source 1]."),
        (NAME, "There is no information on this in the documents [Source 2]."),
        (NAME, ""),
    ],
)
def test_a_text_that_says_nothing_of_its_sources_is_no_answer(question, text):
    answer = checked(question, text).answer
    assert (answer.answer_value, answer.ref_id) == ("is_blank", ())


@pytest.mark.parametrize(
    "text", ["The workshop used 997 kWh [Source 1].", "It was 997 kWh. It takes sea water [Source 1]."]
)
def test_an_amount_that_no_source_states_is_doubted_whatever_else_is_right(text):
    found = checked(AMOUNT, text)
    assert (found.answer.answer_value, found.is_doubted) == ("997", True)


def test_a_bare_verdict_stays_and_is_doubted_as_no_passage_has_its_word():
    found = checked("True or false: The cooling takes tap water.", "False [Source 1].")
    assert (found.answer.answer_value, found.answer.answer, found.is_doubted) == ("0", "False [Source 1].", True)


@pytest.mark.parametrize(
    ("text", "content", "documents", "taken_off"),
    [
        (
            "Ines Holm is the head of the lamp store [Source 2]. The cooling takes sea water [Source 1].",
            "Ines Holm is the head of the lamp store [Source 1]. The cooling takes sea water [Source 2].",
            ["b", "a"],
            0,
        ),
        (
            "Ines Holm is the head of the lamp store. [Source 2] It floats on the moon. [Source 1]",
            "Ines Holm is the head of the lamp store. [Source 1] It floats on the moon.",
            ["b"],
            1,
        ),
        (
            "- Ines Holm is the head of the lamp store [Source 1]\n- The cooling takes sea water [Source 1] [Source 2]\n",
            "- Ines Holm is the head of the lamp store [Source 1]\n- The cooling takes sea water [Source 2] [Source 1]\n",
            ["b", "a"],
            0,
        ),
        ("# Staff\n\nIt floats on the moon.", "# Staff\n\nIt floats on the moon.", [], 0),
    ],
)
def test_citations_hold_and_count_in_the_order_in_which_they_occur(text, content, documents, taken_off):
    found = checked_citations(text, SHOWN, Question("q", "Tell me about the staff."))
    assert found.content == content
    assert ([one.document_id for one in found.sources], found.taken_off) == (documents, taken_off)


def test_what_a_model_says_of_a_figure_that_it_was_shown_keeps_its_citation():
    figure = FigureSnippet("img:c", "c", "", 2, "", 3, 0.7, searched=True)
    found = checked(AMOUNT, "The chart shows 52,000 kWh [Source 3].", [*SHOWN, figure])
    assert (found.answer.answer, found.answer.ref_id) == ("The chart shows 52,000 kWh [Source 1].", ("c",))
    assert (found.answer.answer_value, found.is_doubted) == ("52000", False)


@pytest.mark.parametrize(
    ("question", "is_single"),
    [
        (AMOUNT, True),
        (NAME, True),
        ("Why is the cooling wet?", False),
        ("How many projects are listed?", False),
        ("How much more did it use in 2023 than in 2022?", False),
        ("True or False: The cooling takes sea water.", False),
    ],
)
def test_one_statement_answers_what_asks_for_one(question, is_single):
    assert is_answered_at_once(question) is is_single


@pytest.mark.parametrize(
    ("text", "content", "taken_off", "is_doubted"),
    [
        ("It rose: in 2023 the Polaris lamp took 40 kWh [Source 1].", None, 0, False),
        (
            "It rose: in 2021 the Polaris lamp took 40 kWh [Source 1].",
            "It rose: in 2021 the Polaris lamp took 40 kWh.",
            1,
            True,
        ),
        (
            "In 2023 the Polaris lamp took 40 kWh [Source 1]. The Aurora lamp took 40 kWh [Source 1].",
            "In 2023 the Polaris lamp took 40 kWh [Source 1]. The Aurora lamp took 40 kWh.",
            1,
            False,
        ),
    ],
)
def test_every_sentence_of_a_longer_text_is_of_the_year_and_the_thing_of_its_source(
    text, content, taken_off, is_doubted
):
    shown = [
        Snippet("a:p1", "a", "Lamps", 1, "In 2023 the Polaris lamp took 40 kWh. A table for 2021 follows.", 1, 0.9),
        Snippet("b:p1", "b", "Lamps", 1, "The Aurora lamp is new.", 2, 0.8),
    ]
    question = Question("q", "Why did the use of the lamps change between 2021 and 2023?")
    assert not is_answered_at_once(question.text)
    citations = checked_citations(text, shown, question)
    assert (citations.content, citations.taken_off) == (content or text, taken_off)
    assert checked(question.text, text, shown).is_doubted is is_doubted
