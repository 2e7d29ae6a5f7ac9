"""Bytes of any encoding become text."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.documents.formats.shared.decoding import decode_text, repair_double_encoding


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        ("é\n".encode(), "é\n", "utf-8"),
        ("\ufeffid\r\n".encode(), "id\n", "utf-8-sig"),
        ("id,é".encode("utf-16"), "id,é", "utf-16"),
        ("Mélange – “amber”".encode("windows-1252"), "Mélange – “amber”", "windows-1252"),
        (b"a\rb", "a\nb", "utf-8"),
        (b"", "", "utf-8"),
    ],
)
def test_common_encodings_are_distinguished(data, text, encoding):
    decoded = decode_text(data)
    assert (decoded.text, decoded.encoding, decoded.replaced_bytes) == (text, encoding, 0)


def test_utf8_and_windows_bytes_may_be_mixed_in_one_file():
    assert decode_text("Mélange, M".encode() + b"\xe9lange").text == "Mélange, Mélange"


def test_bytes_without_meaning_are_replaced_and_counted():
    decoded = decode_text(b"amber \x81 and \x8d")
    assert decoded.text == "amber \ufffd and \ufffd"
    assert decoded.replaced_bytes == 2


def test_shift_jis_is_detected():
    text = "琥珀は、天然樹脂の化石であり、宝石である。バルト海の琥珀は約四千四百万年前のものである。" * 4
    assert decode_text(text.encode("shift_jis")).text == text


@pytest.mark.parametrize(
    ("broken", "whole"),
    [("MÃ©lange", "Mélange"), ("itâ€™s", "it’s"), ("Ã© and é", "é and é"), ("Ã¤Ã¶", "äö"), ("plain Â", "plain Â")],
)
def test_doubly_encoded_text_is_mended(broken, whole):
    assert repair_double_encoding(broken) == whole


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0\r\ufeff")))
def test_every_utf8_text_comes_back(text):
    assert decode_text(text.encode()).text == text


def test_a_long_file_of_stray_bytes_takes_time_in_proportion_to_its_length():
    # Half a million stray bytes: a new slice of the rest for each of them would take minutes.
    piece = "Déjà vu. "
    start = time.process_time()
    decoded = decode_text((piece * 250_000).encode("windows-1252"))
    assert time.process_time() - start < 10
    assert decoded.text == piece * 250_000
