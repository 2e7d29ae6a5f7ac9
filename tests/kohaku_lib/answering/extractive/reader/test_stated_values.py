"""Sentences that say every word of a question and the one amount or date that it can ask for."""

import pytest

from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.answering.extractive.reader.asked import Asked
from kohaku_lib.answering.extractive.reader.passages import passages_of
from kohaku_lib.answering.extractive.reader.reader import load_reader
from kohaku_lib.answering.extractive.reader.stated_values import stated_value
from kohaku_lib.answering.extractive.reading_answerer import ReadingAnswerer
from kohaku_lib.tables import Question, Snippet

OTHERS = "Ms. I. Roe et al. [2011] looked at both, i.e. on paper. It cost 1.250 EUR at 4 p.m. on Friday."
ANDERE = "Frau Dr. I. Roe hat beide geprüft, d. h. auf dem Papier. Das kostete am Freitag 1.250 EUR."


def found(question, text, unit):
    snippets = [Snippet("d:sec1:p1", "d", "", None, text, 1, 1.0)]
    answer = ReadingAnswerer(load_reader()).answer(Question("q", question, unit), snippets)
    return answer.answer_value, answer.quote


@pytest.mark.parametrize(
    ("question", "sentence", "beside", "unit", "value"),
    [
        (
            "How much does tank no. 12 lose?",
            "Tank no. 12 loses approx. 0.8 l/h, cf. Fig. 4.",
            "Tank no. 13 is dry.",
            "l/h",
            "0.8",
        ),
        (
            "How much does oven no. 3 draw?",
            "Oven no. 3 draws approx. 7.5 kW, cf. Tab. 2.",
            "Oven no. 4 is off.",
            "kW",
            "7.5",
        ),
        (
            "Wie viel verliert Tank Nr. 12?",
            "Der Tank Nr. 12 verliert ca. 0,8 l/h, vgl. Abb. 4.",
            "Tank Nr. 13 ist dicht.",
            "l/h",
            "0.8",
        ),
        (
            "Wie viel zieht der Ofen Nr. 3?",
            "Der Ofen Nr. 3 zieht etwa 7,5 kW, vgl. Tab. 2.",
            "Ofen Nr. 4 ist aus.",
            "kW",
            "7.5",
        ),
    ],
)
def test_the_amount_is_given_with_its_whole_sentence(question, sentence, beside, unit, value):
    others = ANDERE if question.startswith("Wie") else OTHERS
    assert found(question, f"{sentence} {beside} {others}", unit) == (value, sentence)


@pytest.mark.parametrize(
    ("question", "sentence", "value"),
    [
        ("Wann war die 5. Tagung?", "Die 5. Tagung war am 9. Juni 2025.", "9 June 2025"),
        ("When was kiln no. 4 mended?", "Kiln no. 4 was mended on 14 May 2024, cf. p. 3.", "14 May 2024"),
        ("Wann wurde der Ofen Nr. 4 geprüft?", "Der Ofen Nr. 4 wurde am 14.05.2024 geprüft, vgl. S. 3.", "14 May 2024"),
    ],
)
def test_the_date_is_given_with_its_whole_sentence(question, sentence, value):
    others = ANDERE if question.startswith("Wann") else OTHERS
    assert found(question, f"{sentence} {others}", None) == (value, sentence)


@pytest.mark.parametrize(
    ("question", "sentence", "unit"),
    [
        ("How much does tank no. 14 lose?", "Tank no. 12 loses 0.8 l/h, cf. Fig. 4.", "l/h"),  # another tank
        ("How much does tank no. 12 lose?", "Tank no. 12 loses 0.8 l/h or 0.9 l/h, cf. Fig. 4.", "l/h"),  # two amounts
        ("How much does tank no. 12 lose?", "Tank no. 12 may lose 0.8 l/h, cf. Fig. 4.", "l/h"),  # a limit
        ("How much does tank no. 12 lose?", "Tank no. 12 does not lose 0.8 l/h, cf. Fig. 4.", "l/h"),
        ("When was kiln no. 4 mended?", "Kiln no. 4 will be mended on 14 May 2024.", None),  # a plan
        ("When was kiln no. 4 mended?", "Kiln no. 4 was mended on 14 May 2024 or 3 June 2024.", None),
        ("When was it mended?", "It was mended on 14 May 2024.", None),  # too few words to tell things apart
        ("How much does tank no. 12 lose?", "Tank no. 12 loses 8 kg, cf. Fig. 4.", "l/h"),  # another measure
    ],
)
def test_what_is_not_said_so_is_no_surer(question, sentence, unit):
    asked = Asked.of(read_question(Question("q", question, unit)), question)
    [passage] = passages_of([Snippet("d:sec1:p1", "d", "", None, f"{sentence} {OTHERS}", 1, 1.0)])
    assert [stated_value(asked, passage, line) for line in passage.lines] == [None] * len(passage.lines)
