"""The sentences and rows of a text with their words, kept between questions."""

from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.answering.extractive.evidence.statements import statements_of
from kohaku_lib.answering.extractive.text import statement_spans

TEXTS = st.text(alphabet="ab1 .,;:()|\n•", max_size=80)


def test_a_row_of_a_table_is_told_from_a_sentence():
    assert [(one.text, one.is_row) for one in statements_of("| T5 | 86 |\nIt is old.")] == [
        ("| T5 | 86 |", True),
        ("It is old.", False),
    ]


def test_punctuation_adds_to_the_distance_between_words():
    [one] = statements_of("Rho; it (5) |")
    assert [token.surface for token in one.tokens] == ["Rho", "it", "5"]
    assert one.places == (1.0, 6.0, 8.0)  # 4 for the semicolon, 1 for the bracket


@given(TEXTS)
def test_statements_are_the_spans_of_the_text_with_a_growing_place_for_each_word(text):
    found = statements_of(text)
    assert [one.text for one in found] == [text[start:end] for start, end in statement_spans(text)]
    for one in found:
        assert len(one.places) == len(one.tokens)
        assert list(one.places) == sorted(set(one.places))
        assert one.stems == {token.stem for token in one.tokens}


def test_a_text_is_read_once():
    assert statements_of("It ran. It stopped.") is statements_of("It ran. It stopped.")
