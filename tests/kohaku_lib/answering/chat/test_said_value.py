import pytest

from kohaku_lib.answering.chat.said_value import said_value
from kohaku_lib.tables import Question


@pytest.mark.parametrize(
    ("question", "text", "value"),
    [
        ("Who runs the lamp store?", "Ines Holm is the head of the lamp store.", "Ines Holm"),
        ("What is the password of the guests?", "The password for guests is amber-4711.", "amber-4711"),
        ("When was the typewriter patented?", "The typewriter was patented in 1868 by Sholes.", "1868"),
    ],
)
def test_of_a_sentence_the_words_that_are_asked_for_are_the_value(question, text, value):
    assert said_value(Question("q", question), text) == value


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who runs the lamp store?", "Ines Holm"),
        ("What is the name of the film?", "The Man Who Knew Too Much"),
        ("Why was it rebuilt?", "It was rebuilt because the old fans were too loud."),
        ("True or false: it rains.", "It is true that it rains in May."),
        ("Who runs the lamp store?", "is_blank"),
        ("Can I smoke here?", "No, smoking is not allowed in the building."),
        ("What do tea and coffee cost?", "Tea costs 2 EUR and coffee costs 3 EUR."),
        ("When do both sales start?", "The winter sale starts on 3 January and the summer sale starts on 4 July."),
        ("How many cups and plates are there?", "There are 12 cups and 14 plates in the box."),
    ],
)
def test_a_value_a_reason_a_claim_and_two_values_stay_as_they_are(question, text):
    assert said_value(Question("q", question), text) == text
