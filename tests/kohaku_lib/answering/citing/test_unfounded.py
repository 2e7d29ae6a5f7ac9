"""What no excerpt says is unfounded, but for what is told or calculated from several statements."""

import pytest
from answering_material import snippet

from kohaku_lib.answering.citing.unfounded import is_unfounded
from kohaku_lib.tables import Question, StructuredAnswer

SHELF = [
    snippet(
        "The machine room holds twelve servers. In 2023 the hall used 9,196 kWh, and the offices 3,344 kWh.", "report"
    ),
    snippet("| Member | Town |\n| Ann Lee | Nida |\n| Bo Ek | Riga |", "members", 2),
    snippet("The ferry was closed because its engine had failed. It berths at LT-91217.", "ferry", 3),
]
SERVERS = "How many servers does the machine room hold?"
CLOSED = "Why was the ferry closed?"


@pytest.mark.parametrize(
    ("question", "value", "quote", "expected"),
    [
        (SERVERS, "997", "", True),
        (SERVERS, "997", "The machine room holds 997 servers.", True),
        (SERVERS, "12", "The room has a dozen of them.", False),
        (SERVERS, "997", "The machine room holds twelve servers.", False),  # the reader of the answer sees both
        ("How much did the hall use in MWh?", "9.2", "In 2023 the hall used 9,196 kWh", False),
        ("How much more did the hall use than the offices?", "5852", "", False),
        ("How much did the hall and the offices use in total?", "12540", "", False),
        ("How many members are listed?", "2", "", False),
        ("What is the sum?", "12540", "The hall used 9,196 kWh. In 2023 the hall used 9,196 kWh", False),
        ("Did the hall use more than the offices?", "Yes, by far", "", False),
        ("Which used more, the hall or the pier?", "the pier", "", False),
        ("Who are the members?", "Ann Lee, Bo Ek", "", False),
        ("Who are the members?", "Ann Lee, Milda Braun", "", True),
        ("Where does the ferry berth?", "91217", "", False),
        ("Where does the ferry berth?", "91218", "", True),
        ("What colour is the ferry?", "blue", "The ferry is painted blue all over.", True),
        (CLOSED, "Since the engine failed, the ferry was closed for days.", "", False),
        (CLOSED, "A storm damaged the pier so badly that nobody could board.", "", True),
    ],
)
def test_an_answer_is_unfounded_where_neither_its_value_nor_its_quote_is_said(question, value, quote, expected):
    answer = StructuredAnswer(value, value, ("report",), "", quote or None)
    assert is_unfounded(Question("q", question), answer, SHELF) is expected
