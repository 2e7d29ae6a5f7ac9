"""What a question asks for."""

import pytest

from kohaku_lib.answering.extractive.numbers.units import parse_unit
from kohaku_lib.answering.extractive.question.asked_unit import states_unit
from kohaku_lib.answering.extractive.question.entities import entities_of
from kohaku_lib.answering.extractive.question.question import options_in, read_question
from kohaku_lib.tables import Question


def form_of(text, unit=None):
    return read_question(Question("q", text, unit))


@pytest.mark.parametrize(
    ("text", "unit", "kind"),
    [
        ("True or False: New AI data centers often rely on air cooling.", None, "claim"),
        ("(True or False) It works.", None, "claim"),
        ("Yes or no: is it the PUE of 2023?", None, "claim"),
        ("Does the AI Act cover inference?", None, "claim"),
        ("Is it true that the lift works?", None, "claim"),
        ("Darf ich im Hof grillen?", None, "claim"),
        ("Were the emissions reported?", "is_blank", "claim"),
        ("How many papers were sampled?", None, "number"),
        ("How much does an elephant weigh?", "lbs", "number"),
        ("What percentage of compute does inference account for?", None, "number"),
        ("By what factor did caching improve efficiency?", None, "number"),
        ("What is the number of invoices?", None, "number"),
        ("What is the Pearson correlation coefficient between them?", None, "number"),
        ("What batch size does the model reach?", None, "number"),
        ("In what year was BERT released?", None, "year"),
        ("By what year will the soy be free of deforestation?", "year", "year"),
        ("Which of the following has the highest energy use: T5, GPT-3, or Meena?", "is_blank", "choice"),
        ("Which uses less energy, T5 or Meena?", None, "choice"),
        ("Which source has the lowest intensity among coal, gas and oil?", None, "choice"),
        ("What is the name of the benchmark suite?", "is_blank", "name"),
        ("Who wrote the report?", None, "name"),
        ("How often do backups run?", None, "name"),
        ("What is the caretaker's phone number?", None, "name"),
        ("What cost function is minimised?", None, "name"),
        ("Ist der Hof oder der Garten größer?", None, "name"),
        ("Um wie viel Uhr beginnt das Fest?", None, "name"),
        ("", None, "name"),
    ],
)
def test_the_kind_follows_from_the_form(text, unit, kind):
    assert form_of(text, unit).kind == kind


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [
        ("What was the water use effectiveness, in L/kWh?", None, "L/kWh"),
        ("What is the cost, in USD, of training it?", None, "USD"),
        ("What is the net cost? Answer in USD billions.", None, "USD billions"),
        ("How many times more energy did it use?", None, "multiplier"),
        ("How many model architectures were included?", None, "model architectures"),
        ("How many days did it take?", None, "days"),
        ("What is the consumption, in million liters?", "liters", "liters"),
    ],
)
def test_without_an_asked_unit_the_text_names_it(text, unit, expected):
    assert form_of(text, unit).unit == parse_unit(expected)


def test_words_for_the_asked_measure_belong_to_the_unit_and_a_season_is_none():
    assert {"gb", "gigabyt"} <= form_of("What is the size in gigabytes (GB) of it?", "GB").unit_stems
    assert not states_unit("What is the net value in spring?")


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("What is the maximum batch size?", "high"),
        ("What is the lower hourly price bound?", "low"),
        ("What was the range of energy per second?", "range"),
        ("What was the energy per second?", ""),
        ("What would it cost at the maximum level?", ""),  # a condition
    ],
)
def test_the_asked_end_of_a_range_is_known(text, bound):
    assert form_of(text, "W").bound == bound


@pytest.mark.parametrize(
    ("text", "operation"),
    [
        ("What is the difference between the share of A and the share of B?", "difference"),
        ("How many more papers did ACL have than CVPR?", "difference"),
        ("How many times more energy did A consume than B?", "ratio"),
        ("How many papers did ACL have?", ""),
    ],
)
def test_calculations_are_recognised(text, operation):
    assert form_of(text, "percent").operation == operation


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Which is largest: Meena, T5, GPT-3, or Switch Transformer?", ("Meena", "T5", "GPT-3", "Switch Transformer")),
        ("Which uses less energy, T5 or Meena?", ("T5", "Meena")),
        ("Which is lowest among coal, natural gas and oil for the models?", ("coal", "natural gas", "oil")),
        ("Which is larger: the mole, the pier, or the quay?", ("mole", "pier", "quay")),
        ("Which is the largest mole?", ()),
        # takes no time that doubles with each item
        ("Which is highest among " + ", ".join(f"peak {number}" for number in range(60)) + "?", ()),
    ],
)
def test_options_are_listed_without_their_articles(text, options):
    assert options_in(text) == options


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Which GPUs did Amazon Web Services use in Iowa?", ("GPUs", "Amazon Web Services", "Iowa")),
        ("How much is it?", ()),
        ('What does "water withdrawal" mean?', ("water withdrawal",)),
    ],
)
def test_names_are_found(text, names):
    assert entities_of(text) == names
