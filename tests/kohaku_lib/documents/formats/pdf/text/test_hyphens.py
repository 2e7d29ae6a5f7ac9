"""Words broken at line ends become whole, real hyphens stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.documents.formats.pdf.text.hyphens import join_two, join_with_offsets, vocabulary_of

WORDS = st.text("abcdefg", min_size=2, max_size=8)


def join_lines(lines, vocabulary):
    text, offsets = join_with_offsets(lines, vocabulary)
    assert len(offsets) == len(lines)
    return text


@pytest.mark.parametrize(
    ("lines", "document", "text"),
    [
        (["environ-", "mental cost"], "", "environmental cost"),
        (["state-of-the-", "art"], "", "state-of-the-art"),
        (["a data-", "driven way"], "data-driven", "a data-driven way"),
        (["long-", "term use"], "", "long-term use"),
        (["sea and land-", "side walls"], "land side", "sea and land-side walls"),
        (["Trace-", "Monkey"], "TraceMonkey", "TraceMonkey"),
        (["Baden-", "Baden"], "", "Baden-Baden"),
        (["water-", "or wind-driven"], "", "water- or wind-driven"),
        (["a man-", "or house"], "man", "a manor house"),
        (["alle 50-", "und 60-jährigen"], "", "alle 50- und 60-jährigen"),
        (["long-", "and short-term"], "", "long- and short-term"),
        (["a thous-", "and and more"], "thousand", "a thousand and more"),
        (["GPT-", "4"], "", "GPT-4"),
        (["from 3 -", "5"], "", "from 3 - 5"),
        (["soft\u00ad", "ened re\u00adsin"], "", "softened resin"),
        (["see https://example.org/", "path"], "", "see https://example.org/path"),
        (["琥珀は", "化石"], "", "琥珀は化石"),
        (["one", "two"], "", "one two"),
        ([], "", ""),
    ],
)
def test_lines_are_joined_as_written(lines, document, text):
    assert join_lines(lines, vocabulary_of([*lines, document])) == text


@given(WORDS, st.integers(1, 7))
def test_a_word_known_from_elsewhere_is_always_made_whole(word, cut):
    left, right = word[:cut], word[cut:]
    if right:
        assert join_lines([left + "-", right], vocabulary_of([word])) == word


@given(st.lists(WORDS, min_size=1))
def test_lines_without_hyphens_only_gain_blanks(words):
    assert join_lines(words, vocabulary_of(words)) == " ".join(words)


@pytest.mark.parametrize(
    ("left", "right", "text"),
    [
        ("one", "two", "one two"),
        ("state-of-the-", "art", "state-of-the-art"),
        ("self-", "made", "self-made"),  # a prefix that keeps its hyphen
        ("Trace-", "Monkey", "Trace-Monkey"),
        ("ENVIRON-", "MENTAL", "ENVIRONMENTAL"),  # a heading in capitals
        ("2020–", "2021", "2020–2021"),
        ("a -", "b", "a - b"),
        ("at https://a.org/b_", "c", "at https://a.org/b_c"),
        ("and/", "or", "and/ or"),  # no URL
        ("den Haupt-", "und Nebeneingang", "den Haupt- und Nebeneingang"),
        ("pre-", "and post-war", "pre- and post-war"),
        ("the auth-", "or of it", "the author of it"),
        ("re\u00ad", "sin", "resin"),
        ("brig\u00ad", "and", "brigand"),  # a soft hyphen is always within a word
        ("re\u00ad", "(sin)", "re (sin)"),
        ("化", "石", "化石"),
        ("化", "stone", "化 stone"),
    ],
)
def test_two_pieces_are_joined_by_a_blank_a_hyphen_or_nothing(left, right, text):
    assert join_two(left, right, vocabulary_of([])) == text


@given(st.lists(st.text("ab -\u00ad化", min_size=1, max_size=6), max_size=5))
def test_offsets_rise_and_begin_within_the_text(lines):
    text, offsets = join_with_offsets(lines, vocabulary_of(lines))
    assert len(offsets) == len(lines)
    assert offsets == sorted(offsets)
    assert all(0 <= offset <= len(text) for offset in offsets)


def test_the_vocabulary_has_unbroken_words_and_compounds_with_their_parts():
    vocabulary = vocabulary_of(["A long‐term View of hyphen-", "ated words"])
    assert vocabulary.hyphenated == {"long-term"}
    assert vocabulary.words == {"a", "long", "term", "view", "of", "ated", "words"}
