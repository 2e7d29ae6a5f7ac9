"""Options compared by their numbers in one sentence."""

import pytest

from kohaku_lib.answering.extractive.choices.choices import choose_option
from kohaku_lib.answering.extractive.choices.extremes import choose_extreme, option_values
from kohaku_lib.answering.extractive.evidence.evidence import gather_evidence
from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.tables import Question, Snippet

SENTENCE = "The training energy of Meena is 232 MWh, that of GShard is 24 MWh and that of GPT-3 is 1.287 GWh."


def _read(text, snippet=SENTENCE):
    form = read_question(Question("q", text))
    return form, gather_evidence(form, [Snippet("d:1", "d", "A paper", 1, snippet, 1, 1.0)])


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("Which of these has the highest training energy: Meena, GShard, or GPT-3?", "GPT-3"),
        ("Which of these has the lowest training energy: Meena, GShard, or GPT-3?", "GShard"),
        ("Which has more training energy, Meena or GShard?", "Meena"),
        ("Which has less training energy, Meena or GShard?", "GShard"),
    ],
)
def test_the_option_with_the_asked_extreme_is_chosen(text, option):
    finding = choose_option(*_read(text))
    assert finding is not None
    assert finding.value == option


def test_numbers_are_compared_in_one_base():
    form, evidence = _read("Which has the highest training energy: Meena or GPT-3?")
    values = option_values(form.options, evidence.sentences[0])
    assert values["GPT-3"] / values["Meena"] == pytest.approx(1287 / 232)


@pytest.mark.parametrize(
    ("text", "snippet"),
    [
        ("Which has training energy: Meena or GShard?", SENTENCE),
        ("Which is the most efficient in training energy: Meena or GShard?", SENTENCE),
        (
            "Which has the highest training energy: Meena or GShard?",
            "The training energy of Meena is 3 W, GShard 5 kg.",
        ),
        ("Which has the highest training energy: Meena or GShard?", "The training energy of Meena is 3 W."),
    ],
)
def test_without_an_extreme_or_comparable_numbers_nothing_is_chosen_by_number(text, snippet):
    assert choose_extreme(*_read(text, snippet)) is None
