"""The graph in a snapshot: relations by counts, search by one statement and by arrays, tenants apart."""

import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from graph_statement import search_by_statement
from hypothesis import given, settings
from hypothesis import strategies as st
from index_material import documents_table, index_tables, nodes_table

from kohaku_lib.index import extract_mentions, open_snapshot, write_snapshot
from kohaku_lib.index.graph import Keyword
from kohaku_lib.settings import GraphSettings, Settings
from kohaku_lib.tables import MENTIONS

NAMES = ("Amber Bay", "Borealis Wind", "Cobalt Pass", "Delta Works", "Amber Bay Harbour", "PUE", "GPT-9")
SENTENCE = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4).map(
    lambda names: f"it says {', '.join(names)} here."
)
DOCUMENT = st.lists(
    st.lists(st.lists(SENTENCE, min_size=1, max_size=3), min_size=1, max_size=2), min_size=1, max_size=2
)
KEYWORDS = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from([*map(str.lower, NAMES), "amber", "bay", "wind", "x"]), st.booleans()),
    max_size=8,
)


def written(folder, tree, owner_of=None, version="v1"):
    """A snapshot of `tree` with what the rules find in it; `owner_of` maps documents to tenants."""
    tables = index_tables(tree)
    nodes, documents = (owned(table, owner_of or {}) for table in (nodes_table(tree), documents_table(tree)))
    mentions, _ = extract_mentions(nodes, GraphSettings())
    write_snapshot(folder, version, replace(tables, nodes=nodes, documents=documents, mentions=mentions), Settings())
    return open_snapshot(folder, version)


def owned(table, owner_of):
    owners = pa.array([owner_of.get(name, "default") for name in table.column("document_id").to_pylist()], pa.string())
    return table.set_column(table.schema.get_field_index("org_id"), table.schema.field("org_id"), owners)


def asked(snapshot, *names, hops=0, org_id=None, exact=True):
    hits = snapshot.graph.search([Keyword(0, name, exact) for name in names], hops, org_id)
    return dict(zip(snapshot.column("node_id", hits.node_rows), hits.scores.tolist(), strict=True))


def told(snapshot, query):
    with snapshot.connect() as connection:
        return connection.sql(query).fetchall()


CHAIN = {
    "a": [[["the park of Amber Bay was sold to Borealis Wind."]]],
    "b": [[["a bridge by Borealis Wind leads over Cobalt Pass."]]],
    "c": [[["a tunnel runs below Cobalt Pass near Delta Works."]]],
}


@settings(max_examples=5, deadline=None)
@given(
    documents=st.lists(DOCUMENT, min_size=2, max_size=4),
    searches=st.lists(
        st.tuples(KEYWORDS, st.integers(0, 3), st.sampled_from([None, "ours", "theirs", "nobody"])),
        min_size=4,
        max_size=6,
    ),
)
def test_the_arrays_give_what_the_statement_gives(tmp_path_factory, documents, searches):
    tree = {f"d{number}": sections for number, sections in enumerate(documents)}
    owner_of = {f"d{number}": "ours" if number % 2 else "theirs" for number in range(len(documents))}
    snapshot = written(tmp_path_factory.mktemp("graph"), tree, owner_of)
    with snapshot.connect() as connection:
        for keywords, hops, org_id in searches:
            words = [Keyword(*keyword) for keyword in sorted(keywords, key=lambda keyword: keyword[0])]
            expected, found = (
                search_by_statement(connection, words, hops, org_id),
                snapshot.graph.search(words, hops, org_id),
            )
            assert found.queries.tolist() == expected.queries.tolist()
            np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-12)
            # equal sums may differ in their last bit, and then stand in another order
            assert sorted(pairs(found)) == sorted(pairs(expected))
            owners = {owner_of[document] for document in snapshot.column("document_id", found.node_rows)}
            assert org_id is None or owners <= {org_id}


def pairs(hits):
    return list(zip(hits.queries.tolist(), hits.node_rows.tolist(), strict=True))


def test_a_sentence_and_its_paragraph_are_found_by_an_entity_with_its_rarity(tmp_path):
    snapshot = written(tmp_path, CHAIN)
    found = asked(snapshot, "amber bay")
    nodes, confidence = snapshot.nodes.num_rows, 0.6
    assert (nodes, set(found)) == (12, {"a:sec1:p1:s1", "a:sec1:p1"})
    rarity = math.log(1 + 12 / 1) / math.log(1 + 12)
    assert found["a:sec1:p1"] == pytest.approx(rarity * confidence * rarity, abs=1e-6)


