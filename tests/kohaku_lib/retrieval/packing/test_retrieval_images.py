"""Figures that go with a context: beside its snippets, found by their vectors, and never those of others."""

from dataclasses import replace

import pytest
from figure_material import CAPTIONS, image_vectors, with_figures
from index_material import LIBRARY, documents_table, index_tables, word_vectors

from kohaku_lib.index import SearchFilter, open_snapshot, write_snapshot
from kohaku_lib.retrieval import Retriever, results_from_table, results_to_table
from kohaku_lib.retrieval.packing.images import ImageFinder
from kohaku_lib.settings import RetrievalSettings, Settings


def shelf(folder, nodes=None, vectors=None, documents=None):
    tables = replace(
        index_tables(),
        nodes=nodes or with_figures(),
        image_vectors=vectors or image_vectors(),
        documents=documents or documents_table(LIBRARY),
    )
    write_snapshot(folder, "v1", tables, Settings())
    return open_snapshot(folder, "v1")


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    return shelf(tmp_path_factory.mktemp("figures"))


def keys(images):
    return [image.storage_key for image in images]


def retrieve(snapshot, *queries, where=None, depth=1, **settings):
    retriever = Retriever(snapshot, RetrievalSettings(**settings), word_vectors, where=where)
    [result] = retriever.retrieve([("q", queries)], depth=depth)
    return result


def test_captions_of_the_figures_of_a_section_come_once_in_order(snapshot):
    rows = [snapshot.row_of(node_id) for node_id in ("dogs:sec1:p1", "cats:sec1:p2:s1", "cats:sec1", "dogs:sec1:p2")]
    found = ImageFinder(snapshot).beside(rows)
    assert keys(found) == ["img:dogs:p1:i1", "img:cats:p1:i1"]
    first = found[0]
    assert (first.document_id, first.page, first.caption) == ("dogs", 1, "Puppies and shoes")
    assert (first.score, first.searched) == (None, False)


def test_a_document_as_snippet_has_no_section_and_no_figure(snapshot):
    assert ImageFinder(snapshot).beside([snapshot.row_of("cats")]) == []
    assert ImageFinder(snapshot).beside([]) == []


def test_figures_are_ranked_by_their_best_query(snapshot):
    finder = ImageFinder(snapshot)
    found = finder.search(word_vectors(["shoe", "cat sleep hour"]), 3)
    # "Cats sleep by hour" is the second query itself; "Puppies and shoes" has one of two words in common with the first.
    assert keys(found) == ["img:cats:p1:i1", "img:cats:p2:i1", "img:dogs:p1:i1"]
    assert found[0].score == pytest.approx(1.0)
    assert found[1].score == found[2].score == pytest.approx(0.5**0.5)
    assert all(image.searched for image in found)
    assert keys(finder.search(word_vectors(["shoe", "cat sleep hour"]), 1)) == ["img:cats:p1:i1"]


def test_a_figure_without_a_vector_is_never_found(snapshot, tmp_path):
    assert "img:dogs:p1:i2" not in keys(ImageFinder(snapshot).search(word_vectors(["shoe"]), 9))
    blind = shelf(tmp_path, vectors=image_vectors(norm_ok=False))
    assert ImageFinder(blind).search(word_vectors(["shoe"]), 9) == []


def test_a_vector_whose_figure_is_in_no_document_is_never_found(tmp_path):
    strange = {"img:gone:p1:i1": ("", "shoe", "image_caption")} | CAPTIONS
    snapshot = shelf(tmp_path, vectors=image_vectors(strange))
    assert "img:gone:p1:i1" not in keys(ImageFinder(snapshot).search(word_vectors(["shoe"]), 9))


def test_a_described_figure_without_a_caption_of_its_own_has_none(tmp_path):
    direct = dict(CAPTIONS) | {"img:dogs:p1:i2": ("dogs:sec1", "leather", "image")}
    snapshot = shelf(tmp_path, nodes=with_figures(captions=direct), vectors=image_vectors(direct))
    [found] = ImageFinder(snapshot).search(word_vectors(["leather"]), 1)
    assert (found.storage_key, found.caption, found.score) == ("img:dogs:p1:i2", "", pytest.approx(1.0))


def test_by_default_there_are_no_figures(snapshot):
    assert retrieve(snapshot, "puppies chew shoes").images == ()


def test_figures_beside_the_snippets_come_with_their_captions_where_they_are_asked_for(snapshot):
    found = [retrieve(snapshot, "puppies chew shoes", top_k=1, with_images=asked).images for asked in (False, True)]
    assert [[(image.storage_key, image.caption) for image in images] for images in found] == [
        [],
        [("img:dogs:p1:i1", "Puppies and shoes")],
    ]


def test_searched_figures_stand_before_those_beside_the_snippets_and_none_twice(snapshot):
    result = retrieve(snapshot, "old cats", top_k=1, with_images=True, top_k_images=1)
    assert [(image.storage_key, image.searched) for image in result.images] == [("img:cats:p2:i1", True)]
    result = retrieve(snapshot, "kittens milk", "shoe", top_k=1, with_images=True, top_k_images=1)
    assert [(image.storage_key, image.searched) for image in result.images] == [
        ("img:cats:p2:i1", True),
        ("img:cats:p1:i1", False),
        ("img:dogs:p1:i1", False),
    ]


def test_the_cap_counts_over_all_queries_and_grows_with_the_depth(snapshot):
    queries = ("cat sleep hour", "puppies shoes", "old cat shoe")
    assert len(retrieve(snapshot, *queries, top_k_images=2).images) == 2
    assert len(retrieve(snapshot, *queries, top_k_images=2, depth=2).images) == 3  # there are no more with a vector


def test_figures_survive_the_table(snapshot):
    results = [retrieve(snapshot, "old cats", with_images=True, top_k_images=1)]
    assert results[0].images
    assert results_from_table(results_to_table(results)) == results


def test_figures_of_documents_that_are_left_out_are_never_found(snapshot):
    own = SearchFilter(documents=("cats",))
    result = retrieve(snapshot, "puppies shoes", where=own, with_images=True, top_k_images=9)
    assert {image.document_id for image in result.images} == {"cats"}
    finder = ImageFinder(snapshot, snapshot.allowed(own))
    assert finder.beside([snapshot.row_of("dogs:sec1:p1")]) == []


def test_an_index_without_figures_finds_none(tmp_path):
    write_snapshot(tmp_path, "v1", index_tables(), Settings())
    finder = ImageFinder(open_snapshot(tmp_path, "v1"))
    assert finder.search(word_vectors(["shoe"]), 3) == []
    assert finder.beside(range(5)) == []
