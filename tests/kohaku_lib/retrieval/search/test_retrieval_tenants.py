"""Two tenants with the same words in one index: whatever is asked, nothing of the other's is found, traced or kept."""

import json
from dataclasses import replace

import pyarrow as pa
from figure_material import image_vectors, with_figures
from hypothesis import given, settings
from hypothesis import strategies as st
from index_material import WORDS, documents_table, index_tables, word_vectors

from kohaku_lib.index import SearchFilter, open_snapshot, write_snapshot
from kohaku_lib.retrieval import Retriever
from kohaku_lib.retrieval.channels.document_prior import document_priors
from kohaku_lib.settings import LexicalSettings, RetrievalSettings, Settings
from kohaku_lib.tables import PlannedQuery, QueryPlan

SENTENCE = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
DOCUMENT = st.lists(
    st.lists(st.lists(SENTENCE, min_size=1, max_size=3), min_size=1, max_size=2), min_size=1, max_size=2
)
COMPOSITION = st.builds(
    RetrievalSettings,
    fusion=st.sampled_from(["append", "rrf", "weighted_rrf", "minmax", "bounded"]),
    consensus=st.sampled_from(["frequency", "score", "combined", "none"]),
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


@settings(max_examples=20)
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


@settings(max_examples=25)
@given(
    documents=st.lists(DOCUMENT, min_size=1, max_size=3),
    query=SENTENCE,
    others=st.lists(DOCUMENT, max_size=2),
    candidates=st.sampled_from(["ranked", "top_k", "top_k_of_all"]),
    top_k=st.sampled_from([1, 2, 16]),
)
def test_the_same_documents_of_another_tenant_leave_the_own_ranking_by_meaning_as_it_is(
    tmp_path_factory, documents, query, others, candidates, top_k
):
    composition = RetrievalSettings(lexical_weight=0.0, candidates=candidates, top_k=top_k)
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


def figures_of(tree):
    """A figure in each section, described by the words of its first sentence."""
    return {
        f"img:{name}:p{number}:i1": (f"{name}:sec{number}", sections[number - 1][0][0], "image_caption")
        for name, sections in tree.items()
        for number in range(1, len(sections) + 1)
    }


ROLES = st.sampled_from(["planned", "hyde", "step_back"])
PLANS = st.builds(
    QueryPlan,
    st.just("q"),
    st.builds(
        lambda first, others: (PlannedQuery(first, "question"), *others),
        SENTENCE,
        st.lists(st.builds(PlannedQuery, SENTENCE, ROLES), max_size=3).map(tuple),
    ),
    st.sampled_from([None, "rrf"]),
    strategy=st.sampled_from([None, "dense_only", "fusion", "two_stage", "hierarchical"]),
)


@settings(max_examples=8)
@given(documents=st.lists(DOCUMENT, min_size=2, max_size=4), plan=PLANS, top_k=st.integers(1, 8))
def test_no_role_strategy_or_figure_brings_in_a_row_of_another_tenant(tmp_path_factory, documents, plan, top_k):
    tree = {f"d{number}": sections for number, sections in enumerate(documents)}
    owner_of = {name: "ours" if number % 2 else "theirs" for number, name in enumerate(tree)}
    figures = figures_of(tree)
    tables = replace(
        index_tables(tree),
        nodes=owned(with_figures(tree, figures), owner_of),
        documents=owned(documents_table(tree), owner_of),
        image_vectors=image_vectors(figures),
    )
    folder = tmp_path_factory.mktemp("figures")
    write_snapshot(folder, "v1", tables, Settings())
    snapshot = open_snapshot(folder, "v1")
    composition = RetrievalSettings(top_k=top_k, with_images=True, top_k_images=3)
    for owner in ("theirs", "ours", "nobody"):
        [result] = Retriever(snapshot, composition, word_vectors, where=SearchFilter(org_id=owner)).retrieve([plan])
        pieces = [(piece.document_id, piece.node_id) for piece in (*result.matches, *result.snippets)]
        images = [(image.document_id, image.storage_key) for image in result.images]
        trace = {name: value for name, value in result.trace.items() if name != "index_version"}
        assert {owner_of[name] for name in named([pieces, images, trace])} <= {owner}


@settings(max_examples=8)
@given(documents=st.lists(DOCUMENT, min_size=2, max_size=4), at=st.integers(0, 3))
def test_a_correction_reveals_no_word_that_only_another_tenant_has(tmp_path_factory, documents, at):
    owners = ["ours" if number % 2 else "theirs" for number in range(len(documents))]
    snapshot, owner_of = shared_index(tmp_path_factory.mktemp("words"), documents, owners)
    question = "the " + " the ".join(word + word[-1] for word in WORDS[at::4])  # each with its last letter twice
    for owner in ("theirs", "ours", "nobody"):
        where = SearchFilter(org_id=owner)
        [result] = Retriever(snapshot, RetrievalSettings(), word_vectors, where=where).retrieve([("q", [question])])
        texts = " ".join(row["text"] for row in snapshot.nodes.to_pylist() if owner_of[row["document_id"]] == owner)
        assert {other for _, other in result.trace.get("corrections", [])} <= set(texts.split())


def test_each_tenant_is_corrected_by_its_own_words(tmp_path):
    documents = [[[["cat purr leather", "leather shoe"]]], [[["cat purr", "cat milk"]]]]
    snapshot, _ = shared_index(tmp_path, documents, ["ours", "theirs"])
    corrected = {}
    for owner in ("ours", "theirs"):
        retriever = Retriever(snapshot, RetrievalSettings(), word_vectors, where=SearchFilter(org_id=owner))
        [result] = retriever.retrieve([("q", ["the cat and leathr of purr"])])
        corrected[owner] = result.trace.get("corrections", [])
    assert corrected == {"ours": [["leathr", "leather"]], "theirs": []}
