"""Follow-up questions are made complete by rule or by a model; complete ones stay as they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.assistant.follow_ups import Turn, complete_question, is_follow_up
from kohaku_lib.llm import CallError

ENERGY = Turn("How much electricity did the whole Kohaku Workshop use in 2023?", "41,800 kWh [Source 1]")
MODEL = Turn("Who maintains the model Gintaras-M?", "Milda Stankute [Source 1]")
FERRY = Turn("How many kWh did the ferry use in 2022?", "12200 [Source 1]")
ROOM = Turn("What was the power usage effectiveness of the machine room after it was rebuilt?", "1.18 [Source 1]")


@pytest.mark.parametrize(
    ("question", "turns", "complete"),
    [
        ("And in 2022?", [ENERGY], "How much electricity did the whole Kohaku Workshop use in 2022?"),
        ("what about 2021?", [ENERGY], "How much electricity did the whole Kohaku Workshop use in 2021?"),
        ("and in 2022?", [MODEL], "Who maintains the model Gintaras-M in 2022?"),
        ("And Gintaras-L?", [ENERGY, MODEL], "Who maintains the model Gintaras-L?"),
        ("What about the model Gintaras-L?", [MODEL], "Who maintains the model Gintaras-L?"),
        ("who owns it?", [ENERGY], "who owns Kohaku Workshop?"),
        ("How long did its training last?", [MODEL], "How long did Gintaras-M's training last?"),
        ("What else does she maintain?", [MODEL], "What else does Milda Stankute maintain?"),
        (
            "And what did it fall from?",
            [ROOM],
            "What did the power usage effectiveness of the machine room fall from?",
        ),
        ("And in Ireland?", [FERRY], "How many kWh did the ferry use in 2022 in Ireland?"),
        ("And in Ireland?", [Turn("What is made in Poland?")], "What is made in Ireland?"),
        ("How many tons of CO2 did it emit?", [MODEL], "How many tons of CO2 did Gintaras-M emit?"),
        ("And the orchard?", [FERRY], "How many kWh did the orchard use in 2022?"),
        ("what about the old machine room?", [FERRY], "How many kWh did the old machine room use in 2022?"),
        ("And the workshop?", [ROOM], "What was the power usage effectiveness of the workshop after it was rebuilt?"),
        ("Who maintains it?", [FERRY], "Who maintains the ferry?"),
        (
            "Which one is the cheapest?",
            [ROOM],
            "Which one is the cheapest regarding the power usage effectiveness of the machine room?",
        ),
        ("Why?", [ROOM], "Why regarding the power usage effectiveness of the machine room?"),
    ],
)
def test_a_follow_up_is_completed_by_the_turns_before(question, turns, complete):
    assert complete_question(question, turns) == complete


@pytest.mark.parametrize(
    "question",
    [
        "How many parameters does Gintaras-M have?",
        "What was the PUE of the machine room after it was rebuilt?",
        "List all machine rooms",
        "How many litres of diesel did the emergency generator burn in 2023?",
        "Does Gintaras-M answer in the language of its users?",
        "Who looks after the orchard?",
        "When does the ferry leave?",
        "What is Gintaras-M and how does it work?",
    ],
)
def test_a_complete_question_stays_as_it_is(question):
    assert complete_question(question, [ENERGY, MODEL]) == question


def test_the_first_question_of_a_session_stays_as_it_is():
    assert complete_question("And in 2022?", []) == "And in 2022?"


def test_a_pronoun_takes_the_topic_of_the_latest_turn():
    assert complete_question("Who built it?", [ENERGY, MODEL]) == "Who built Gintaras-M?"


def test_a_model_sees_the_last_two_turns_and_its_first_line_is_taken():
    sent = []

    def chat(system, user, question_id):
        sent.append((user, question_id))
        return "<think>hm</think>\nStandalone question: Who owns the workshop?\nBecause ..."

    assert complete_question("who owns it?", [ROOM, MODEL, ENERGY], chat, "s1") == "Who owns the workshop?"
    user, question_id = sent[0]
    assert (MODEL.question in user, ENERGY.question in user, ROOM.question in user) == (True, True, False)
    assert question_id == "s1"


@pytest.mark.parametrize("reply", ["", "It?", "word " * 60])
def test_a_reply_that_is_empty_short_or_long_leaves_it_to_the_rules(reply):
    assert complete_question("who owns it?", [ENERGY], lambda *_: reply) == "who owns Kohaku Workshop?"


def test_a_failed_call_leaves_it_to_the_rules():
    def chat(*_):
        raise CallError("no reply")

    assert complete_question("who owns it?", [ENERGY], chat) == "who owns Kohaku Workshop?"


@given(st.text(max_size=80), st.lists(st.builds(Turn, st.text(max_size=80), st.text(max_size=80)), max_size=3))
def test_whatever_is_written_a_question_comes_out(question, turns):
    completed = complete_question(question, turns)
    assert isinstance(completed, str)
    assert completed == question or (turns and is_follow_up(question))


def test_a_pronoun_means_the_person_that_was_the_answer_and_not_another_in_its_quote():
    answer = "Lund [Source 1]\n\n> Lund is site manager from now on (before: Mrs Berg) [Source 1]"
    asked = complete_question("What is his mobile number?", [Turn("Who is the site manager?", answer)])
    assert asked == "What is Lund's mobile number?"
