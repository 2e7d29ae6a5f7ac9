"""Cells that hold a Python literal: lists are read, everything else is text, and nothing breaks the reader."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.evaluation.metrics.answers.kohaku import refs_kohaku
from kohaku_lib.evaluation.voting.sources import SourceCatalogue
from kohaku_lib.values import literal_list, parse_refs

HOSTILE = [
    "[{[]: 1}]",
    "[{{}}]",
    "[" * 500,
    "[" + "-" * 5000 + "1]",
    "[1" + "+1j" * 3000 + "]",
    "[\x00]",
    "['a'",
    "[*a]",
]


@pytest.mark.parametrize("cell", HOSTILE)
def test_a_cell_that_is_no_literal_is_no_list_and_breaks_no_reader(cell):
    assert literal_list(cell) is None
    assert all(isinstance(ref, str) for ref in parse_refs(cell))
    assert all(isinstance(ref, str) for ref in refs_kohaku(cell))
    SourceCatalogue([{"ref_id": cell, "ref_url": cell}])


@pytest.mark.parametrize("cell", ["", "a", "'a'", "{'a': 1}", "{'a'}", "7", "None"])
def test_other_literals_are_no_lists(cell):
    assert literal_list(cell) is None


@given(
    st.lists(
        st.one_of(st.text(max_size=5), st.integers(), st.none(), st.lists(st.text(max_size=3), max_size=2)), max_size=4
    )
)
def test_a_written_list_is_read_again(items):
    assert literal_list(f"  {items!r} ") == items
    assert literal_list(repr(tuple(items))) == items


@given(st.text(st.sampled_from("[](){}'\",: ab1-"), max_size=15))
def test_any_cell_has_references_in_text(cell):
    assert all(ref == ref.strip() and ref for ref in parse_refs(cell))


def test_addresses_are_read_from_lists_of_both_kinds_and_from_plain_texts():
    for cell in ("['https://a.org', 'https://b.org']", "[https://a.org,https://b.org]", "https://a.org, https://b.org"):
        sources = SourceCatalogue([{"ref_id": "['A','b']", "ref_url": cell}])
        assert sources.urls(("a", "B", "c")) == ["https://a.org", "https://b.org"]
