"""Reference cells of people and models."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.values import format_refs, is_blank, parse_refs


@pytest.mark.parametrize(
    ("cell", "refs"),
    [
        ('["a", "b"]', ("a", "b")),
        ("['a','b']", ("a", "b")),
        ("[a,b]", ("a", "b")),
        ("a, b", ("a", "b")),
        ("luccioni2025b", ("luccioni2025b",)),
        ("is_blank", ()),
        ('["is_blank"]', ()),
        ("[]", ()),
        ("", ()),
        (None, ()),
        ('["is_blank", "x", "y", "x"]', ("x", "y")),
        ('["[ref_id=xia2024]"]', ("xia2024",)),
        ("ref_id=xia2024", ("xia2024",)),
        ('["strubell2019, jegham2025"]', ("strubell2019", "jegham2025")),
        ('["report,2020"]', ("report,2020",)),
        ("['b', 'a']", ("b", "a")),
        ("['a", ("a",)),
        ("[None, 'a']", ("a",)),
        ("[2020]", ("2020",)),
    ],
)
def test_cells_are_read(cell, refs):
    assert parse_refs(cell) == refs


def test_references_are_written_as_the_truth_writes_them():
    assert format_refs(["wu2021b", "patterson2021"]) == "['wu2021b','patterson2021']"
    assert format_refs([]) == "is_blank"


@given(st.lists(st.text(st.characters(categories=["L", "Nd"], include_characters="_.,%'-"), min_size=1), unique=True))
def test_what_is_written_is_read_again(refs):
    plain = [ref for ref in refs if ref == ref.strip("'") and not is_blank(ref)]
    assert parse_refs(format_refs(plain)) == tuple(plain)
