"""Document ids never break node ids."""

import re

from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.documents import safe_document_id


@given(st.text(st.characters(codec="utf-8")))
def test_no_colon_and_no_blank_is_left(text):
    assert not re.search(r"[\s:]", safe_document_id(text))


@given(st.text("ab:% \u00a0/", max_size=6), st.text("ab:% \u00a0/", max_size=6))
def test_different_texts_give_different_ids(a, b):
    assert (safe_document_id(a) == safe_document_id(b)) == (a.strip() == b.strip())


def test_composed_and_decomposed_names_are_one_id():
    assert safe_document_id("caf\u0065\u0301") == safe_document_id("café") == "café"
