"""One splitter of sentences, for the tree and for the reader."""

import pytest

from kohaku_lib.answering.extractive.text import statement_spans
from kohaku_lib.settings import TreeSettings
from kohaku_lib.text.sentences import ends_in_abbreviation, sentence_spans, spans_between
from kohaku_lib.tree.sentences import leaf_spans


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


def test_what_is_blank_is_no_span():
    assert spans_between("  a   b ", [4]) == [(2, 3), (6, 7)]
    assert spans_between("   ", [1]) == []


@pytest.mark.parametrize(
    ("left", "language", "is_one"),
    [
        ("vgl. Abb.", "de", True),
        ("vgl. Abb.", "en", False),
        ("am 3.", "de", True),
        ("am 3.", "en", False),
        ("la pág.", "es", True),
        ("von J. R.", "xx", True),
        ("Das Haus.", "de", False),
    ],
)
def test_abbreviations_belong_to_languages_and_initials_to_all(left, language, is_one):
    assert ends_in_abbreviation(left, language) is is_one
