"""A text in parts is masked as a whole, wherever the borders of its parts run."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.masking import masked_reply, remember_secret
from kohaku_lib.text.masked_stream import MaskedStream

KEY, OTHER = "sk-a1b2c3d4e5f6g7h8", "b2c3d4e5f6g7-token-x"  # the second begins like a part of the first
words = st.sampled_from([KEY, OTHER, KEY[:13], KEY[:11], "sk-", "x", " ", "b2c3", "token", KEY[3:], "ß"])


def streamed(parts):
    shown = []
    stream = MaskedStream(shown.append)
    for part in parts:
        stream.feed(part)
    stream.end()
    return shown


@given(st.lists(words, max_size=8).map("".join), st.lists(st.integers(0, 60), max_size=12))
def test_any_parts_of_a_text_are_shown_as_the_whole_is(text, cuts):
    remember_secret(KEY)
    remember_secret(OTHER)
    borders = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    parts = [text[begin:end] for begin, end in itertools.pairwise(borders)]
    assert "".join(streamed(parts)) == masked_reply(text)
    assert "".join(streamed(text)) == masked_reply(text)  # a letter at a time


def test_what_begins_no_secret_is_shown_at_once():
    remember_secret(KEY)
    stream = MaskedStream((shown := []).append)
    stream.feed("No wonder! ")
    assert shown == ["No wonder! "]
    stream.feed("It is sk-a1")
    assert shown[1:] == ["It is "]  # the rest may go on as the key does
    stream.feed("lone")
    assert "".join(shown[2:]) == "sk-a1lon"
