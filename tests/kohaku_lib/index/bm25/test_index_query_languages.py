"""Stems by the language of each document, and the language in which a query is read."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from index_material import documents_table, index_tables, nodes_table

from kohaku_lib.index import build_lexical, open_snapshot, tokenise, write_snapshot
from kohaku_lib.index.bm25.lexical_index import FieldWeights, QueryLanguages
from kohaku_lib.retrieval.channels.lexical import lexical_search
from kohaku_lib.settings import LexicalSettings, Settings

TREE = {
    "cats": [[["The cats were sleeping.", "Kittens drink milk."]]],
    "dogs": [[["Dogs bark at cats."]]],
    "katzen": [[["Die Katzen schlafen lange.", "Der Strom der Anlagen ist teuer."]]],
    "gatos": [[["Los gatos duermen siempre."]]],
}
LANGUAGES = {"cats": "en", "katzen": "de-AT", "gatos": "es"}


def with_languages(table):
    """The table with the language of each document in its metadata; of "dogs" none is known."""
    metadata = [
        json.dumps({"language": LANGUAGES[name]} if name in LANGUAGES else {})
        for name in table.column("document_id").to_pylist()
    ]
    return table.set_column(
        table.schema.get_field_index("metadata_json"), table.schema.field("metadata_json"), [metadata]
    )


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    folder, settings = tmp_path_factory.mktemp("languages"), Settings()
    nodes = with_languages(nodes_table(TREE))
    lexical, documents = build_lexical(nodes, settings.lexical)[0], with_languages(documents_table(TREE))
    tables = replace(index_tables(TREE), nodes=nodes, documents=documents, lexical=lexical)
    write_snapshot(folder, "v1", tables, settings)
    return open_snapshot(folder, "v1")


def best_sentences(snapshot, query):
    [(sentences, _)] = lexical_search(snapshot, [query], 9, LexicalSettings(**snapshot.meta["lexical"]))
    return snapshot.column("node_id", snapshot.search_rows[sentences.rows])


def test_each_document_is_stemmed_in_its_language_and_one_of_no_known_language_in_english():
    table, _ = build_lexical(with_languages(nodes_table(TREE)), LexicalSettings())
    tokens = dict(zip(table.column("node_id").to_pylist(), table.column("tokens").to_pylist(), strict=True))
    assert tokens["katzen:sec1:p1:s1"] == ["katz", "schlaf", "lang"]
    assert tokens["dogs:sec1:p1:s1"] == ["dog", "bark", "cat"]
    assert tokens["gatos:sec1:p1:s1"] == ["gat", "duerm", "siempr"]


def test_a_set_stemmer_counts_for_all_documents():
    table, _ = build_lexical(with_languages(nodes_table(TREE)), LexicalSettings(stemmer="english"))
    by_id = dict(zip(table.column("node_id").to_pylist(), table.column("tokens").to_pylist(), strict=True))
    assert by_id["katzen:sec1:p1:s1"] == ["die", "katzen", "schlafen", "lang"]


def test_the_languages_of_an_index_are_those_of_most_documents_first(snapshot):
    assert snapshot.lexical.languages.stemmers == ("english", "german", "spanish")


@pytest.mark.parametrize(
    ("query", "node"),
    [
        ("Wie lange schläft die Katze?", "katzen:sec1:p1:s1"),
        ("Katze schlafend", "katzen:sec1:p1:s1"),  # key words alone
        ("Stromes der Anlage", "katzen:sec1:p1:s2"),
        ("¿Dónde duerme el gato?", "gatos:sec1:p1:s1"),
        ("Which cat sleeps?", "cats:sec1:p1:s1"),
        ("sleeping", "cats:sec1:p1:s1"),
    ],
)
def test_a_question_is_read_in_the_language_that_covers_most_of_it(snapshot, query, node):
    assert best_sentences(snapshot, query)[0] == node


def test_words_of_titles_are_stemmed_as_their_documents(snapshot):
    # The title of the German document is "Katzen katzen".
    [scores] = [snapshot.lexical.scores(["katz"], FieldWeights(title=5.0))]
    rows = [snapshot.search_row_of_node[snapshot.row_of(f"katzen:sec1:p1:s{n}")] for n in (1, 2)]
    assert all(scores[row] > 0 for row in rows)


def test_of_languages_that_cover_as_much_that_of_most_documents_counts():
    read = QueryLanguages(["english", "german"], lambda term: False)
    assert read.terms("xylophones") == tokenise("xylophones", LexicalSettings())
    assert QueryLanguages(["german", "english"], lambda term: False).terms("Katzen") == ["katz"]


@given(st.text(max_size=40))
def test_an_index_of_one_language_reads_any_query_in_it(text):
    assert QueryLanguages(["english"], lambda term: True).terms(text) == tokenise(text, LexicalSettings())
