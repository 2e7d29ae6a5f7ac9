"""The tree of summaries: levels, tenants, lineage to the paragraphs, and a model that fails."""

from functools import partial

import numpy as np
import pyarrow as pa
from index_material import LIBRARY, index_tables, word_vectors

from kohaku_lib.index.raptor import summarise_nodes, summary_leaves
from kohaku_lib.index.summaries import ExtractiveSummariser, SummaryReport
from kohaku_lib.settings import RaptorSettings

TABLES = index_tables(LIBRARY)
PARAGRAPHS = {"cats:sec1:p1", "cats:sec1:p2", "cats:sec2:p1", "dogs:sec1:p1", "dogs:sec1:p2"}


def tree(nodes=TABLES.nodes, size=2, levels=4, tokens=10, summariser=None):
    settings = RaptorSettings(enabled=True, cluster_size=size, levels=levels, summary_tokens=max(tokens, 20))
    own = summariser or ExtractiveSummariser(tokens)
    return summarise_nodes(nodes, TABLES.node_vectors, settings, own, word_vectors)


def of_tenants(*names):
    owners = pa.array(
        [names[0] if row.startswith("cats") else names[-1] for row in TABLES.nodes["node_id"].to_pylist()]
    )
    return TABLES.nodes.set_column(TABLES.nodes.schema.get_field_index("org_id"), "org_id", owners)


NODES = of_tenants("default")
build = partial(tree, NODES)


def test_a_level_has_the_summaries_of_the_level_below_until_there_is_one():
    table, report = build()
    levels = table["level"].to_pylist()
    assert levels == sorted(levels)
    assert levels.count(max(levels)) == 1
    known = set(PARAGRAPHS)
    for row in table.to_pylist():
        assert 1 <= len(row["child_ids"]) <= 2
        assert set(row["child_ids"]) <= known
        known.add(row["summary_id"])
    assert report.metrics == {"summaries": float(table.num_rows), "levels": float(max(levels))}


def test_the_levels_end_where_they_are_set_to():
    assert set(build(levels=1)[0]["level"].to_pylist()) == {1}


def test_a_summary_is_made_of_sentences_below_it_and_its_vector_is_that_of_its_text():
    sentences = {text for sections in LIBRARY.values() for section in sections for p in section for text in p}
    for row in build()[0].to_pylist():
        assert any(text in row["text"] for text in sentences)
        np.testing.assert_allclose(row["vector"], word_vectors([row["text"]])[0], rtol=1e-6)


def test_the_lineage_leads_from_every_summary_to_its_paragraphs():
    table, _ = build()
    leaves, report = summary_leaves(table)
    top = table["summary_id"].to_pylist()[-1]
    below = [row["node_id"] for row in leaves.to_pylist() if row["summary_id"] == top]
    assert sorted(below) == sorted(PARAGRAPHS)
    first = [row["node_id"] for row in leaves.to_pylist() if row["level"] == 1]
    assert sorted(first) == sorted(PARAGRAPHS)
    assert report.rows_computed == leaves.num_rows


def test_paragraphs_of_two_tenants_share_no_summary():
    table, _ = tree(of_tenants("one", "two"))
    leaves = summary_leaves(table)[0].to_pylist()
    owner = dict(zip(table["summary_id"].to_pylist(), table["org_id"].to_pylist(), strict=True))
    assert {(owner[row["summary_id"]], row["node_id"].split(":")[0]) for row in leaves} == {
        ("one", "cats"),
        ("two", "dogs"),
    }


def test_the_same_nodes_have_the_same_tree_and_fewer_than_two_paragraphs_none():
    assert build()[0].equals(build()[0])
    assert tree(NODES.slice(0, 3))[0].num_rows == 0


def test_summaries_that_a_model_failed_at_leave_a_gap():
    class Failing(ExtractiveSummariser):
        def summarise(self, clusters):
            return SummaryReport(super().summarise(clusters).sentences, (f"{clusters[0].name} was not summarised",))

    _, report = build(summariser=Failing(10))
    assert report.incomplete is not None
    assert report.problems[0].startswith("summary:1:")
