"""Stems are those of Snowball, wherever words are compared."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from kohaku_lib.answering.extractive.text import term_of
from kohaku_lib.errors import SettingsError
from kohaku_lib.index.bm25.tokenising import tokenise
from kohaku_lib.settings import LexicalSettings
from kohaku_lib.text.stems import _OF_LANGUAGE, stem, stemmer_of


@pytest.mark.parametrize(
    ("word", "expected"),
    [("news", "news"), ("studies", "studi"), ("training", "train"), ("president", "presid"), ("element", "element")],
)
def test_the_index_and_the_reader_have_the_same_stems(word, expected):
    assert stem(word) == expected
    assert term_of(word) == expected
    assert tokenise(word, LexicalSettings()) == [expected]


def test_words_with_a_digit_stay_as_they_are():
    assert stem("h100s") == "h100s"


def test_the_stemmer_none_changes_no_word():
    assert stem("trained", "none") == "trained"


def test_an_unknown_stemmer_is_an_error_that_names_the_choices():
    with pytest.raises(SettingsError, match=r"'klingon'; choose one of .*'english'"):
        stem("a", "klingon")


def test_every_language_has_a_stemmer_that_exists():
    for language, stemmer in _OF_LANGUAGE.items():
        assert stem("a", stemmer) is not None
        assert stemmer_of(language, "auto") == stemmer
    assert stemmer_of("ja", "auto") == "none"


def test_threads_do_not_share_a_stemmer():
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(lambda _: stem("sleeping"), range(50))) == {"sleep"}
