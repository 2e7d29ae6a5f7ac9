"""Themes of a knowledge graph: pairs that two texts share, communities of those, and what their texts say."""

import numpy as np
import pyarrow as pa
import pytest
from index_material import index_tables, nodes_table, word_vectors

from kohaku_lib.index.graph import extract_mentions
from kohaku_lib.index.lightrag import find_themes
from kohaku_lib.index.lightrag.relations import strongest_relations
from kohaku_lib.index.summaries import ExtractiveSummariser, SummaryReport
from kohaku_lib.settings import GraphSettings, LightragSettings
from kohaku_lib.tables import MENTIONS

FIRMS = {
    "a": [[["a cat of Amber Bay purrs for Borealis Wind."], ["in Amber Bay sits Cedar Mills with a cat."]]],
    "b": [[["the milk of Amber Bay is sold by Borealis Wind."], ["near Cedar Mills by Amber Bay a kitten drinks."]]],
    "c": [[["at Borealis Wind and Cedar Mills dogs bark."], ["in Dorado Port a shoe of Echo Works was sold."]]],
    "d": [[["to Borealis Wind came Cedar Mills and a dog.", "it barks."]]],
}
TABLES = index_tables(FIRMS)
MENTIONED, _ = extract_mentions(nodes_table(FIRMS), GraphSettings())
LEAVES = [row["node_id"] for row in TABLES.nodes.to_pylist() if row["kind"] == "sentence"]
ORGS = pa.array(["one"] * TABLES.nodes.num_rows)
NODES = TABLES.nodes.set_column(TABLES.nodes.schema.get_field_index("org_id"), "org_id", ORGS)


def names_of(graph):
    return {tuple(sorted(graph.names[entity] for entity in pair)) for pair in graph.texts}


def themes(settings=None, summariser=None):
    own = summariser or ExtractiveSummariser(20)
    return find_themes(NODES, TABLES.node_vectors, MENTIONED, settings or LightragSettings(), own, word_vectors)


def test_names_are_related_that_two_texts_share_but_not_those_of_one():
    graph = strongest_relations(MENTIONED, LEAVES, 10)
    assert names_of(graph) == {
        ("Amber Bay", "Borealis Wind"),
        ("Amber Bay", "Cedar Mills"),
        ("Borealis Wind", "Cedar Mills"),
    }
    assert all(len(texts) == 2 for texts in graph.texts.values())


def test_the_strength_is_that_of_the_mutual_information():
    graph = strongest_relations(MENTIONED, LEAVES, 10)
    # Each name is in four of the seven texts that name any, and two have both: ln(2·7 / 16) < 0.
    assert set(graph.strengths.values()) == {0.0}
    rare = strongest_relations(MENTIONED, [name for name in LEAVES if name[0] in "ab"] + ["c:sec1:p2:s1"], 10)
    # Amber Bay in four of five, Borealis Wind in two, both in two: ln(2·5 / 8) / ln(5 / 2) · 2/3.
    assert max(rare.strengths.values()) == pytest.approx(np.log(10 / 8) / np.log(5 / 2) * 2 / 3)


def test_a_relation_that_a_text_states_needs_no_second_text():
    rows = [row for row in MENTIONED.to_pylist() if row["node_id"] == "c:sec1:p2:s1"]
    one, other = (row for row in rows if row["name"] in ("Dorado Port", "Echo Works"))
    one["relations"] = [{"target_id": other["entity_id"], "relation_type": "OWNS", "confidence": 0.9}]
    graph = strongest_relations(pa.Table.from_pylist(rows, schema=MENTIONS), LEAVES, 10)
    assert names_of(graph) == {("Dorado Port", "Echo Works")}
    assert list(graph.strengths.values()) == [1.0]


def test_only_the_strongest_relations_of_an_entity_are_kept():
    three = strongest_relations(MENTIONED, LEAVES, 2)
    fewer = strongest_relations(MENTIONED, LEAVES, 1)
    assert len(fewer.texts) < len(three.texts) == 3
    entities = {entity for pair in three.texts for entity in pair}
    assert {entity for pair in fewer.texts for entity in pair} == entities


def test_the_theme_of_a_relation_is_the_mean_of_its_texts_and_their_central_sentence():
    table, report = themes()
    rows = {row["text"].partition(":")[0]: row for row in table.to_pylist() if row["kind"] == "relation"}
    own = next(row for names, row in rows.items() if set(names.split(" – ")) == {"Borealis Wind", "Cedar Mills"})
    assert own["node_ids"] == ["c:sec1:p1:s1", "d:sec1:p1:s1"]
    mean = word_vectors(["dogs bark.", "a dog."]).mean(axis=0)
    np.testing.assert_allclose(own["vector"], mean / np.linalg.norm(mean), rtol=1e-5)
    assert own["org_id"] == "one"
    assert report.metrics["relations"] == 3.0


def connected(mentions=MENTIONED):
    """Mentions of which the texts of a and b state that all three firms are related."""
    rows = mentions.to_pylist()
    ids = {row["name"]: row["entity_id"] for row in rows}
    for row in rows:
        others = {"Amber Bay": ("Borealis Wind", "Cedar Mills"), "Borealis Wind": ("Cedar Mills",)}.get(row["name"], ())
        row["relations"] = [{"target_id": ids[name], "relation_type": "PART_OF", "confidence": 1.0} for name in others]
    return pa.Table.from_pylist(rows, schema=MENTIONS)


def communities(least=3, summariser=None):
    settings, own = LightragSettings(min_community=least), summariser or ExtractiveSummariser(20)
    table, report = find_themes(NODES, TABLES.node_vectors, connected(), settings, own, word_vectors)
    return [row for row in table.to_pylist() if row["kind"] == "community"], report


def test_entities_that_are_related_to_each_other_are_a_community_with_a_summary():
    [own], report = communities()
    assert len(own["entity_ids"]) == 3
    assert {name[0] for name in own["node_ids"]} == set("abcd")
    np.testing.assert_allclose(own["vector"], word_vectors([own["text"]])[0], rtol=1e-6)
    assert report.metrics["communities"] == 1.0


def test_a_community_of_fewer_entities_than_asked_for_has_no_theme():
    assert communities(least=4)[0] == []


def test_themes_are_the_same_each_time_and_a_graph_without_names_has_none():
    assert themes()[0].equals(themes()[0])
    empty = MENTIONS.empty_table()
    table, _ = find_themes(
        NODES, TABLES.node_vectors, empty, LightragSettings(), ExtractiveSummariser(20), word_vectors
    )
    assert table.num_rows == 0


def test_a_summary_that_a_model_failed_at_leaves_a_gap():
    class Failing(ExtractiveSummariser):
        def summarise(self, clusters):
            return SummaryReport(super().summarise(clusters).sentences, ("one was not summarised",))

    assert communities(summariser=Failing(20))[1].incomplete is not None
