"""What is allowed."""

import pytest

from kohaku_lib.answering.extractive.claims.permissions import judge_allowed
from kohaku_lib.answering.extractive.evidence.evidence import gather_evidence
from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.tables import Question, Snippet

RULES = (
    "Tents and campfires are not allowed near the lake. Kites may be flown. Im Keller dürfen Motorräder nicht stehen."
)


def verdict(question):
    form = read_question(Question("q", question))
    evidence = gather_evidence(form, [Snippet("d:1", "d", "Rules", None, RULES, 1, 1.0)])
    found = judge_allowed(form, evidence)
    return None if found is None else (found.value, found.quote)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Can I bring a tent to the lake?", ("0", "Tents and campfires are not allowed near the lake.")),
        ("Are campfires allowed near the lake?", ("0", "Tents and campfires are not allowed near the lake.")),
        ("Dürfen Motorräder im Keller stehen?", ("0", "Im Keller dürfen Motorräder nicht stehen.")),
        ("May we fly kites?", None),
        ("Can I park a lorry at the lake?", None),
        ("Was the lake cleaned?", None),
    ],
)
def test_what_a_sentence_forbids_is_not_allowed_and_of_the_rest_nothing_is_said(question, expected):
    assert verdict(question) == expected
