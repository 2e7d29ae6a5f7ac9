"""What a filter leaves out is never ranked, by no channel and in no mode, and k counts what is allowed."""

from dataclasses import replace

import pyarrow as pa
import pytest
from index_material import LIBRARY, index_tables, nodes_table, vectors_table, word_vectors

from kohaku_lib.index import SearchFilter, open_snapshot, write_snapshot
from kohaku_lib.retrieval import Retriever
from kohaku_lib.retrieval.channels.dense import dense_search
from kohaku_lib.settings import RetrievalSettings, Settings, VectorsSettings

QUERY = "cat dog sleep hour"


def two_tenants(folder, precision):
    """The library, in which the dogs belong to another tenant; with direct paragraph vectors."""
    tables = index_tables()
    nodes = tables.nodes
    org_ids = ["kennel" if document == "dogs" else "default" for document in nodes.column("document_id").to_pylist()]
    position = nodes.schema.get_field_index("org_id")
    full = vectors_table(nodes.filter(pa.compute.equal(nodes.column("kind"), "paragraph")))
    own = replace(
        tables,
        nodes=nodes.set_column(position, nodes.schema.field("org_id"), pa.array(org_ids)),
        paragraph_vectors=full,
    )
    write_snapshot(folder, precision, own, Settings(vectors=VectorsSettings(precision=precision)))
    return open_snapshot(folder, precision)


@pytest.fixture(scope="module", params=["float32", "float16", "int8"])
def shared(request, tmp_path_factory):
    return two_tenants(tmp_path_factory.mktemp("shared"), request.param)


def documents_of(result):
    return {match.document_id for match in result.matches} | {snippet.document_id for snippet in result.snippets}


@pytest.mark.parametrize("fusion", ["append", "rrf", "weighted_rrf", "minmax", "bounded"])
@pytest.mark.parametrize("mode", ["averaged", "full", "both"])
def test_rows_of_another_tenant_are_never_returned(shared, fusion, mode):
    settings = RetrievalSettings(fusion=fusion, paragraph_search_mode=mode)
    for org_id, document in (("default", "cats"), ("kennel", "dogs")):
        found = Retriever(shared, settings, word_vectors, where=SearchFilter(org_id=org_id))
        [result] = found.retrieve([("q", [QUERY, "shoes and milk"])])
        assert documents_of(result) == {document}
    [nothing] = Retriever(shared, settings, word_vectors, where=SearchFilter(org_id="nobody")).retrieve(
        [("q", [QUERY])]
    )
    assert (nothing.matches, nothing.snippets) == ((), ())


@pytest.mark.parametrize("mode", ["averaged", "full", "both"])
def test_filters_are_applied_before_k(shared, mode):
    allowed = shared.allowed(SearchFilter(documents=("dogs",)))
    [(sentences, paragraphs)] = dense_search(shared, word_vectors([QUERY]), 2, mode=mode, allowed=allowed, rescore=4)
    assert (len(sentences), len(paragraphs)) == (2, 2)
    assert allowed[sentences.rows].all()
    assert allowed[paragraphs.rows].all()


@pytest.mark.parametrize("kind", ["sentence", "paragraph"])
def test_a_kind_that_is_left_out_is_not_brought_in_by_shared_evidence(shared, kind):
    found = Retriever(shared, RetrievalSettings(), word_vectors, where=SearchFilter(kinds=(kind,)))
    [result] = found.retrieve([("q", [QUERY])])
    assert {match.kind for match in result.matches} == {kind}


def test_a_filter_that_all_fulfil_costs_nothing(shared):
    assert shared.allowed(SearchFilter(documents=tuple(LIBRARY))) is None
    assert shared.allowed(SearchFilter(org_id="kennel")).sum() == sum(
        row["document_id"] == "dogs" and row["searchable"] for row in nodes_table(LIBRARY).to_pylist()
    )
