"""Words, stems and sentences as the reader sees them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.answering.extractive.text import content_stems, statement_spans, term_of, tokens_of

BROKEN = "The model was trained on machines that stood in the\nNevada desert for a year."  # by the width of the page


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("emissions", "emission", True),
        ("GPUs", "gpu", True),
        ("Model's", "models", True),
        ("quantization", "quantized", True),
        ("efficiency", "efficient", True),
        ("energy", "efficiency", False),
        ("train", "trial", False),
        ("model", "mode", False),
        ("33", "3", False),
        ("gas", "ga", False),
    ],
)
def test_forms_of_one_word_share_a_stem_and_other_words_do_not(one, other, same):
    assert (term_of(one) == term_of(other)) is same


@pytest.mark.parametrize(
    ("text", "stems"),
    [
        ("1,287 MWh, 4.3 t and 1,500.25 kg", ["1287", "mwh", "4.3", "t", "and", "1500.25", "kg"]),
        ("LLaMA-65B and GPT-3", ["llama", "65b", "and", "gpt", "3"]),
        *((f"net {gas}", ["net", "co2"]) for gas in ("CO2", "CO₂", "CO2e", "CO 2 e", "CO2-eq", "CO2 equivalent")),
    ],
)
def test_numbers_names_of_models_and_gases_are_words(text, stems):
    assert [token.stem for token in tokens_of(text)] == stems


@pytest.mark.parametrize(
    ("text", "stems"),
    [
        ("Which of the models is the model that was used?", ["model"]),
        ("It isn’t and isn't the boat", ["boat"]),
    ],
)
def test_content_stems_leave_out_stop_words_and_repetitions(text, stems):
    assert content_stems(text) == stems


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two.", ["One.", "Two."]),
        ("See Fig. 3 for more. Then stop.", ["See Fig. 3 for more.", "Then stop."]),
        ("Wu et al. The paper says so. Fine.", ["Wu et al. The paper says so.", "Fine."]),
        ('He said "stop." Then he left.', ['He said "stop."', "Then he left."]),
        ("Die 3. Sitzung war lang. Sie schloss um 5.", ["Die 3. Sitzung war lang.", "Sie schloss um 5."]),
        ("Er zahlte 30. Die Summe ist klein.", ["Er zahlte 30.", "Die Summe ist klein."]),
        ("She is 30. The die is cast.", ["She is 30.", "The die is cast."]),
        ("Model L\nLLaMA-33B 64.7 GB\nLLaMA-65B 130.1 GB", ["Model L", "LLaMA-33B 64.7 GB", "LLaMA-65B 130.1 GB"]),
        ("two things: • the first • The second", ["two things:", "• the first", "• The second"]),
        ("Am 5. August ist Schluss. Ende.", ["Am 5. August ist Schluss.", "Ende."]),
        (BROKEN, [BROKEN]),
        ("   ", []),
    ],
)
def test_sentences_end_where_they_end(text, sentences):
    assert [text[start:end] for start, end in statement_spans(text)] == sentences


@given(st.text(alphabet="aB .!?\n|•3,;()“”", max_size=80))
def test_spans_are_in_order_trimmed_and_lose_only_blanks_and_closing_signs(text):
    spans = statement_spans(text)
    assert all(start < end for start, end in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
    assert all(text[start:end] == text[start:end].strip() for start, end in spans)
    covered = sum(sum(sign.isalnum() for sign in text[start:end]) for start, end in spans)
    assert covered == sum(sign.isalnum() for sign in text)
