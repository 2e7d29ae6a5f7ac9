"""The optional channels: RAPTOR's summaries, LightRAG's two levels, and late interaction over candidates."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from index_material import LIBRARY, NOON, index_tables, word_vectors

from kohaku_lib.embedding.token_vectors import bytes_of
from kohaku_lib.index import SearchFilter, open_snapshot, write_snapshot
from kohaku_lib.index.graph import extract_mentions
from kohaku_lib.index.lightrag import find_themes
from kohaku_lib.index.raptor import summarise_nodes, summary_leaves
from kohaku_lib.index.summaries import ExtractiveSummariser
from kohaku_lib.retrieval import Retriever
from kohaku_lib.retrieval.channels.interface import Search
from kohaku_lib.retrieval.channels.late import search_late
from kohaku_lib.retrieval.channels.lightrag import search_lightrag
from kohaku_lib.retrieval.channels.raptor import search_raptor
from kohaku_lib.retrieval.search.search_channels import search_channels
from kohaku_lib.settings import LexicalSettings, RetrievalSettings, Settings
from kohaku_lib.tables import TOKEN_VECTORS

TREE = LIBRARY | {
    "ports": [[["a ship of Amber Bay carries leather to Cedar Mills."], ["from Cedar Mills to Amber Bay goes milk."]]],
    "other": [[["nothing is known of it."]]],
}
TABLES = index_tables(TREE)
ON = Settings.model_validate({"raptor": {"enabled": True}, "late": {"enabled": True}, "lightrag": {"enabled": True}})
OFF = {"fusion": "minmax", "dense_weight": 0.0, "lexical_weight": 0.0, "graph_weight": 0.0, "evidence_share": 0.0}


def words_as_tokens(texts):
    """One vector per word of a text that the word vectors know."""
    found = (word_vectors(text.split()) for text in texts)
    return [own[own.any(axis=1)] for own in found]


def tokens_table():
    rows = [row for row in TABLES.nodes.to_pylist() if row["kind"] == "sentence"]
    codes = [bytes_of(own) for own in words_as_tokens([row["text"] for row in rows])]
    columns = {"codes": [code for _, code in codes], "dim": [dim for dim, _ in codes]}
    return pa.table({"node_id": [row["node_id"] for row in rows], **columns}, schema=TOKEN_VECTORS)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    folder = tmp_path_factory.mktemp("engines")
    nodes, vectors, summariser = TABLES.nodes, TABLES.node_vectors, ExtractiveSummariser(20)
    mentions, _ = extract_mentions(nodes, ON.graph)
    summaries, _ = summarise_nodes(
        nodes, vectors, ON.raptor.model_copy(update={"cluster_size": 2}), summariser, word_vectors
    )
    themes, _ = find_themes(nodes, vectors, mentions, ON.lightrag, summariser, word_vectors)
    tables = replace(
        TABLES,
        mentions=mentions,
        summaries=summaries,
        summary_leaves=summary_leaves(summaries)[0],
        themes=themes,
        tokens=tokens_table(),
    )
    write_snapshot(folder, "v1", tables, ON, now=lambda: NOON)
    return open_snapshot(folder, "v1")


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plain")
    write_snapshot(folder, "v1", TABLES, Settings(), now=lambda: NOON)
    return open_snapshot(folder, "v1")


def search(snapshot, query, k=3, **more):
    settings = RetrievalSettings()
    return Search(snapshot, [query], word_vectors([query]), k, settings, LexicalSettings(), **more)


def ids(snapshot, ranking):
    return snapshot.column("node_id", snapshot.search_rows[ranking.rows])


def row_of(snapshot, node_id):
    return int(snapshot.search_row_of_node[snapshot.row_of(node_id)])


def test_raptor_finds_the_paragraphs_below_the_nearest_summaries(shelf):
    [(sentences, paragraphs)] = search_raptor(search(shelf, "a puppy and leather shoes"))
    assert len(sentences) == 0
    assert ids(shelf, paragraphs)[0] == "dogs:sec1:p2"
    assert np.all(np.diff(paragraphs.scores) <= 0)
    assert paragraphs.scores[0] <= 1.0


def test_the_score_of_a_paragraph_is_the_mean_of_its_cosine_and_that_of_its_nearest_summary(shelf):
    query = word_vectors(["kitten milk"])[0]
    [(_, paragraphs)] = search_raptor(search(shelf, "kitten milk", k=100))
    row = row_of(shelf, "cats:sec1:p2")
    members = summary_leaves_of(shelf, "cats:sec1:p2")
    summary = max(float(word_vectors([text])[0] @ query) for text in members)
    own = float(shelf.vectors()[row] @ query)
    assert paragraphs.scores[paragraphs.rows.tolist().index(row)] == pytest.approx((own + summary) / 2, abs=1e-6)


def summary_leaves_of(snapshot, node_id):
    """The texts of the summaries above a paragraph."""
    facts = snapshot.raptor.facts.to_pylist()
    above, texts = {node_id}, []
    for row in facts:
        if above & set(row["child_ids"]):
            above.add(row["summary_id"])
            texts.append(row["text"])
    return texts


def test_every_level_of_summaries_can_be_found(shelf):
    levels = shelf.raptor.facts["level"].to_pylist()
    groups, cosines = shelf.raptor.nearest(word_vectors(["cats sleep"])[0], len(levels))
    assert sorted(groups.tolist()) == list(range(len(levels)))
    assert set(levels) >= {1, 2}
    assert np.all(np.diff(cosines) <= 0)


def test_lightrag_finds_texts_by_the_names_and_by_the_themes_of_a_query(shelf):
    [(sentences, paragraphs)] = search_lightrag(search(shelf, "What does Amber Bay trade?"))
    assert set(ids(shelf, sentences)) == {"ports:sec1:p1:s1", "ports:sec1:p2:s1"}  # the query has no vector
    assert set(ids(shelf, paragraphs)) == {"ports:sec1:p1", "ports:sec1:p2"}
    [(by_theme, _)] = search_lightrag(search(shelf, "milk and leather"))
    assert set(ids(shelf, by_theme)) == {"ports:sec1:p1:s1", "ports:sec1:p2:s1"}
    assert by_theme.scores == pytest.approx([(1 + 0.5**0.5) / 4] * 2, abs=1e-6)
    [(both, _)] = search_lightrag(search(shelf, "the leather of Amber Bay"))
    assert both.scores[0] > max(by_theme.scores[0], sentences.scores[0])
    assert ids(shelf, both)[0] == "ports:sec1:p1:s1"


def test_late_interaction_orders_candidates_by_the_mean_of_the_best_cosines(shelf):
    rows = np.array([row_of(shelf, f"dogs:sec1:{name}") for name in ("p1:s1", "p1:s2", "p2:s1", "p1")])
    own = search(shelf, "dog sleeps", candidates=[np.sort(rows)], embed_tokens=words_as_tokens)
    [(sentences, paragraphs)] = search_late(own)
    # "Dogs bark." has one of the two words, "A dog sleeps for 12 hours." and its paragraph both.
    assert ids(shelf, sentences) == ["dogs:sec1:p1:s2", "dogs:sec1:p1:s1"]
    assert sentences.scores == pytest.approx([1.0, 0.5], abs=0.01)
    assert ids(shelf, paragraphs) == ["dogs:sec1:p1"]
    # "Puppies chew shoes. Shoes are leather." has a shoe twice, of which the best counts: (1 + 1) / 2.
    rows = np.array([row_of(shelf, "dogs:sec1:p2")])
    [(_, paragraphs)] = search_late(search(shelf, "shoe leather", candidates=[rows], embed_tokens=words_as_tokens))
    assert paragraphs.scores == pytest.approx([1.0], abs=0.01)


def test_late_interaction_is_searched_after_the_others_and_over_what_they_found(shelf):
    settings = RetrievalSettings(**(OFF | {"lexical_weight": 1.0, "late_weight": 1.0}))
    own = replace(search(shelf, "milk", k=100), settings=settings, embed_tokens=words_as_tokens)
    found = search_channels(own)
    [rankings] = found.rankings
    assert set(rankings.lists) == {"lexical", "late"}
    lexical, late = ({row for one in rankings.lists[name] for row in one.rows.tolist()} for name in ("lexical", "late"))
    assert late == lexical
    assert found.failures == {}
    without = replace(own, settings=settings.model_copy(update={"late_weight": 0.0}))
    assert set(search_channels(without).rankings[0].lists) == {"lexical"}


def test_without_a_model_of_tokens_late_interaction_fails_and_the_others_do_not(shelf):
    settings = RetrievalSettings(**(OFF | {"lexical_weight": 1.0, "late_weight": 1.0}))
    found = search_channels(replace(search(shelf, "milk"), settings=settings))
    assert list(found.failures) == ["late"]
    assert set(found.rankings[0].lists) == {"lexical"}


@pytest.mark.parametrize("find", [search_raptor, search_lightrag, search_late])
def test_an_index_without_the_engine_finds_nothing(plain, find):
    [lists] = find(search(plain, "Amber Bay milk"))
    assert [len(ranking) for ranking in lists] == [0, 0]


@pytest.mark.parametrize("find", [search_raptor, search_lightrag])
def test_a_query_that_names_nothing_and_is_near_to_nothing_finds_nothing(shelf, find):
    [lists] = find(search(shelf, "xyz"))
    assert [len(ranking) for ranking in lists] == [0, 0]


@pytest.mark.parametrize("weight", ["raptor_weight", "lightrag_weight", "late_weight"])
def test_nothing_is_found_that_a_filter_excludes(shelf, weight):
    settings = RetrievalSettings(**(OFF | {weight: 1.0, "dense_weight": 0.1, "related_share": 0.0}))
    where = SearchFilter(documents=("cats",))
    retriever = Retriever(shelf, settings, word_vectors, where=where, embed_tokens=words_as_tokens)
    [result] = retriever.retrieve([("q", ["milk of Amber Bay and a kitten"])])
    assert {match.document_id for match in result.matches} == {"cats"}


def test_the_engines_take_part_in_a_retrieval_and_in_its_trace(shelf):
    settings = RetrievalSettings(raptor_weight=0.2, lightrag_weight=0.2, late_weight=0.2)
    [result] = Retriever(shelf, settings, word_vectors, embed_tokens=words_as_tokens).retrieve([("q", ["kitten milk"])])
    assert result.matches[0].node_id.startswith("cats:sec1:p2")
    assert {"raptor", "lightrag", "late"} <= set(result.trace["channels"][0])
