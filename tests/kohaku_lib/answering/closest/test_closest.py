"""The passages that come closest: where they are found, what does not change them, and what their scores say."""

import pytest

from kohaku_lib.answering.closest.closest import find_closest
from kohaku_lib.answering.closest.passage import LIKELY, Closest
from kohaku_lib.answering.closest.ranking import ranked_lines
from kohaku_lib.tables import Question, Snippet


def snippet(number, text, heading="", document="rules"):
    return Snippet(f"{document}:{number}", document, "Sports hall", 2, text, number, 1.0, heading=heading)


OPENING = snippet(1, "The hall opens at 7:00. It closes at 22:00 on weekdays and at 20:00 on Sundays.")
DEPOSIT = snippet(2, "Ten euros, paid in cash. It is returned with the key.", "Lockers / Deposit")
COURTS = snippet(3, "A badminton court costs 12 euros an hour. Rackets are lent for two euros each.")
OTHERS = [snippet(number, f"The ferry number {number} carries bicycles to Nida.", "", "ferry") for number in range(9)]


def ask(text, *snippets):
    return find_closest(Question("q", text), snippets)


def test_the_passage_that_answers_comes_first_with_its_place_and_its_words_marked():
    best = ask("When does the hall close on Sundays?", COURTS, OPENING).passages[0]
    assert (best.document_id, best.node_id, best.page) == ("rules", "rules:1", 2)
    assert best.text == OPENING.text
    assert "20:00" in best.text[slice(*best.marked)]
    assert best.score >= LIKELY


def test_a_passage_is_found_by_the_heading_that_names_what_is_asked_for():
    best = ask("How much is the deposit for a locker?", COURTS, OPENING, DEPOSIT).passages[0]
    assert (best.heading, best.text) == ("Lockers / Deposit", DEPOSIT.text)
    assert best.score >= LIKELY


def test_the_page_is_the_one_on_which_the_answering_sentence_stands():
    text = "The hall opens at 7:00. It closes at 22:00 on weekdays and at 20:00 on Sundays."
    over = Snippet("rules:1", "rules", "Sports hall", 2, text, 1, 1.0, page_starts=((0, 2), (24, 3)))
    assert ask("When does the hall close on Sundays?", over).passages[0].page == 3
    assert ask("When does the hall open?", over).passages[0].page == 2


def test_what_no_passage_says_is_likely_to_be_silence():
    found = ask("Who won the chess tournament of Iceland?", COURTS, OPENING, DEPOSIT)
    assert found.passages[0].score < LIKELY < found.silence


def test_documents_that_the_search_ranks_behind_change_neither_the_passage_nor_its_score():
    question = "When does the hall close on Sundays?"
    alone, beside = ask(question, OPENING).passages[0], ask(question, OPENING, *OTHERS).passages[0]
    assert (alone.text, alone.marked) == (beside.text, beside.marked)
    assert alone.score == pytest.approx(beside.score, abs=1e-3)


def test_a_question_in_a_document_is_not_its_own_answer():
    best = ask("Where is the lost property?", snippet(1, "Where is the lost property? Ask the caretaker in room 4."))
    assert best.passages[0].text == "Where is the lost property? Ask the caretaker in room 4."
    assert best.passages[0].marked[0] >= len("Where is the lost property? ")


def test_no_two_passages_share_the_sentence_that_they_are_shown_for():
    found = ask(
        "When does the hall close?",
        OPENING,
        COURTS,
        DEPOSIT,
        snippet(4, "It closes at 22:00 on weekdays and at 20:00 on Sundays."),
    )
    texts = [one.text for one in found.passages]
    assert len(texts) == len(set(texts)) == 3


@pytest.mark.parametrize("texts", [(), ("",), ("Is there a sauna?",)])
def test_without_a_statement_nothing_is_close(texts):
    assert ask("Is there a sauna?", *(snippet(1, text) for text in texts)) == Closest()


def test_what_speaks_for_a_line_is_counted_by_words():
    lines = [one.line for one in ranked_lines(Question("q", "What does a badminton court cost?"), [COURTS])]
    features = next(line.features for line in lines if "court" in line.line.quote)
    assert features["words_in_line"] == pytest.approx(1.0)  # badminton, court, cost
    assert (features["names_missing"], features["focus_missing"], features["is_row"]) == (0.0, 0.0, 0.0)


def test_scores_have_four_decimals_and_are_never_certain():
    text = "The lamp weighs 4 kg. It was made in 1868 by Ann Lee. Rain is wet."
    found = find_closest(Question("q", "How much does the lamp weigh?"), [Snippet("d:p1", "d", "D", 1, text, 1, 1.0)])
    scores = [*(passage.score for passage in found.passages), found.silence]
    assert all(score == round(score, 4) and 0.0001 <= score <= 0.9999 for score in scores)
