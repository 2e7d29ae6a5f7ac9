import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_material import LIBRARY, nodes_table, small_snapshot

from kohaku_lib.index import build_lexical, tokenise
from kohaku_lib.index.bm25 import lexical_index
from kohaku_lib.index.bm25.lexical_index import FieldWeights
from kohaku_lib.settings import LexicalSettings

WEIGHTS = st.builds(FieldWeights, st.floats(0, 10), st.floats(0, 10))

PLAIN = LexicalSettings(stemmer="none")


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("GPT-3", ["gpt-3", "gpt", "3"]),
        ("4.3", ["4.3", "4", "3"]),
        ("CO2e", ["co2e", "co", "2", "e"]),
        ("1,287.5 MWh", ["1287.5", "1287", "5", "mwh"]),
        ("12,34", ["12,34", "12", "34"]),  # no thousands comma
        ("ﬁne CO₂", ["fine", "co2", "co", "2"]),
        ("snake_case", ["snake", "case"]),
        ("(see Fig. 3).", ["see", "fig", "3"]),
        ("energy/token", ["energy/token", "energy", "token"]),
        ("Boeing's and O’Neill’s costs", ["boeing", "o'neill", "o", "neill", "costs"]),
        ("Übung", ["übung"]),
        ('"a AND b" NOT *', ["b"]),  # search syntax is only words
        ("北京大学GPT-3", ["北京", "京大", "大学", "北", "京", "大", "学", "gpt-3", "gpt", "3"]),
        ("कीमत ५", ["कीमत", "5"]),
        ("", []),
        (" .,;- ", []),
    ],
)
def test_compounds_stand_whole_and_in_parts(text, terms):
    stopped = {"a", "and", "not"}
    assert [term for term in tokenise(text, PLAIN) if term not in stopped] == terms


def test_english_words_are_stemmed_and_stop_words_left_out():
    assert tokenise("The cats were sleeping", LexicalSettings()) == ["cat", "sleep"]


def test_another_language_has_its_own_stems_and_stop_words():
    assert tokenise("Die Katzen und der Hund", LexicalSettings(stemmer="german")) == ["katz", "hund"]


def test_words_with_digits_are_never_stemmed():
    assert tokenise("H100s", LexicalSettings())[0] == "h100s"


@given(st.text())
def test_tokens_are_never_empty_and_case_does_not_matter_for_ascii(text):
    tokens = tokenise(text, PLAIN)
    assert all(tokens)
    if text.isascii():
        assert tokens == tokenise(text.upper(), PLAIN)


def test_only_searchable_sentences_and_paragraphs_are_indexed():
    nodes = nodes_table(LIBRARY)
    nodes = nodes.set_column(
        nodes.schema.get_field_index("searchable"),
        nodes.schema.field("searchable"),
        [[node_id != "cats:sec1:p2:s1" and kind != "section" for node_id, kind in _ids_and_kinds(nodes)]],
    )
    table, report = build_lexical(nodes, LexicalSettings())
    ids = table.column("node_id").to_pylist()
    assert report.rows_computed == len(ids) == 12
    assert "cats:sec1:p2:s1" not in ids
    assert table.to_pylist()[1] == {"node_id": "cats:sec1:p1:s1", "tokens": ["cat", "sleep", "15", "hour"]}


def test_bm25_is_that_of_lucene_with_the_mean_length_of_its_own_kind(tmp_path):
    snapshot = small_snapshot(tmp_path)
    scores = snapshot.lexical.scores(["milk"])
    # "milk" is in 1 of 8 sentences (3 of their 25 terms) and in 1 of 5 paragraphs (the same 25 terms).
    assert np.flatnonzero(scores).tolist() == [2, 9]
    lengths = [4, 4, 3, 3, 2, 4, 3, 2]  # without stop words

    def expected(documents: int, mean: float) -> float:
        idf = math.log(1 + (documents - 1 + 0.5) / 1.5)
        return idf * 1 / (1 + 0.9 * (1 - 0.4 + 0.4 * 3 / mean))

    assert scores[2] == pytest.approx(expected(8, sum(lengths) / 8), rel=1e-5)
    assert scores[9] == pytest.approx(expected(5, sum(lengths) / 5), rel=1e-5)


@settings(max_examples=12, deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=3).filter(any))
def test_a_word_in_some_or_all_of_a_few_texts_counts_in_each_that_has_it(tmp_path_factory, has_it):
    tree = {f"d{n}": [[["The ferry waits." if has else "Nothing leaves."]]] for n, has in enumerate(has_it)}
    scores = small_snapshot(tmp_path_factory.mktemp("few"), tree).lexical.scores(["ferri"])
    assert (scores > 0).tolist() == [*has_it, *has_it]  # the sentences, then the paragraphs


def test_unknown_terms_and_none_give_zeros(tmp_path):
    lexical = small_snapshot(tmp_path).lexical
    assert not lexical.scores(["xylophone"]).any()
    assert not lexical.scores([]).any()
    assert lexical.scores(["milk", "xylophone"]).tolist() == lexical.scores(["milk"]).tolist()


def _ids_and_kinds(nodes):
    return zip(nodes.column("node_id").to_pylist(), nodes.column("kind").to_pylist(), strict=True)


