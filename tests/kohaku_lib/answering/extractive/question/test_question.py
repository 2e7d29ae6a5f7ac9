"""What a question asks for."""

import pytest

from kohaku_lib.answering.extractive.numbers.units import parse_unit
from kohaku_lib.answering.extractive.question.entities import entities_of
from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.tables import Question


def _form(text, unit=None):
    return read_question(Question("q", text, unit))


@pytest.mark.parametrize(
    ("text", "unit", "kind"),
    [
        ("True or False: New AI data centers often rely on air cooling.", None, "claim"),
        ("true/false: it works", None, "claim"),
        ("T/F: it works", None, "claim"),
        ("(True or False) It works.", None, "claim"),
        ("Yes or no: is it the PUE of 2023?", None, "claim"),
        ("Does the AI Act cover inference?", None, "claim"),
        ("Is it true that the lift works?", None, "claim"),
        ("Stimmt es, dass der Aufzug fährt?", None, "claim"),
        ("Darf ich im Hof grillen?", None, "claim"),
        ("Ist der Hof oder der Garten größer?", None, "name"),
        ("Um wie viel Uhr beginnt das Fest?", None, "name"),
        ("Were the emissions reported?", "is_blank", "claim"),
        ("How many papers were sampled?", "papers", "number"),
        ("How many papers were sampled?", None, "number"),
        ("How much does an elephant weigh?", "lbs", "number"),
        ("What percentage of compute does inference account for?", None, "number"),
        ("What was the average PUE of the data center?", "PUE", "number"),
        ("What were the net CO2e emissions from training?", "tCO2e", "number"),
        ("By what factor did caching improve efficiency?", None, "number"),
        ("In what year was BERT released?", None, "year"),
        ("By what year will the soy be free of deforestation?", "year", "year"),
        ("When was the pledge signed?", None, "year"),
        ("Which of the following has the highest energy use: T5, GPT-3, or Meena?", "is_blank", "choice"),
        ("Which uses less energy, T5 or Meena?", None, "choice"),
        ("Which source has the lowest intensity among coal, gas and oil?", None, "choice"),
        ("What is the name of the benchmark suite?", "is_blank", "name"),
        ("Which supercomputer was used to train BLOOM?", None, "name"),
        ("Who wrote the report?", None, "name"),
        ("What is the caretaker's phone number?", None, "name"),
        ("What number do I call at night?", None, "name"),
        ("What is the number of invoices?", None, "number"),
    ],
)
def test_the_kind_follows_from_the_form(text, unit, kind):
    assert _form(text, unit).kind == kind


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("What was the consumption in 2023, in megawatt-hours?", "MWh"),
        ("What was the water use effectiveness, in L/kWh?", "L/kWh"),
        ("What is the cost, in USD, of training it?", "USD"),
        ("What percentage of papers target accuracy?", "percent"),
        ("How many times more energy did it use?", "multiplier"),
        ("By what factor did it improve?", "multiplier"),
        ("How many model architectures were included?", "model architectures"),
        ("How many days did it take?", "days"),
    ],
)
def test_without_an_asked_unit_the_text_names_it(text, unit):
    assert _form(text).unit == parse_unit(unit)


def test_the_asked_unit_wins_over_the_one_in_the_text():
    assert _form("What is the consumption, in million liters?", "liters").unit == parse_unit("liters")


def test_words_for_the_asked_measure_belong_to_the_unit():
    assert {"gb", "gigabyt"} <= _form("What is the size in gigabytes (GB) of it?", "GB").unit_stems


def test_the_claim_stands_without_its_preamble():
    assert _form("True or False: Water is wet.").text == "Water is wet."


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("What is the maximum batch size?", "high"),
        ("What is the minimum number of GPUs?", "low"),
        ("What was the range of energy per second?", "range"),
        ("What was the energy per second?", ""),
    ],
)
def test_the_asked_end_of_a_range_is_known(text, bound):
    assert _form(text, "W").bound == bound


@pytest.mark.parametrize(
    ("text", "operation"),
    [
        ("What is the difference between the share of A and the share of B?", "difference"),
        ("How many more papers did ACL have than CVPR?", "difference"),
        ("How many times more energy did A consume than B?", "ratio"),
        ("What is the ratio of A to B?", "ratio"),
        ("How many papers did ACL have?", ""),
    ],
)
def test_calculations_are_recognised(text, operation):
    assert _form(text, "percent").operation == operation


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (
            "Which is largest: Meena, T5, GPT-3, GShard-600B, or Switch Transformer?",
            ("Meena", "T5", "GPT-3", "GShard-600B", "Switch Transformer"),
        ),
        ("Which uses less energy, T5 or Meena?", ("T5", "Meena")),
        (
            "Which has the lowest intensity among coal, natural gas and oil for the models?",
            ("coal", "natural gas", "oil"),
        ),
    ],
)
def test_options_are_listed(text, options):
    assert _form(text).options == options


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("What were the emissions of the GShard-600B model?", ("GShard-600B",)),
        ("Which GPUs did Amazon Web Services use in Iowa?", ("GPUs", "Amazon Web Services", "Iowa")),
        ("How much is it?", ()),
        ('What does "water withdrawal" mean?', ("water withdrawal",)),
    ],
)
def test_names_are_found(text, names):
    assert entities_of(text) == names


def test_an_empty_question_is_a_name_without_terms():
    form = _form("")
    assert form.kind == "name"
    assert form.stems == ()


@pytest.mark.parametrize(
    "text",
    [
        "What is the Pearson correlation coefficient between them?",
        "What batch size does the model reach?",
        "What PUE does Japan target by 2030?",
        "To what value does the variance drop?",
        "Below which number are batch sizes kept?",
    ],
)
def test_a_measure_is_asked_for_without_its_unit(text):
    assert read_question(Question("q", text)).kind == "number"


@pytest.mark.parametrize("text", ["What cost function is minimised?", "What is the name of the score?"])
def test_a_measure_within_a_name_asks_for_no_number(text):
    assert read_question(Question("q", text)).kind == "name"


def test_a_bound_that_is_a_condition_is_not_asked_for():
    assert read_question(Question("q", "What would it cost at the maximum level?", "USD")).bound == ""
    assert read_question(Question("q", "What is the maximum cost?", "USD")).bound == "high"
    assert read_question(Question("q", "What is the lower hourly price bound?", "USD")).bound == "low"
