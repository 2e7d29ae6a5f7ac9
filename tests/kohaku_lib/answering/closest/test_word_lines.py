"""Lines by the words that they share with a question in a script that the reader does not read."""

import math

import pytest

from kohaku_lib.answering.closest.closest import find_closest
from kohaku_lib.answering.closest.ranking import ranked_lines
from kohaku_lib.answering.closest.word_lines import is_unread, lines_by_words
from kohaku_lib.answering.extractive.reading_answerer import ReadingAnswerer
from kohaku_lib.tables import Question, Snippet


def snippets(*texts):
    return [Snippet(f"d{place}:1", f"d{place}", "", None, text, place, 1.0) for place, text in enumerate(texts, 1)]


MUSEUM = snippets(
    "يفتح المتحف أبوابه في الساعة التاسعة صباحا.",
    "سعر التذكرة للكبار 25 دينارا وللأطفال 10 دنانير.",
    "مدير المتحف هو سليم الخطيب.",
)


@pytest.mark.parametrize(
    ("question", "is_other"),
    [
        ("Was kostet die Karte für Zürich?", False),
        ("Ile wynosi kaucja za łódkę?", False),
        ("2026?", False),
        ("Сколько стоит билет?", True),
        ("GPT-4 の価格はいくらですか", True),
        ("तालाब कितना गहरा है?", True),
        ("Who is 高橋?", False),
    ],
)
def test_a_question_is_unread_by_the_script_of_most_of_its_letters(question, is_other):
    assert is_unread(question) is is_other


@pytest.mark.parametrize(
    ("question", "place"),
    [("كم سعر التذكرة للكبار؟", 2), ("من هو مدير المتحف؟", 3), ("متى يفتح المتحف أبوابه؟", 1)],
)
def test_the_line_with_most_words_of_the_question_is_first(question, place):
    first = find_closest(Question("q", question), MUSEUM).passages[0]
    assert first.document_id == f"d{place}"


def test_the_probability_is_that_of_the_weighted_share_of_words():
    found = lines_by_words(
        Question("q", "Цена билета?"), snippets("Цена высокая.", "Дверь закрыта.", "Цена низкая."), 8
    )
    known, unknown = math.log1p(3 / 2), math.log1p(3 / 0.5)  # "цена" is in two lines of three, "билета" in none
    likely = round(1 / (1 + math.exp(1.2 - 6 * known / (known + unknown))), 4)
    assert [(one.line.quote, probability) for one, probability in found] == [
        ("Цена высокая.", likely),
        ("Цена низкая.", likely),
    ]


def test_words_are_stemmed_in_the_language_of_their_script():
    found = lines_by_words(Question("q", "Стоимость билетов?"), snippets("Билет стоит 40 евро.", "Дверь закрыта."), 8)
    assert [one.line.quote for one, _ in found] == ["Билет стоит 40 евро."]


def test_questions_and_lines_of_another_year_are_left_out():
    texts = snippets("Сколько стоит билет в 2025 году?", "В 2024 году билет стоил 30 евро.", "Билет стоит 40 евро.")
    found = lines_by_words(Question("q", "Сколько стоит билет в 2025 году?"), texts, 8)
    assert [one.line.quote for one, _ in found] == ["Билет стоит 40 евро."]


def test_no_line_has_a_value_and_none_is_found_without_a_shared_word():
    assert ReadingAnswerer().answer(Question("q", "كم سعر التذكرة للكبار؟"), MUSEUM).answer_value == "is_blank"
    assert ranked_lines(Question("q", "Сколько стоит билет?"), MUSEUM) == []