def test_the_files_are_the_same_however_few_rows_are_read_at_once(tmp_path, monkeypatch):
    whole = small_snapshot(tmp_path / "whole").folder / "lexical"
    monkeypatch.setattr(lexical_index, "BATCH_ROWS", 1)
    parted = small_snapshot(tmp_path / "parted").folder / "lexical"
    files = sorted(path.relative_to(whole) for path in whole.rglob("*.*"))
    assert len(files) > 10
    assert {name: (parted / name).read_bytes() for name in files} == {
        name: (whole / name).read_bytes() for name in files
    }


def test_a_word_of_the_title_counts_as_occurrences_in_each_text_of_the_document(tmp_path):
    # The titles are "Cats cats" and "Dogs dogs", of title and id.
    lexical = small_snapshot(tmp_path).lexical
    scores = lexical.scores(["dog"], FieldWeights(title=0.5))
    # "dog" is in 2 of 8 sentences of 25 / 8 terms on average: "Dogs bark." and "A dog sleeps for 12 hours."
    idf = math.log(1 + (8 - 2 + 0.5) / 2.5)
    occurrences = [1 / (0.6 + 0.4 * length / (25 / 8)) + 0.5 for length in (2, 4)]
    only_title = idf * 0.5 / (0.5 + 0.9)
    expected = [0, 0, 0, 0, *(idf * tf / (tf + 0.9) for tf in occurrences), only_title, only_title]
    assert scores[:8].tolist() == pytest.approx(expected, rel=1e-5)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(["cat", "dog", "sleep", "milk", "bark", "xylophone"]), max_size=5), WEIGHTS)
def test_no_score_exceeds_the_most_that_is_possible(tmp_path_factory, terms, weights):
    lexical = _shared(tmp_path_factory)
    scores = lexical.scores(terms, weights)
    sentences, paragraphs = lexical.most(terms)
    assert scores[:8].max() <= sentences + 1e-5
    assert scores[8:].max() <= paragraphs + 1e-5


def test_without_weight_or_a_titled_term_the_title_changes_nothing(tmp_path):
    lexical = small_snapshot(tmp_path).lexical
    assert lexical.scores(["dog"], FieldWeights()).tolist() == lexical.scores(["dog"]).tolist()
    assert (
        lexical.scores(["milk", "bark"], FieldWeights(title=2.0)).tolist() == lexical.scores(["milk", "bark"]).tolist()
    )


def test_a_word_of_a_heading_counts_as_occurrences_in_each_text_of_the_section(tmp_path):
    tree = {"boeing_2022": [[["Revenue rose."]], [["Revenue fell."]]]}
    nodes = nodes_table(tree)
    at = nodes.schema.get_field_index("title")
    headings = ["Boeing", *["Aircraft"] * 3, *["Space"] * 3]
    nodes = nodes.set_column(at, nodes.schema.field(at), [headings])
    lexical = small_snapshot(tmp_path, tree, nodes=nodes).lexical
    idf = math.log(1 + (2 + 0.5) / 0.5)  # of a term in none of 2 sentences, as of 2 paragraphs
    found = lexical.scores(["space"], FieldWeights(title=0.5, heading=0.5))
    assert found.tolist() == pytest.approx([0, idf * 0.5 / 1.4, 0, idf * 0.5 / 1.4], rel=1e-5)
    assert not lexical.scores(["space"], FieldWeights(title=0.5)).any()


def test_a_title_finds_texts_that_lack_its_words(tmp_path):
    tree = {"boeing_2022": [[["Revenue rose."]]], "amcor_2022": [[["Revenue rose."]]]}
    scores = small_snapshot(tmp_path, tree).lexical.scores(["boe", "revenu"], FieldWeights(title=0.5))
    assert scores[0] > scores[1] > 0


def test_titles_count_in_paragraphs_where_no_sentence_is_searched(tmp_path):
    nodes = nodes_table(LIBRARY)
    kinds = nodes.column("kind").to_pylist()
    at = nodes.schema.get_field_index("searchable")
    alone = nodes.set_column(at, nodes.schema.field(at), [[kind == "paragraph" for kind in kinds]])
    lexical, _ = build_lexical(alone, LexicalSettings())
    scores = small_snapshot(tmp_path / "alone", nodes=alone, lexical=lexical).lexical.scores(
        ["dog"], FieldWeights(title=0.5)
    )
    assert (
        scores.tolist()
        == small_snapshot(tmp_path / "both").lexical.scores(["dog"], FieldWeights(title=0.5))[8:].tolist()
    )


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(["cat", "dog", "sleep", "milk", "bark"]), max_size=5), WEIGHTS)
def test_fields_never_lower_a_score_and_the_order_of_terms_does_not_matter(tmp_path_factory, terms, weights):
    lexical = _shared(tmp_path_factory)
    scores = lexical.scores(terms, weights)
    assert (scores >= lexical.scores(terms) - 1e-6).all()
    np.testing.assert_allclose(scores, lexical.scores(terms[::-1], weights), rtol=1e-5, atol=1e-6)


_LEXICAL = []


def _shared(tmp_path_factory):
    if not _LEXICAL:
        _LEXICAL.append(small_snapshot(tmp_path_factory.mktemp("titles")).lexical)
    return _LEXICAL[0]
