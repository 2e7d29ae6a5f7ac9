"""The postings of one kind of text, read back from the files that an index is written to."""

import json

import numpy as np
import pytest
from index_material import small_snapshot

from kohaku_lib.index.bm25.term_index import TermIndex

VOCABULARY = "vocabulary.json"


@pytest.fixture(scope="module")
def sentences(tmp_path_factory):
    snapshot = small_snapshot(tmp_path_factory.mktemp("terms"))
    folder = snapshot.folder / "lexical"
    return TermIndex(folder / "sentence", json.loads((folder / VOCABULARY).read_text(encoding="utf-8")), 8)


def test_a_posting_tells_where_a_term_stands_and_how_rare_it_is(sentences):
    found = sentences.posting("dog")
    assert found.texts.tolist() == [4, 5]
    assert found.idf == pytest.approx(np.log(1 + 6.5 / 2.5))
    assert sentences.scores(["dog"])[found.texts].tolist() == found.scores.tolist()


def test_an_unknown_term_stands_nowhere_and_counts_nothing(sentences):
    assert len(sentences.posting("xylophone").texts) == 0
    assert not sentences.knows("xylophone")
    assert sentences.most(["xylophone"]) == 0.0


def test_the_most_counts_a_term_as_often_as_it_is_asked(sentences):
    assert sentences.most(["dog", "dog", "xylophone"]) == pytest.approx(2 * sentences.posting("dog").idf)


def test_an_index_that_is_missing_holds_nothing(tmp_path):
    nothing = TermIndex(tmp_path / "none", {"dog": 0}, 3)
    assert nothing.scores(["dog"]).tolist() == [0.0, 0.0, 0.0]
    assert not nothing.knows("dog")
    assert (len(nothing.posting("dog").texts), nothing.most(["dog"])) == (0, 0.0)


def test_the_file_is_read_once_for_each_term(sentences):
    assert sentences.posting("cat") is sentences.posting("cat")
