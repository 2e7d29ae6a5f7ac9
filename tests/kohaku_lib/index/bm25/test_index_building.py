import json

import bm25s
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kohaku_lib.index.bm25 import posting_order as module
from kohaku_lib.index.bm25.index_building import Postings, TermNumbers
from kohaku_lib.settings import LexicalSettings

TEXTS = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=12), min_size=1, max_size=12)


def _saved(folder, texts, cuts=(), chosen=None):
    vocabulary = TermNumbers()
    with Postings(folder / "raw", len(texts)) as postings:
        for low, high in zip([0, *cuts], [*cuts, len(texts)], strict=True):
            numbers = np.repeat(np.arange(low, high), [len(text) for text in texts[low:high]])
            terms = [term for text in texts[low:high] for term in text]
            postings.add(numbers, vocabulary.numbers(pa.array(terms, pa.string())))
        postings.save(folder / "index", len(vocabulary), chosen or LexicalSettings())
    loaded = bm25s.BM25.load(str(folder / "index"), load_vocab=False, show_progress=False)
    vocabulary.save(folder / "vocabulary.json")
    loaded.vocab_dict = json.loads((folder / "vocabulary.json").read_text(encoding="utf-8"))
    return loaded


@settings(max_examples=40, deadline=None)
@given(TEXTS.filter(any), st.integers(1, 6), st.data())
def test_the_scores_are_those_of_bm25s_however_the_texts_come(tmp_path_factory, texts, at_once, data):
    cuts = sorted(data.draw(st.sets(st.integers(1, len(texts)), max_size=3)) - {len(texts)})
    chosen = LexicalSettings(k1=data.draw(st.sampled_from([0.6, 1.5])), b=data.draw(st.sampled_from([0.0, 0.75])))
    expected = bm25s.BM25(method="lucene", k1=chosen.k1, b=chosen.b)
    expected.index(texts, show_progress=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "AT_ONCE", at_once)
        found = _saved(tmp_path_factory.mktemp("postings"), texts, cuts, chosen)
    for term in set().union(*texts):
        ours, theirs = (one.get_scores_from_ids(one.get_tokens_ids([term])) for one in (found, expected))
        np.testing.assert_array_equal(ours, theirs)


def test_the_score_of_a_term_is_its_idf_times_its_saturated_count(tmp_path):
    found = _saved(tmp_path, [["cat", "cat"], ["dog"], ["dog"]], chosen=LexicalSettings(k1=1.2, b=0.5))
    idf = np.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    expected = idf * 2 / (1.2 * (0.5 + 0.5 * 2 / (4 / 3)) + 2)
    assert found.get_scores(["cat"]).tolist() == pytest.approx([expected, 0, 0])


def test_a_text_without_terms_counts_as_a_text_of_no_length(tmp_path):
    with Postings(tmp_path / "raw", 3) as postings:
        postings.add(np.array([1, 1]), np.array([0, 0]))
        assert postings.lengths.tolist() == [0, 2, 0]


def test_the_file_of_raw_postings_goes_even_where_writing_fails(tmp_path):
    with pytest.raises(ZeroDivisionError), Postings(tmp_path / "raw", 1):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_terms_keep_their_numbers_from_batch_to_batch():
    vocabulary = TermNumbers()
    assert vocabulary.numbers(pa.array(["b", "a", "b"])).tolist() == [0, 1, 0]
    assert vocabulary.numbers(pa.array([], pa.string())).tolist() == []
    assert vocabulary.numbers(pa.array(["c", "a"])).tolist() == [2, 1]
    assert vocabulary.terms().to_pylist() == ["b", "a", "c"]


@given(st.lists(st.lists(st.text(max_size=3), max_size=6), max_size=4))
def test_a_vocabulary_numbers_terms_as_a_dictionary_would_and_reads_back_so(tmp_path_factory, batches):
    vocabulary, expected = TermNumbers(), {}
    for terms in batches:
        numbers = [expected.setdefault(term, len(expected)) for term in terms]
        assert vocabulary.numbers(pa.array(terms, pa.string())).tolist() == numbers
    path = tmp_path_factory.getbasetemp() / "vocabulary.json"
    vocabulary.save(path)
    assert json.loads(path.read_text(encoding="utf-8")) == expected
    assert (vocabulary.terms().to_pylist(), len(vocabulary)) == (list(expected), len(expected))
