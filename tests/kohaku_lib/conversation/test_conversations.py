"""Conversations: their turns, their owners, what other processes add, and what is forgotten."""

import pytest
from sqlalchemy import event, text

from kohaku_lib.conversation.conversations import Conversations
from kohaku_lib.conversation.memory.database import open_database
from kohaku_lib.conversation.memory.message_store import Message, MessageStore, Owner
from kohaku_lib.conversation.request import RequestError

ANN, BOB = Owner("default", "ann"), Owner("default", "bob")


@pytest.fixture
def engine(tmp_path):
    opened = open_database(tmp_path)
    yield opened
    opened.dispose()


def talks(engine, most=10, turns=15):
    return Conversations(MessageStore(engine), most, turns)


def take_turn(own, talk, number, answer=True):
    own.refresh(talk)
    own.add(talk, Message(f"{id(own)}-{number}", "user", f"q{number}", f"q{number}"))
    if answer:
        own.add(talk, Message(f"{id(own)}-{number}", "assistant", f"a{number}", f"Q{number}", is_answer=answer))


def turns(talk):
    return [(turn.question, turn.answer) for turn in talk.turns]


def test_a_turn_is_a_question_as_it_was_understood_and_its_answer(engine):
    own = talks(engine)
    talk = own.get(None, ANN)
    take_turn(own, talk, 1)
    assert turns(talk) == [("Q1", "a1")]


def test_a_question_without_an_answer_is_no_turn(engine):
    own = talks(engine)
    talk = own.get(None, ANN)
    take_turn(own, talk, 1, answer=False)
    take_turn(own, talk, 2)
    assert turns(talk) == [("Q2", "a2")]


def test_a_session_is_read_from_the_database_where_it_is_not_in_memory(engine):
    first = talks(engine)
    talk = first.get("s", ANN)
    for number in range(3):
        take_turn(first, talk, number)
    again = talks(engine, turns=2)
    found = again.get("s", ANN)
    again.refresh(found)
    assert turns(found) == [("Q1", "a1"), ("Q2", "a2")]


def test_two_processes_on_one_session_see_the_turns_of_each_other(engine):
    here, there = talks(engine), talks(engine)
    talk, other = here.get("s", ANN), there.get("s", ANN)
    here.refresh(talk)
    here.add(talk, Message("x", "user", "q1", "q1"))
    take_turn(there, other, 2)  # between the question and the answer here
    here.add(talk, Message("x", "assistant", "a1", "Q1", is_answer=True))
    for own, one in ((here, talk), (there, other)):
        own.refresh(one)
        own.refresh(one)
        assert sorted(turns(one)) == [("Q1", "a1"), ("Q2", "a2")]


@pytest.mark.parametrize("stranger", [BOB, Owner("other", "ann"), Owner("default")])
def test_a_session_is_for_its_owner_alone_whether_in_memory_or_not(engine, stranger):
    own = talks(engine)
    own.get("s", ANN)
    for one in (own, talks(engine)):
        with pytest.raises(RequestError, match="belongs to another user"):
            one.get("s", stranger)


def test_the_oldest_turns_and_the_least_recent_sessions_are_forgotten(engine):
    own = talks(engine, most=2, turns=2)
    talk = own.get("a", ANN)
    for number in range(4):
        take_turn(own, talk, number)
    assert turns(talk) == [("Q2", "a2"), ("Q3", "a3")]
    own.get("b", ANN)
    own.get("c", ANN)
    assert own.get("a", ANN) is not talk


def test_a_database_that_fails_costs_no_answer(engine, caplog):
    own = talks(engine)
    talk = own.get("s", ANN)
    with engine.begin() as connection:
        connection.execute(text("DROP TABLE messages"))
    take_turn(own, talk, 1)
    assert turns(talk) == [("Q1", "a1")]
    assert "the assistant's database failed" in caplog.text


def statements_during(engine, work):
    seen = []

    def note(connection, cursor, statement, *_):
        seen.append(statement.split()[0])

    event.listen(engine, "before_cursor_execute", note)
    try:
        work()
    finally:
        event.remove(engine, "before_cursor_execute", note)
    return seen


def test_a_session_that_nobody_knows_yet_is_written_and_not_read(engine):
    own = talks(engine)
    assert statements_during(engine, lambda: take_turn(own, own.get(None, ANN), 1)) == ["INSERT"] * 3


def test_a_session_begun_here_takes_in_the_turns_of_other_processes_from_its_second_turn_on(engine):
    here, there = talks(engine), talks(engine)
    talk = here.get(None, ANN)
    take_turn(here, talk, 1)
    take_turn(there, there.get(talk.session_id, ANN), 2)
    take_turn(here, talk, 3)
    assert turns(talk) == [("Q1", "a1"), ("Q2", "a2"), ("Q3", "a3")]
