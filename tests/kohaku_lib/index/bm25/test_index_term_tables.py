"""Postings come by term however they were added, and the tables of terms hold what the texts hold."""

from collections import Counter
from itertools import pairwise

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kohaku_lib.index.bm25 import posting_order as module
from kohaku_lib.index.bm25.index_building import Postings, TermNumbers
from kohaku_lib.index.bm25.posting_order import POSTING, by_term
from kohaku_lib.index.bm25.term_tables import write_term_tables
from kohaku_lib.index.rows.table_rows import InMemoryRows

PAIRS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 5), st.integers(1, 99)), max_size=40)
LEXICAL = InMemoryRows(pa.table({"node_id": ["s1", "p1", "s2", "p2"]}))


@settings(max_examples=60, deadline=None)
@given(PAIRS, st.sets(st.integers(0, 40)), st.integers(1, 12))
def test_postings_come_by_term_and_text_in_parts_of_whole_terms(tmp_path_factory, pairs, cuts, at_once):
    found = np.array(pairs, POSTING)
    edges = sorted({0, len(pairs), *(cut for cut in cuts if cut < len(pairs))})
    blocks = [found[low:high] for low, high in pairwise(edges)]
    in_texts = np.bincount(found["term"], minlength=6)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "AT_ONCE", at_once)
        parts = [part.tolist() for part in by_term(blocks, in_texts, tmp_path_factory.getbasetemp())]
    assert [one for part in parts for one in part] == sorted(pairs, key=lambda one: (one[1], one[0]))
    terms = [{term for _, term, _ in part} for part in parts]
    assert all(len(part) <= at_once or len(own) == 1 for part, own in zip(parts, terms, strict=True))
    assert sum(map(len, terms)) == len({term for _, term, _ in pairs})


def test_nothing_is_left_of_the_file_that_parts_the_postings(tmp_path):
    parts = by_term([np.array([(0, 0, 1)], POSTING)], np.array([1]), tmp_path)
    assert [part.tolist() for part in parts] == [[(0, 0, 1)]]
    assert list(tmp_path.iterdir()) == []


def tables(folder, texts, kinds, lexical=LEXICAL):
    """The two tables of the texts, each a list of terms; `kinds` are rows of texts."""
    vocabulary, found = TermNumbers(), []
    vocabulary.numbers(pa.array(["title"]))  # of a title alone
    for number, rows in enumerate(kinds):
        postings = Postings(folder / str(number), len(rows))
        for text, row in enumerate(rows):
            terms = pa.array(texts[row], pa.string())
            postings.add(np.full(len(terms), text), vocabulary.numbers(terms))
        found.append((postings, np.array(rows, np.int32)))
    with duckdb.connect() as connection:
        write_term_tables(connection, folder, vocabulary, found, lexical)
        for postings, _ in found:
            postings.__exit__(None, None, None)
        return [connection.execute(f"SELECT * FROM {name}").fetchall() for name in ("lex_terms", "lex_postings")]


def test_terms_are_numbered_in_their_order_and_postings_stand_in_that_of_the_nodes(tmp_path):
    texts = [["tree", "ant", "tree"], ["über", "ant"], ["ant"], ["Zoo", "tree"]]
    terms, postings = tables(tmp_path, texts, [[0, 2], [1, 3]])
    assert terms == [(0, "Zoo", 1), (1, "ant", 3), (2, "tree", 2), (3, "über", 1)]
    assert postings == [
        (0, "p2", 1),
        (1, "s1", 1),
        (1, "p1", 1),
        (1, "s2", 1),
        (2, "s1", 2),
        (2, "p2", 1),
        (3, "p1", 1),
    ]


def test_an_index_without_a_text_has_empty_tables_of_the_same_types(tmp_path):
    nothing = InMemoryRows(pa.table({"node_id": pa.array([], pa.string())}))
    with Postings(tmp_path / "postings", 0) as none, duckdb.connect() as connection:
        write_term_tables(connection, tmp_path, TermNumbers(), [(none, np.empty(0, np.int32))], nothing)
        for name, second in (("lex_terms", "term"), ("lex_postings", "node_id")):
            described = connection.execute(f"DESCRIBE {name}").fetchall()
            assert [kind for _, kind, *_ in described] == ["INTEGER", "VARCHAR", "INTEGER"]
            assert described[1][0] == second
            assert connection.execute(f"SELECT * FROM {name}").fetchall() == []


@pytest.mark.parametrize("kind", [KeyboardInterrupt, OSError])
def test_what_stops_the_postings_is_told_as_it_is(tmp_path, kind):
    class Broken(Postings):
        def blocks(self):
            yield from super().blocks()
            raise kind(28, "No space left on device")

    vocabulary = TermNumbers()
    with Broken(tmp_path / "postings", 1) as postings, duckdb.connect() as connection:
        postings.add(np.array([0]), vocabulary.numbers(pa.array(["ant"])))
        with pytest.raises(kind, match="No space left"):
            write_term_tables(connection, tmp_path, vocabulary, [(postings, np.array([0], np.int32))], LEXICAL)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.lists(st.sampled_from("abcdé"), max_size=8), min_size=4, max_size=4), st.integers(1, 5))
def test_postings_are_the_counts_of_the_terms_of_each_text(tmp_path_factory, texts, at_once):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "AT_ONCE", at_once)
        terms, postings = tables(tmp_path_factory.mktemp("terms"), texts, [[0, 2], [1, 3]])
    ids = LEXICAL.table().column(0).to_pylist()
    name_of = {number: term for number, term, _ in terms}
    expected = {
        (term, one): times for one, text in zip(ids, texts, strict=True) for term, times in Counter(text).items()
    }
    assert {(name_of[number], one): times for number, one, times in postings} == expected
    assert {term: df for _, term, df in terms} == dict(Counter(term for term, _ in expected))