def test_each_hop_reaches_one_relation_further_and_weighs_less(tmp_path):
    others = {"z": [[[f"apart from them Model{letter}-1 is known." for letter in "abcdef"]]]}
    snapshot = written(tmp_path, CHAIN | others)
    reach = [{name[0] for name in asked(snapshot, "amber bay", hops=hops)} for hops in (0, 1, 2, 3)]
    assert reach == [{"a"}, {"a", "b"}, {"a", "b", "c"}, {"a", "b", "c"}]
    found = asked(snapshot, "amber bay", hops=3)
    assert found["a:sec1:p1"] > found["b:sec1:p1"] > found["c:sec1:p1"] > 0


def test_two_names_in_a_sentence_are_related_by_mutual_information(tmp_path):
    snapshot = written(tmp_path, CHAIN)
    [(kind, confidence)] = told(
        snapshot,
        "SELECT relation_type, relations.confidence FROM relations JOIN entities ON entity_id IN "
        "(source_entity_id, target_entity_id) WHERE canonical_name = 'amber bay'",
    )
    # together in 1 of 3 sentences, alone in 1 and 2: ln(1·3 / (1·2)) / ln(3 / 1), times 1 / 2
    assert kind == "RELATED_TO"
    assert confidence == pytest.approx(math.log(3 / 2) / math.log(3) / 2, abs=1e-6)


def test_a_sentence_of_many_names_relates_none(tmp_path):
    names = [f"Model{letter}-{number}" for number in range(2) for letter in "abcdefg"]
    snapshot = written(tmp_path, {"a": [[[f"the list holds {', '.join(names)}."], ["a word on Amber Bay."]]]})
    assert told(snapshot, "SELECT count(*) FROM entities")[0][0] >= 14
    assert told(snapshot, "SELECT count(*) FROM relations") == [(0,)]


def test_a_document_refers_from_its_title_to_the_names_in_it(tmp_path):
    tree = {"Amber": [[["it lies by the Cobalt Pass."]]], "Other": [[["it lies in Delta Works and Amber."]]]}
    snapshot = written(tmp_path, tree)
    pairs = told(
        snapshot,
        "SELECT one.name, two.name, relations.confidence FROM relations "
        "JOIN entities one ON one.entity_id = source_entity_id JOIN entities two ON two.entity_id = target_entity_id "
        "WHERE relation_type = 'REFERENCES' ORDER BY ALL",
    )
    assert pairs == [
        ("Amber", "Cobalt Pass", 1.0),
        ("Other", "Delta Works", 1.0),
    ]  # Amber is in both, so it tells nothing
    places = (
        "SELECT node_id, char_start, char_end FROM entity_mentions JOIN entities USING (entity_id) WHERE name = 'Other'"
    )
    assert told(snapshot, places) == [("Other", 0, 5)]


@pytest.mark.parametrize(
    ("keyword", "exact", "share"),
    [
        ("amber bay", True, 1.0),
        ("amber", False, 0.7),
        ("ber bay", False, 0.4),
        ("amber", True, None),
        ("bay", False, None),
    ],
)
def test_the_same_name_counts_more_than_its_beginning_and_that_more_than_a_part(tmp_path, keyword, exact, share):
    snapshot = written(tmp_path, CHAIN)
    whole = asked(snapshot, "amber bay")["a:sec1:p1"]
    found = asked(snapshot, keyword, exact=exact)
    assert found.get("a:sec1:p1") == (None if share is None else pytest.approx(share * whole))


def test_an_acronym_is_found_by_what_it_stands_for_also_where_that_is_not_said(tmp_path):
    tree = {"a": [[["the power usage effectiveness (PUE) fell."]]], "b": [[["their PUE rose again."]]]}
    snapshot = written(tmp_path, tree)
    assert {name[0] for name in asked(snapshot, "power usage effectiveness")} == {"a", "b"}
    assert told(snapshot, "SELECT alias FROM entity_aliases") == [("power usage effectiveness",)]


def test_only_five_keywords_and_twenty_entities_of_a_query_count(tmp_path):
    names = [f"Model{letter}-{number}" for number in range(3) for letter in "abcdefghij"]
    tree = {"d": [[[f"it is {name}."] for name in names]]}
    snapshot = written(tmp_path, tree)
    assert len(asked(snapshot, *(name.lower() for name in names))) == 2 * 5
    assert len(asked(snapshot, "model", exact=False)) == 2 * 20


def test_figures_and_dates_lead_nowhere(tmp_path):
    tree = {"a": [[["it took 24 days in May 2021 and cost $3 million."]]]}
    snapshot = written(tmp_path, tree)
    assert told(snapshot, "SELECT count(*) FROM entities") == [(3,)]
    assert asked(snapshot, "24 days", "may 2021", "$3 million") == {}


