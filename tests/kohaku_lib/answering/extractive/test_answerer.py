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
WATER = (
    "AWS improved its WUE to 0.18 liters of water per kilowatt-hour (L/kWh) in 2023. Amazon matched all electricity."
)
DEMAND = "ML inference reportedly accounts for 80-90% of the total compute demand [10, 27]. Training takes the rest."
LIMITS = "The Act does not mandate the disclosure of energy consumption during inference. It covers training."
BENCH = "We present the EnergyMark Benchmark, a suite for measuring inference energy consumption. It is open."


def _snippet(text, document="doc1", rank=1, title="A paper"):
    return Snippet(f"{document}:{rank}", document, title, 3, text, rank, 1.0 / rank)


def _ask(text, unit=None, snippets=(SWITCH, COOLING, TABLE, WATER, DEMAND, LIMITS, BENCH), penalty=0.0):
    found = [_snippet(one, f"doc{place}", place) for place, one in enumerate(snippets, start=1)]
    return ReadingAnswerer(penalty).answer(Question("q", text, unit), found)


@pytest.mark.parametrize(
    ("text", "unit", "value", "document"),
    [
        ("How much energy did training GShard-600B use?", "kWh", "24000", "doc1"),
        ("How many days was Meena trained?", "days", "30", "doc1"),
        ("For how many hours was Meena trained?", "hours", "720", "doc1"),
        ("What is the size in GB of the LLaMA3-70B model?", "GB", "137.5", "doc3"),
        ("What was the WUE of AWS in 2023?", "L/kWh", "0.18", "doc4"),
        ("What percentage of total compute demand does ML inference account for?", "percent", "[80,90]", "doc5"),
        (
            "What is the maximum percentage of total compute demand that ML inference accounts for?",
            "percent",
            "90",
            "doc5",
        ),
        (
            "What is the name of the benchmark suite for measuring inference energy consumption?",
            None,
            "EnergyMark Benchmark",
            "doc7",
        ),
    ],
)
def test_the_supported_value_is_found_in_its_document(text, unit, value, document):
    answer = _ask(text, unit)
    assert answer.answer_value == value
    assert answer.ref_id == (document,)


@pytest.mark.parametrize(
    ("claim", "value"),
    [
        ("New data centers dedicated to AI training often rely on liquid cooling.", "1"),
        ("The Act mandates the disclosure of energy consumption during inference.", "0"),
        ("ML inference accounts for 80-90% of the total compute demand.", "1"),
        ("ML inference accounts for less than 30% of the total compute demand.", "0"),
    ],
)
def test_claims_are_checked_for_their_polarity(claim, value):
    assert _ask(f"True or False: {claim}").answer_value == value


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("How much does an elephant weigh?", "lbs"),
        ("What was the energy consumption of Gemini Ultra on TPU v5p pods in Ireland?", "MWh"),
        ("Who won the football championship of Brazil in 1998?", None),
    ],
)
def test_what_nobody_says_is_blank_everywhere(text, unit):
    answer = _ask(text, unit, penalty=1.5)
    assert answer == StructuredAnswer("is_blank", "is_blank", (), "is_blank", None, 0.0)


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("A short query consumes 0.34 Wh of energy on GPT-4o.", "Wh per query", "0.34"),
        ("A short query consumes 0.34 Wh per query of energy on GPT-4o.", "Wh", "0.34"),
        ("The energy that a short query consumes on GPT-4o is 340 mWh.", "Wh", "0.34"),
    ],
)
def test_what_is_counted_below_the_line_may_be_left_unsaid(text, unit, value):
    assert _ask("How much energy does a short query on GPT-4o consume?", unit, (text,)).answer_value == value


def test_no_snippets_give_a_blank():
    assert _ask("How many papers?", "papers", ()).answer_value == "is_blank"


def test_an_empty_question_is_blank():
    assert _ask("", penalty=1.5).answer_value == "is_blank"


def test_an_answer_holds_its_quote_verbatim():
    answer = _ask("How much energy did training GShard-600B use?", "MWh")
    assert answer.quote is not None
    assert answer.quote in SWITCH
    assert answer.explanation == answer.quote
    assert "24 MWh" in answer.answer
    assert answer.confidence is not None
    assert 0 < answer.confidence <= 1


def test_every_run_gives_the_same_answer():
    snippets = [_snippet(SWITCH)]
    question = Question("q", "How much energy did training GShard-600B use?", "MWh")
    answers = {ReadingAnswerer(0.0).answer(question, snippets, run) for run in range(3)}
    assert len(answers) == 1


def test_a_number_that_the_question_gives_is_not_the_answer():
    text = "From a sample of 60 papers, 12 papers target efficiency."
    assert _ask("Out of a sample of 60 papers, how many target efficiency?", "papers", (text,)).answer_value == "12"


def test_never_converts_what_it_does_not_know():
    answer = _ask("How many GPUs did the training of Meena use?", "GPUs", ("Meena took 30 days.",))
    assert answer.answer_value in {"is_blank"}


def test_a_difference_is_computed_from_two_stated_numbers():
    text = "A majority of the papers target accuracy: 90% of ACL papers, 80% of NeurIPS papers and 75% of CVPR papers."
    question = (
        "What is the difference between the percentage of ACL papers and that of CVPR papers that target accuracy?"
    )
    assert _ask(question, "percent", (text,)).answer_value == "15"


def test_the_year_asked_for_is_read():
    text = "Amazon co-founded The Climate Pledge with Global Optimism in 2019 and had 473 signatories."
    assert _ask("In what year was The Climate Pledge co-founded by Amazon?", None, (text,)).answer_value == "2019"


def test_an_option_is_chosen_as_it_is_written():
    text = "GPT-3 had by far the highest energy consumption of the five models. Meena and T5 used less."
    answer = _ask("Which has the highest energy consumption: Meena, T5, or GPT-3?", None, (text,))
    assert answer.answer_value == "GPT-3"


@pytest.mark.parametrize(
    ("question", "unit", "text", "value"),
    [
        (
            "How many winches does each boat of Paula have?",
            "winches",
            "It fits on one boat of Capella (needing 2 winches) or Paula (needing all 8 winches) today.",
            "8",
        ),
        (
            "How much is used with high effort?",
            "Wh",
            "It ranges from 2.33 Wh for little effort to 17.15 Wh for high effort, a large increase.",
            "17.15",
        ),
        (
            "How many widely used boats does the survey have across the ports?",
            "boats",
            "The survey has 40 widely used boats across 6 different ports.",
            "40",
        ),
        (
            "What share of the fuel goes to the ferries?",
            "percent",
            "The tugs take 10% and the ferries take 70% of the fuel.",
            "70",
        ),
    ],
)
def test_each_number_of_a_sentence_has_its_own_stretch(question, unit, text, value):
    assert _ask(question, unit, (text,)).answer_value == value


@settings(max_examples=20, deadline=None)
@given(st.text(max_size=150), st.one_of(st.none(), st.text(max_size=12)), st.lists(st.text(max_size=200), max_size=4))
def test_any_text_gives_a_sound_answer(question, unit, texts):
    answer = ReadingAnswerer(0.0).answer(Question("q", question, unit), [_snippet(text) for text in texts])
    assert (answer.answer_value == "is_blank") == (answer.ref_id == ())
    assert answer.explanation
    if answer.quote is not None:
        assert any(answer.quote in text for text in texts)
