"""The built-in reader from question to answer, where a wrong answer costs nothing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kohaku_lib.answering.extractive.reading_answerer import ReadingAnswerer
from kohaku_lib.tables import Question, Snippet, StructuredAnswer

SWITCH = (
    "The GShard-600B model is used for translation. Training GShard-600B used 24 MWh and produced 4.3 net tCO 2 e. "
    "Meena was trained on 1024 TPU v3 chips for 30 days."
)
COOLING = "In general, new data centers dedicated to AI training often rely on liquid cooling due to the high power densities."
TABLE = (
    "Table 3: Large language models used for evaluation.\nModel Parameters L d G\n"
    "LLaMA-33B 64.7 GB 60 6656 1\nLLaMA-65B 130.1 GB 80 8192 1\nLLaMA3-70B 137.5 GB 80 8192 8"
)
DEMAND = "ML inference reportedly accounts for 80-90% of the total compute demand [10, 27]. Training takes the rest."
LIMITS = "The Act does not mandate the disclosure of energy consumption during inference. It covers training."
BENCH = "We present the EnergyMark Benchmark, a suite for measuring inference energy consumption. It is open."
TEXTS = (SWITCH, COOLING, TABLE, DEMAND, LIMITS, BENCH)


def ask(text, unit=None, texts=TEXTS, penalty=0.0):
    snippets = [
        Snippet(f"doc{place}:{place}", f"doc{place}", "A paper", 3, one, place, 1.0 / place)
        for place, one in enumerate(texts, start=1)
    ]
    return ReadingAnswerer(penalty).answer(Question("q", text, unit), snippets)


@pytest.mark.parametrize(
    ("text", "unit", "value", "document"),
    [
        ("How much energy did training GShard-600B use?", "kWh", "24000", "doc1"),
        ("What is the size in GB of the LLaMA3-70B model?", "GB", "137.5", "doc3"),
        ("What percentage of total compute demand does ML inference account for?", "percent", "[80,90]", "doc4"),
        ("What is the maximum share of total compute demand of ML inference?", "percent", "90", "doc4"),
        ("What is the name of the suite for measuring inference energy?", None, "EnergyMark Benchmark", "doc6"),
        ("True or False: New data centers for AI training often rely on liquid cooling.", None, "1", "doc2"),
        ("True or False: The Act mandates the disclosure of energy during inference.", None, "0", "doc5"),
        ("True or False: ML inference accounts for less than 30% of the compute demand.", None, "0", "doc4"),
    ],
)
def test_the_supported_value_is_found_in_its_document(text, unit, value, document):
    answer = ask(text, unit)
    assert (answer.answer_value, answer.ref_id) == (value, (document,))


@pytest.mark.parametrize(
    ("text", "unit", "texts"),
    [
        ("How much does an elephant weigh?", "lbs", TEXTS),
        ("", None, TEXTS),
        # a count in words is no measure in a unit
        ("What was paid for it, in euros?", "euros", ("It counts what was paid for the three models.",)),
    ],
)
def test_what_nobody_says_is_blank_everywhere(text, unit, texts):
    answer = ask(text, unit, texts, penalty=1.5)
    assert answer == StructuredAnswer("is_blank", "is_blank", (), "is_blank", None, 0.0)


def test_an_answer_holds_its_quote_verbatim_and_every_run_gives_the_same():
    question, snippets = "How much energy did training GShard-600B use?", [Snippet("d:1", "d", "", 3, SWITCH, 1, 1.0)]
    [answer] = {ReadingAnswerer(0.0).answer(Question("q", question, "MWh"), snippets, run) for run in range(3)}
    assert answer.quote in SWITCH
    assert answer.explanation == answer.quote
    assert "24 MWh" in answer.answer
    assert 0 < answer.confidence <= 1


@pytest.mark.parametrize(
    ("question", "unit", "text", "value"),
    [
        # what is counted below the line may be left unsaid
        ("How much energy does a short query on GPT-4o consume?", "Wh per query", "It consumes 0.34 Wh.", "0.34"),
        ("How much energy does a short query consume?", "Wh", "A query consumes 340 mWh per query.", "0.34"),
        # a number that the question gives is not the answer
        (
            "Out of a sample of 60 papers, how many target efficiency?",
            "papers",
            "From a sample of 60 papers, 12 papers target efficiency.",
            "12",
        ),
        ("How many GPUs did the training of Meena use?", "GPUs", "Meena took 30 days.", "is_blank"),
        (
            "What is the difference between the percentage of ACL papers and that of CVPR papers that target accuracy?",
            "percent",
            "A majority of the papers target accuracy: 90% of ACL papers, 80% of NeurIPS papers and 75% of CVPR papers.",
            "15",
        ),
        (
            "Which has the highest energy consumption: Meena, T5, or GPT-3?",
            None,
            "GPT-3 had by far the highest energy consumption of the five models. Meena and T5 used less.",
            "GPT-3",
        ),
        # each number of a sentence belongs to its own thing
        (
            "How much is used with high effort?",
            "Wh",
            "It ranges from 2.33 Wh for little effort to 17.15 Wh for high effort, a large increase.",
            "17.15",
        ),
    ],
)
def test_the_value_that_the_sentence_gives_to_the_asked_thing_is_read(question, unit, text, value):
    assert ask(question, unit, (text,)).answer_value == value


@settings(max_examples=20, deadline=None)
@given(st.text(max_size=150), st.one_of(st.none(), st.text(max_size=12)), st.lists(st.text(max_size=200), max_size=4))
def test_any_text_gives_a_sound_answer(question, unit, texts):
    answer = ask(question, unit, texts)
    assert (answer.answer_value == "is_blank") == (answer.ref_id == ())
    assert answer.explanation
    if answer.quote is not None:
        assert any(answer.quote in text for text in texts)
