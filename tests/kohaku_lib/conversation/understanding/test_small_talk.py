"""Thanks, greetings and a bare yes get a word; what may ask something gets none."""

import pytest

from kohaku_lib.conversation.understanding.small_talk import small_talk_reply


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        ("Thanks!", "You're welcome."),
        ("thank you very much", "You're welcome."),
        ("Great, thanks for your help!", "You're welcome."),
        ("Thanks, that's all", "You're welcome."),
        ("Danke!", "Gern geschehen."),
        ("Vielen Dank für die Hilfe", "Gern geschehen."),
        ("Hello", "Hello. What would you like to know?"),
        ("Good morning!", "Hello. What would you like to know?"),
        ("Guten Tag", "Guten Tag. Was möchten Sie wissen?"),
        ("Bye", "Goodbye."),
        ("Auf Wiedersehen", "Auf Wiedersehen."),
        ("yes", "What would you like to know?"),
        ("ok", "What would you like to know?"),
        ("Ja", "Was möchten Sie wissen?"),
        ("yes please", "What would you like to know?"),
    ],
)
def test_who_asks_nothing_gets_a_word(message, reply):
    assert small_talk_reply(message) == reply


@pytest.mark.parametrize(
    "message",
    [
        "Thanks! And B1?",
        "Hi, what does A1 cost?",
        "Who is to be thanked?",
        "thank-you letters",
        "Is it good?",
        "that",
        "the day",
        "Help",
        "And Tuesday?",
        "?",
        "2022",
    ],
)
def test_who_may_ask_something_gets_none(message):
    assert small_talk_reply(message) is None
