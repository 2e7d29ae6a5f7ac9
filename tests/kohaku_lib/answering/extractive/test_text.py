"""Words, stems and sentences as the reader sees them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.answering.extractive.text import content_stems, statement_spans, term_of, tokens_of
from kohaku_lib.text.word_lists import words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("training", "trained"),
        ("trains", "training"),
        ("emissions", "emission"),
        ("studies", "study"),
        ("GPUs", "gpu"),
        ("consumes", "consumed"),
        ("rely", "relies"),
        ("stopped", "stop"),
        ("costs", "cost"),
        ("Model's", "models"),
        ("uses", "use"),
        ("estimated", "estimates"),
    ],
)
def test_inflections_of_one_word_share_a_stem(one, other):
    assert term_of(one) == term_of(other)


@pytest.mark.parametrize(
    ("one", "other"), [("energy", "efficiency"), ("train", "trial"), ("water", "watt"), ("model", "mode"), ("33", "3")]
)
def test_different_words_keep_different_stems(one, other):
    assert term_of(one) != term_of(other)


@pytest.mark.parametrize("written", ["CO2", "CO₂", "CO2e", "CO 2 e", "CO2eq", "CO2-eq", "CO2 equivalent"])
def test_every_spelling_of_carbon_dioxide_is_one_word(written):
    assert [token.stem for token in tokens_of(f"net {written} of it")] == ["net", "co2", "of", "it"]


def test_numbers_lose_their_commas_and_keep_their_decimals():
    assert [token.stem for token in tokens_of("1,287 MWh, 4.3 t and 1,500.25 kg")] == [
        "1287",
        "mwh",
        "4.3",
        "t",
        "and",
        "1500.25",
        "kg",
    ]


def test_model_names_come_in_parts():
    assert [token.stem for token in tokens_of("LLaMA-65B and GPT-3")] == ["llama", "65b", "and", "gpt", "3"]


def test_tokens_know_where_they_stand():
    text = "Training GShard-600B used 24 MWh."
    assert [text[token.start : token.end] for token in tokens_of(text)] == [
        "Training",
        "GShard",
        "600B",
        "used",
        "24",
        "MWh",
    ]


def test_content_stems_leave_out_stop_words_and_repetitions():
    assert content_stems("Which of the models is the model that was used?") == ["model"]


def test_words_are_parted_by_any_blank():
    assert words("a  b\n c") == frozenset({"a", "b", "c"})


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two.", ["One.", "Two."]),
        ("See Fig. 3 for more. Then stop.", ["See Fig. 3 for more.", "Then stop."]),
        ("Wu et al. The paper says so. Fine.", ["Wu et al. The paper says so.", "Fine."]),
        (
            "It used 3.5 MWh in the U.S. Department of Energy. Good.",
            ["It used 3.5 MWh in the U.S. Department of Energy.", "Good."],
        ),
        ("Is it? Yes! It is.", ["Is it?", "Yes!", "It is."]),
        ('He said "stop." Then he left.', ['He said "stop."', "Then he left."]),
        ("Die 3. Sitzung war lang. Sie schloss um 5.", ["Die 3. Sitzung war lang.", "Sie schloss um 5."]),
        (
            "Das steht in Nr. 7 der Liste, vgl. Abb. 2. Es gilt.",
            ["Das steht in Nr. 7 der Liste, vgl. Abb. 2.", "Es gilt."],
        ),
        ("Unsere 4. Tagung kam zur 2. Stunde. Ende.", ["Unsere 4. Tagung kam zur 2. Stunde.", "Ende."]),
        ("Er zahlte 30. Die Summe ist klein.", ["Er zahlte 30.", "Die Summe ist klein."]),
        ("She is 30. The die is cast.", ["She is 30.", "The die is cast."]),
        ("", []),
        ("   ", []),
        ("no end", ["no end"]),
    ],
)
def test_sentences_end_where_they_end(text, sentences):
    assert [text[start:end] for start, end in statement_spans(text)] == sentences


def test_rows_of_a_table_are_sentences():
    text = "Model Parameters L\nLLaMA-33B 64.7 GB 60\nLLaMA-65B 130.1 GB 80"
    assert [text[start:end] for start, end in statement_spans(text)] == text.split("\n")


def test_a_line_that_the_page_broke_goes_on():
    text = "The model was trained on a cluster of machines that stood in the\nNevada desert for a year."
    assert len(statement_spans(text)) == 1


def test_bullets_part_sentences():
    assert len(statement_spans("two things: • the first • The second")) == 3


@given(st.text(alphabet="aB .!?\n|•3,;()“”", max_size=80))
def test_spans_are_in_order_trimmed_and_lose_only_blanks_and_closing_signs(text):
    spans = statement_spans(text)
    assert all(start < end for start, end in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
    assert all(text[start:end] == text[start:end].strip() for start, end in spans)
    covered = sum(sum(sign.isalnum() for sign in text[start:end]) for start, end in spans)
    assert covered == sum(sign.isalnum() for sign in text)


@pytest.mark.parametrize(
    ("noun", "other"),
    [
        ("quantization", "quantized"),
        ("efficiency", "efficient"),
        ("requirements", "requires"),
    ],
)
def test_a_noun_meets_its_verb_or_adjective(noun, other):
    assert term_of(noun) == term_of(other)


@pytest.mark.parametrize("word", ["news", "gas"])
def test_a_word_that_ends_in_s_is_no_plural(word):
    assert term_of(word) == word


def test_the_plural_of_an_acronym_is_the_acronym():
    assert term_of("GPUs") == term_of("gpu") == "gpu"


def test_stop_words_carry_no_content_with_any_apostrophe():
    assert content_stems("It isn’t and isn't the boat") == ["boat"]
