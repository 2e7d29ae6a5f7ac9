"""Words in any script; n-grams where a script has no blanks between words."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.text.tokens import tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("北京大学", ["北京", "京大", "大学", "北", "京", "大", "学"]),
        ("水", ["水"]),
        ("第3章", ["第", "3", "章"]),
        ("型号KX-200的价格", ["型号", "型", "号", "kx-200", "的价", "价格", "的", "价", "格"]),
        ("東京。大阪", ["東京", "東", "京", "大阪", "大", "阪"]),  # no pair across a mark
        ("データ", ["デー", "ータ"]),
        ("ﾃﾞｰﾀ １２", ["デー", "ータ", "12"]),  # half-width kana and full-width digits
        ("서울의 날씨", ["서울", "울의", "날씨"]),
    ],
)
def test_pairs_of_characters_and_ideographs_stand_for_words_of_chinese_japanese_and_korean(text, expected):
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ทีมรับ", ["ทีม", "ีมร", "มรั", "รับ"]),  # the vowels above letters are characters
        ("ใน NFL", ["ใน", "nfl"]),
        ("ភាសា", ["ភាស", "ាសា"]),
    ],
)
def test_triples_of_characters_stand_for_words_of_thai_and_khmer(text, expected):
    assert tokens(text) == expected


def test_vowel_signs_of_indic_scripts_belong_to_their_word():
    assert tokens("हिंदी की किताब") == ["हिंदी", "की", "किताब"]


@pytest.mark.parametrize(("marked", "plain"), [("за́мок", "замок"), ("مُحَمَّد", "محمد"), ("שָׁלוֹם", "שלום")])
def test_optional_marks_make_no_other_word(marked, plain):
    assert tokens(marked) == tokens(plain) == [plain]


def test_a_letter_with_an_accent_is_one_however_it_is_encoded():
    assert tokens(unicodedata.normalize("NFD", "Übergröße café")) == ["übergröße", "café"]


@given(st.text(alphabet=st.sampled_from("aé3-'’,. \n中文かナーกิ한हि")))
def test_every_letter_and_digit_is_in_a_token_and_no_token_has_blanks(text):
    found = tokens(text)
    assert not any(character.isspace() for token in found for character in token)
    plain = unicodedata.normalize("NFKC", text).lower().replace("'s", "").replace("’s", "")
    assert {character for character in plain if character.isalnum()} == {
        character for token in found for character in token if character.isalnum()
    }


@given(st.text(alphabet="日本語学", min_size=2))
def test_a_substring_of_two_characters_or_more_shares_all_its_pairs(text):
    assert set(tokens(text[:-1] if len(text) > 2 else text)) <= set(tokens(text))
