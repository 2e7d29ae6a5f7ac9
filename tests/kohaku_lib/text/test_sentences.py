"""One splitter of sentences, for the tree and for the reader."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.answering.extractive.text import statement_spans
from kohaku_lib.settings import TreeSettings
from kohaku_lib.text.sentences import ends_in_abbreviation, sentence_spans, spans_between
from kohaku_lib.tree.leaf_spans import leaf_spans


def pieces(text, spans):
    return [text[start:end] for start, end in spans]


@pytest.mark.parametrize(
    "sentences",
    [
        ["See No. 5 of the list.", "Next."],
        ["He said no.", "Then he left."],
        ["No.", "That is wrong."],
        ["It draws 300 W.", "Then it stops.", "J. Smith wrote it."],
        ["The ML.ENERGY Benchmark runs on ASP.NET.", "It is new."],
        ["As of 3 p.m. it ran.", "Version 2.0.1 is out."],
        ["The energy costs 4 kWh.", "“Is that much?” he asked."],
    ],
)
def test_the_tree_and_the_reader_split_alike(sentences):
    text = " ".join(sentences)
    assert pieces(text, sentence_spans(text)) == sentences
    assert pieces(text, leaf_spans(text, TreeSettings(min_sentence_chars=0))) == sentences
    assert pieces(text, statement_spans(text)) == sentences


def test_sentences_glued_by_a_lost_blank_are_two():
    text = "It ended there.Next comes more."
    assert pieces(text, sentence_spans(text)) == ["It ended there.", "Next comes more."]


def test_the_language_chooses_the_abbreviations():
    text = "Siehe Nr. 5 bzw. Abb. 3 im Text. Es gilt."
    assert pieces(text, sentence_spans(text, "de")) == ["Siehe Nr. 5 bzw. Abb. 3 im Text.", "Es gilt."]


THAI = "ก" * 30


@pytest.mark.parametrize(
    "sentences",
    [
        [THAI, THAI],  # parted by two blanks
        [" ".join([THAI] * 4), THAI],  # a single blank ends a sentence of 100 characters, here of 123
    ],
)
def test_thai_is_cut_at_blanks(sentences):
    blanks = "  " if len(sentences[0]) == len(THAI) else " "
    text = blanks.join(sentences)
    assert pieces(text, sentence_spans(text)) == sentences


def test_a_blank_beside_a_number_or_a_short_piece_ends_no_thai_sentence():
    text = f"{THAI * 4} 24 {THAI}"
    assert pieces(text, sentence_spans(text)) == [text]
    assert pieces("สี่  ครั้ง", sentence_spans("สี่  ครั้ง")) == ["สี่  ครั้ง"]


def test_what_is_blank_is_no_span():
    assert spans_between("  a   b ", [4]) == [(2, 3), (6, 7)]
    assert spans_between("   ", [1]) == []


@pytest.mark.parametrize(
    ("left", "language", "is_one"),
    [
        ("vgl. Abb.", "de", True),
        ("vgl. Abb.", "en", False),
        ("am 3.", "de", True),
        ("beim 3.", "de", True),
        ("Unserer 3.", "de", True),
        ("Jeder 3.", "de", True),
        ("ihre 3.", "de", True),
        ("waren 3.", "de", False),
        ("unsere 3.", "en", False),
        ("am 3.", "en", False),
        ("la pág.", "es", True),
        ("von J. R.", "xx", True),
        ("Das Haus.", "de", False),
    ],
)
def test_abbreviations_belong_to_languages_and_initials_to_all(left, language, is_one):
    assert ends_in_abbreviation(left, language) is is_one


@given(st.text(st.sampled_from('ab AB.!?\n1"”)。'), max_size=60), st.sampled_from([None, "en", "de", "ja", "xx"]))
def test_spans_are_in_order_apart_and_lose_only_white_space(text, language):
    spans = sentence_spans(text, language)
    assert all(start < end for start, end in spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    assert "".join("".join(pieces(text, spans)).split()) == "".join(text.split())
    assert all(piece == piece.strip() for piece in pieces(text, spans))


def test_a_text_longer_than_a_window_is_split_as_its_parts_would_be():
    sentence = "The room used 4 kWh in all. "
    text = sentence * 1500  # 42,000 characters: five windows
    assert pieces(text, sentence_spans(text)) == [sentence.strip()] * 1500


def test_a_text_without_any_blank_or_stop_is_one_sentence_however_long():
    assert sentence_spans("x" * 25_000) == [(0, 25_000)]


def test_a_full_stop_of_chinese_ends_a_sentence_in_a_long_text_without_blanks():
    text = "机房用了四度电。" * 3000
    assert len(sentence_spans(text, "zh")) == 3000


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("- one\n- two\n- three", 3),
        ("1. one\n2. two", 2),
        ("an aside\n- alone", 1),
        ("First part\n\nSecond part", 2),
        ("It ended.\n\nthen more", 2),
        ("「行く。」と言った。", 1),
        ("It was 3.5 in all, i.e. more.", 1),
        ("Was it so; he asked.", 1),
    ],
)
def test_lists_blank_lines_and_quotations(text, count):
    assert len(sentence_spans(text, "ja" if "」" in text else "en")) == count


def test_a_semicolon_ends_a_question_in_greek_only():
    assert len(sentence_spans("Πού είναι; Εδώ είναι.", "el")) == 2
    assert len(sentence_spans("Where is it; Here it is.", "en")) == 1
