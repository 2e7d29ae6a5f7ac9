"""Questions that two values answer, each read by a question of its own: differences, sums and comparisons."""

from __future__ import annotations

from kohaku_lib.answering.extractive.reader.steps.comparisons import find_comparison
from kohaku_lib.answering.extractive.reader.steps.differences import find_difference
from kohaku_lib.answering.extractive.reader.steps.steps import Steps
from kohaku_lib.values import strip_claim_prefix


def steps_of(question: str) -> Steps | None:
    """Return the steps that answer a question; None if one value answers it.

    >>> steps_of("By how much did the rent rise from 2022 to 2023?").questions
    ('What was the rent in 2022?', 'What was the rent in 2023?')
    >>> steps_of("By how much was Ann's offer higher than that of Bob?").questions
    ("What was Ann's offer?", "What was Bob's offer?")
    >>> steps_of("Was the use of the mill in 2024 below that of 2023?").questions
    ('What was the use of the mill in 2024?', 'What was the use of the mill in 2023?')
    >>> outage = steps_of("True or false: The outage lasted longer than two hours.")
    >>> outage.questions, outage.stated, outage.unit
    (('How long did the outage last?',), 2.0, 'hours')
    >>> steps_of("How many more errors did Ann make than Bob?").questions
    ('How many errors did Ann make?', 'How many errors did Bob make?')
    >>> steps_of("How many apples and pears together were sold?").questions
    ('How many apples were sold?', 'How many pears were sold?')
    >>> claim = steps_of("Was the rent of the flat below 900 euros in 2023?")
    >>> claim.questions, claim.compute(850.0, 900.0), claim.stated
    (('What was the rent of the flat in 2023?',), 1.0, 900.0)
    """
    text = strip_claim_prefix(question).strip()
    return find_difference(text) or find_comparison(text)
