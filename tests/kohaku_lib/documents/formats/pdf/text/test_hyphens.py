"""Words broken at line ends become whole, real hyphens stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.documents.formats.pdf.text.hyphens import join_with_offsets, vocabulary_of

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
