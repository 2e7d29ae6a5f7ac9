"""The language that the metadata of a document name."""

import pytest

from kohaku_lib.text.languages import language_of


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("en", "en"),
        ("EN_us", "en"),
        ("pt-BR", "pt"),
        ("deu", "de"),
        ("ENG-us", "en"),
        ("chi", "zh"),
        ("tlh", "tlh"),
        ("English", None),
        ("", None),
        (None, None),
        (3, None),
    ],
)
def test_codes_lose_their_region_and_third_letter_and_names_are_no_codes(value, code):
    assert language_of({"language": value}) == code
