"""A changed document costs its own rows, and what comes of it is what a build of everything gives."""

from stage_refresh import refresh_stages

from kohaku_lib.digests import table_digest
from kohaku_lib.storage import compact

EMBEDDINGS = ("sentence_embeddings", "paragraph_embeddings")
BY_DOCUMENT = ("document_images", "tree_nodes", *EMBEDDINGS, "lexical_index", "knowledge_graph", "node_embeddings")
LINE = "\nThe quartermaster of the workshop keeps eleven spare lanterns in the loft since May 2019.\n"


def test_only_the_edited_document_is_built_anew_and_the_result_is_that_of_all(fresh):
    project = fresh()
    [path] = project.settings.corpus.documents.rglob("*.txt")
    path.write_text(path.read_text() + LINE)
    refresh_stages(fresh(), ["vector_tables"])
    edited = fresh()
    sizes = {piece.key: piece.rows for piece in edited.files.open_latest("tree_nodes").pieces}
    path.write_text(path.read_text() + LINE.replace("eleven", "twelve"))
    outcomes = refresh_stages(fresh(), ["vector_tables"]).outcomes
    tree = fresh().files.open_latest("tree_nodes")
    [new] = [piece.rows for piece in tree.pieces if piece.key not in sizes]
    assert (outcomes["tree_nodes"].computed, outcomes["tree_nodes"].reused) == (new, tree.num_rows - new)
    assert 0 < outcomes["lexical_index"].computed < new
    assert outcomes["document_images"].computed == 0
    assert embedded(outcomes) == 1  # the paragraph is its only sentence
    assert outcomes["node_embeddings"].computed <= new
    by_parts = {name: fresh().files.latest(name).content_hash for name in BY_DOCUMENT}
    vectors = fresh().files.latest_table("node_embeddings")
    metrics = {name: outcomes[name].manifest.metrics for name in ("tree_nodes", "knowledge_graph")}
    whole = refresh_stages(fresh(), ["vector_tables"], force=BY_DOCUMENT).outcomes
    assert whole["tree_nodes"].computed == tree.num_rows
    assert {name: fresh().files.latest(name).content_hash for name in BY_DOCUMENT} == by_parts
    assert table_digest(fresh().files.latest_table("node_embeddings")) == table_digest(vectors)
    assert {name: whole[name].manifest.metrics for name in metrics} == metrics


def test_weighting_is_applied_without_a_model_call_and_compacted_caches_still_serve(fresh):
    refresh_stages(fresh(), ["vector_tables"])
    project = fresh()
    before = project.compact_caches()
    assert before.parts_after <= before.parts_before
    assert project.compact_caches().parts_after == before.parts_after
    [folder] = (project.store / "cache" / "embeddings").iterdir()
    assert compact(folder).parts_after == 1
    changed = fresh("embedding.weighting=chars", "embedding.dim=64")
    outcomes = refresh_stages(changed, ["node_embeddings"]).outcomes
    assert outcomes["sentence_embeddings"].computed == 0
    assert outcomes["sentence_embeddings"].reused > 20


def asked(fresh, **settings):
    """The texts that the model is asked for where embeddings are brought up to date with `settings` of embedding."""
    outcomes = refresh_stages(
        fresh(*(f"embedding.{name}={value}" for name, value in settings.items())), ["node_embeddings"]
    )
    return embedded(outcomes.outcomes)


def test_another_dimension_or_weighting_costs_no_model_call(fresh):
    assert [asked(fresh, weighting="chars"), asked(fresh, dim=64), asked(fresh, dim=64, weighting="tokens")] == [
        0,
        0,
        0,
    ]


def test_paragraphs_embedded_with_their_sentences_make_every_other_mode_free(fresh):
    assert asked(fresh, paragraph_mode="both") > 20
    assert [asked(fresh, paragraph_mode="full"), asked(fresh), asked(fresh, paragraph_mode="full", dim=64)] == [0, 0, 0]


def test_paragraphs_that_were_averaged_are_embedded_once(fresh):
    assert asked(fresh, paragraph_mode="full") > 20
    project = fresh()
    [path] = project.settings.corpus.documents.rglob("*.txt")
    path.write_text(f"{path.read_text()}{LINE.rstrip()} Another two hang at the door.\n")
    assert asked(fresh) == 2
    assert asked(fresh, paragraph_mode="full") == 1
    assert [asked(fresh), asked(fresh, paragraph_mode="both"), asked(fresh, paragraph_mode="full")] == [0, 0, 0]


def embedded(outcomes):
    return sum(outcomes[name].computed for name in EMBEDDINGS if name in outcomes)