def test_equal_names_of_two_tenants_are_two_entities_that_know_nothing_of_each_other(tmp_path):
    tree = {
        "ours": [[["a park in Amber Bay is quiet."]]],
        "theirs": [[["the secret of Amber Bay is Delta Works."]]],
    }
    snapshot = written(tmp_path, tree, {"ours": "one", "theirs": "two"})
    assert told(snapshot, "SELECT org_id FROM entities WHERE name = 'Amber Bay' ORDER BY 1") == [("one",), ("two",)]
    assert {name.split(":")[0] for name in asked(snapshot, "amber bay", "delta works", hops=3, org_id="one")} == {
        "ours"
    }
    assert {name.split(":")[0] for name in asked(snapshot, "amber bay", hops=3, org_id="two")} == {"theirs"}
    assert asked(snapshot, "delta works", hops=3, org_id="one") == {}
    assert asked(snapshot, "amber bay", org_id="nobody") == {}


@pytest.mark.parametrize(
    ("owner", "target", "expected"),
    [("default", "works", [("OWNS", 1.0)]), ("two", "works", []), ("default", "nobody", []), ("default", "bay", [])],
)
def test_a_stated_relation_needs_two_ends_of_one_tenant_and_is_bounded(tmp_path, owner, target, expected):
    tree = {"a": [[["here Amber Bay is named."]]], "b": [[["here Delta Works is named."]]]}
    nodes, documents = (owned(table, {"b": owner}) for table in (nodes_table(tree), documents_table(tree)))
    mentions, _ = extract_mentions(nodes, GraphSettings())
    ids = dict(zip(("bay", "works"), mentions["entity_id"].to_pylist(), strict=True)) | {"nobody": "0"}
    stated = [[{"target_id": ids[target], "relation_type": "OWNS", "confidence": 7.0}], []]
    at, field = MENTIONS.get_field_index("relations"), MENTIONS.field("relations")
    mentions = mentions.set_column(at, field, pa.array(stated, field.type))
    tables = replace(index_tables(tree), nodes=nodes, documents=documents, mentions=mentions)
    write_snapshot(tmp_path, "v1", tables, Settings())
    assert told(open_snapshot(tmp_path, "v1"), "SELECT relation_type, confidence FROM relations") == expected


def test_a_document_read_again_replaces_its_mentions_and_relations(tmp_path):
    before = written(tmp_path, CHAIN)
    after = written(tmp_path, CHAIN | {"b": [[["nothing is named."]]]}, version="v2")
    assert "b:sec1:p1" in asked(before, "borealis wind")
    assert asked(after, "cobalt pass", hops=3).keys() == {"c:sec1:p1", "c:sec1:p1:s1"}
    assert told(after, "SELECT count(*) FROM relations WHERE document_id = 'b'") == [(0,)]


def test_the_tables_do_not_depend_on_how_often_they_are_built(tmp_path):
    query = "SELECT * FROM relations ORDER BY ALL"
    assert told(written(tmp_path, CHAIN), query) == told(written(tmp_path, CHAIN, version="v2"), query) != []


def test_an_index_without_mentions_is_searched_in_vain(tmp_path):
    write_snapshot(tmp_path, "v1", index_tables(), Settings())
    assert asked(open_snapshot(tmp_path, "v1"), "amber bay", hops=2) == {}


def test_the_entities_of_nodes_and_the_nodes_of_entities_are_told(tmp_path):
    snapshot = written(tmp_path, CHAIN)
    graph = snapshot.graph
    bay, wind = (graph.entities_named([name]) for name in ("amber bay", "borealis wind"))
    both = graph.entities_in(np.array([snapshot.row_of("a:sec1:p1")]))
    assert sorted(both.tolist()) == sorted([*bay.tolist(), *wind.tolist()])
    assert graph.entities_named(["no such name"]).tolist() == []
    nodes, of = graph.mentions(np.concatenate([bay, wind]), most=4)
    found = sorted(zip(snapshot.column("node_id", nodes), of.tolist(), strict=True))
    in_both = [(f"a:sec1:p1{part}", entity) for part in ("", ":s1") for entity in (0, 1)]
    assert found == [*in_both, ("b:sec1:p1", 1), ("b:sec1:p1:s1", 1)]
    rare_nodes, of_rare = graph.mentions(np.concatenate([bay, wind]), most=2)
    assert (len(rare_nodes), set(of_rare.tolist())) == (2, {0})


def test_entities_of_another_tenant_are_not_told(tmp_path):
    snapshot = written(tmp_path, CHAIN)
    row = np.array([snapshot.row_of("a:sec1:p1")])
    assert snapshot.graph.entities_in(row, "other").tolist() == []
    assert snapshot.graph.entities_named(["amber bay"], "other").tolist() == []
    assert len(snapshot.graph.entities_in(row, "default")) == 2


def test_rarity_falls_with_the_nodes_that_mention_a_name(tmp_path):
    graph = written(tmp_path, CHAIN).graph  # 12 nodes; the names' paragraphs derive their mentions from their sentences
    rarity = graph.rarity(graph.entities_named(["amber bay", "borealis wind"]))
    assert sorted(rarity.tolist()) == pytest.approx([math.log(1 + 12 / 2) / math.log(13), 1.0])
