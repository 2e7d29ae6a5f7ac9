"""Documents whose titles a text contains."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from index_material import small_snapshot

from kohaku_lib.index.titles import TitleIndex

TITLES = [
    "Iowa",
    "Iowa City",
    "City Park",
    "Iowa",
    "rivers",
    "X",
    "J. M. Barrie",
    "Mercury (planet)",
    "O'Hare Field",
    "",
]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It lies in Iowa.", [0, 3]),
        ("Iowa City Park opened.", [1]),  # the longer at the same word, and what overlaps it is none
        ("iowa and rivers", []),  # lower case: a common word
        ("Did J. M. Barrie see Mercury in Iowa's capital?", [6, 7, 0, 3]),
        ("He wrote of J. M. and Barrie.", []),
        ("X marks it.", []),  # too short for a name
        ("O'Hare Field’s lights", [8]),
        ("", []),
    ],
)
def test_the_first_and_longest_titles_are_found_whole_words_only(text, found):
    assert TitleIndex(TITLES).documents_in(text) == found


@given(st.lists(st.sampled_from(["Ab", "Cd", "Ef", "Gh"]), max_size=8), st.integers(1, 4))
def test_what_is_found_is_what_a_scan_from_left_to_right_finds(words, longest):
    titles = ["Ab Cd", "Cd Ef Gh", "Abc", "Ef Ab", "Gh Gh Gh Gh"][:longest]
    expected, at = [], 0
    while at < len(words):
        starting = [title for title in titles if words[at : at + len(title.split())] == title.split()]
        best = max(starting, key=lambda title: len(title.split()), default=None)
        expected += [titles.index(best)] if best else []
        at += len(best.split()) if best else 1
    assert TitleIndex(titles).documents_in(" ".join(words)) == list(dict.fromkeys(expected))


def test_a_snapshot_numbers_its_titles_as_its_documents(tmp_path):
    snapshot = small_snapshot(tmp_path)
    assert snapshot.title_index.names == ["Cats", "Dogs"]
