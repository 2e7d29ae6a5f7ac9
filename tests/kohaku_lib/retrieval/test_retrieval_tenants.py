"""Two tenants with the same words in one index: whatever is asked, nothing of the other's is found, traced or kept."""

import json
from dataclasses import replace

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from index_material import WORDS, documents_table, index_tables, word_vectors

from kohaku_lib.index import SearchFilter, open_snapshot, write_snapshot
from kohaku_lib.retrieval import Retriever
from kohaku_lib.retrieval.document_prior import document_priors
from kohaku_lib.settings import LexicalSettings, RetrievalSettings, Settings

SENTENCE = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
DOCUMENT = st.lists(
    st.lists(st.lists(SENTENCE, min_size=1, max_size=3), min_size=1, max_size=2), min_size=1, max_size=2
)
COMPOSITION = st.builds(
    RetrievalSettings,
    fusion=st.sampled_from(["append", "rrf", "weighted_rrf", "minmax", "bounded"]),
    rerank=st.sampled_from(["frequency", "score", "combined", "none"]),
    snippet_dedup=st.sampled_from(["none", "node_id", "tree"]),
    parent_limit=st.sampled_from(["paragraph", "section", "document"]),
    parent_depth=st.integers(0, 3),
    child_depth=st.integers(0, 2),
    top_k=st.integers(1, 8),
    bm25_top_k=st.integers(0, 3),
    context_tokens=st.integers(50, 200),
)


def shared_index(folder, documents, owners):
    """An index in which document i, named d<i>, belongs to owners[i]."""
    tree = {f"d{number}": sections for number, sections in enumerate(documents)}
    tables = index_tables(tree)
    owner_of = dict(zip(tree, owners, strict=True))
    nodes = owned(tables.nodes, owner_of)
    write_snapshot(
        folder, "v1", replace(tables, nodes=nodes, documents=owned(documents_table(tree), owner_of)), Settings()
    )
    return open_snapshot(folder, "v1"), owner_of


def owned(table, owner_of):
    owners = pa.array([owner_of[document] for document in table.column("document_id").to_pylist()])
    return table.set_column(table.schema.get_field_index("org_id"), table.schema.field("org_id"), owners)


def named(value):
    """Every document named anywhere in a result, as each node's id begins with it."""
    texts = json.dumps(value).replace('"', " ").replace(":", " ").split()
    return {text for text in texts if text.startswith("d") and text[1:].isdigit()}


@settings(max_examples=20, deadline=None)
@given(
    documents=st.lists(DOCUMENT, min_size=2, max_size=5),
    queries=st.lists(SENTENCE, min_size=1, max_size=3),
    composition=COMPOSITION,
    depth=st.integers(1, 3),
)
def test_no_channel_cache_or_trace_holds_a_row_of_another_tenant(
    tmp_path_factory, documents, queries, composition, depth
):
    owners = ["ours" if number % 2 else "theirs" for number in range(len(documents))]
    snapshot, owner_of = shared_index(tmp_path_factory.mktemp("tenants"), documents, owners)
    retrievers = {
        owner: Retriever(snapshot, composition, word_vectors, where=SearchFilter(org_id=owner))
        for owner in ("theirs", "ours", "nobody")
    }
    for _ in range(2):  # what the first round left in caches must not show in the second
        for owner, retriever in retrievers.items():
            [result] = retriever.retrieve([("q", queries)], depth)
            matches = [(match.document_id, match.node_id) for match in result.matches]
            snippets = [(snippet.document_id, snippet.node_id, snippet.document_title) for snippet in result.snippets]
            trace = {name: value for name, value in result.trace.items() if name != "index_version"}
            found = named([matches, snippets, trace])
            assert {owner_of[document] for document in found} <= {owner}


@settings(max_examples=10, deadline=None)
@given(documents=st.lists(DOCUMENT, min_size=1, max_size=3), query=SENTENCE, others=st.lists(DOCUMENT, max_size=2))
def test_the_same_documents_of_another_tenant_leave_the_own_ranking_by_meaning_as_it_is(
    tmp_path_factory, documents, query, others
):
    composition = RetrievalSettings(lexical_weight=0.0)
    mine = ["ours"] * len(documents)
    alone, _ = shared_index(tmp_path_factory.mktemp("alone"), documents, mine)
    shared, _ = shared_index(tmp_path_factory.mktemp("both"), documents + others, mine + ["theirs"] * len(others))
    where = SearchFilter(org_id="ours")
    first, second = (
        Retriever(snapshot, composition, word_vectors, where=where).retrieve([("q", [query])])[0]
        for snapshot in (alone, shared)
    )
    assert [match.node_id for match in first.matches] == [match.node_id for match in second.matches]
    assert [snippet.text for snippet in first.snippets] == [snippet.text for snippet in second.snippets]


def test_documents_are_weighed_as_a_whole_among_the_tenants_own_only(tmp_path):
    documents = [[[["cat purr"], ["dog bark"]]], [[["cat sleep milk"]]], [[["cat cat cat purr purr"]]]]
    snapshot, _ = shared_index(tmp_path, documents, ["ours", "ours", "theirs"])
    allowed = snapshot.allowed(SearchFilter(org_id="ours"))
    [everyone] = document_priors(snapshot, ["cat purr"], LexicalSettings())
    [own] = document_priors(snapshot, ["cat purr"], LexicalSettings(), allowed)
    assert everyone.argmax() == 2
    assert own[2] == 0.0
    assert own.max() == own[0] == 1.0
