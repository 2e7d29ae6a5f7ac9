"""Documents become nodes in pre-order, with ids, offsets, captions and whole trees only."""

import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.digests import text_sha256
from kohaku_lib.settings import TreeSettings
from kohaku_lib.tables import DOCUMENTS, IMAGE_CAPTIONS, NODES, empty_table
from kohaku_lib.tree import build_tree

NO_CAPTIONS = empty_table(IMAGE_CAPTIONS)
TWO = "The first sentence stands here. The second sentence stands there."


def row(document_id="d", sections=None, text="", **changes):
    payload = {
        "document_id": document_id,
        "title": "Own title",
        "text": text,
        "metadata": {"url": "u"},
        "sections": sections,
    }
    known = {
        "document_id": document_id,
        "org_id": "acme",
        "path": "d.json",
        "sha256": "0",
        "mime_type": "application/json",
        "title": "Title",
        "status": "parsed",
        "metadata_json": "{}",
        "payload_json": json.dumps(payload),
    }
    return {**known, **changes}


def section(title, *paragraphs, **metadata):
    entries = [paragraph if isinstance(paragraph, dict) else {"text": paragraph} for paragraph in paragraphs]
    return {"title": title, "metadata": metadata, "paragraphs": entries}


def build(*rows, settings=None, captions=NO_CAPTIONS):
    documents = pa.Table.from_pylist(list(rows), schema=DOCUMENTS)
    return build_tree(documents, captions, settings or TreeSettings())


def nodes_of(*rows, **options):
    return build(*rows, **options)[0].to_pylist()


def by_id(*rows, **options):
    return {node["node_id"]: node for node in nodes_of(*rows, **options)}


SECTIONS = [section("A", TWO, TWO), section("B", TWO)]


def test_the_table_has_the_schema_and_counts():
    table, report = build(row(sections=SECTIONS))
    assert table.schema.equals(NODES)
    assert report.rows_computed == table.num_rows == 12
    assert report.metrics["sentence_nodes"] == 6
    assert report.metrics["documents_resegmented"] == 0


def test_ids_count_from_one_under_every_parent():
    assert [node["node_id"] for node in nodes_of(row(sections=SECTIONS))] == [
        "d",
        "d:sec1",
        "d:sec1:p1",
        "d:sec1:p1:s1",
        "d:sec1:p1:s2",
        "d:sec1:p2",
        "d:sec1:p2:s1",
        "d:sec1:p2:s2",
        "d:sec2",
        "d:sec2:p1",
        "d:sec2:p1:s1",
        "d:sec2:p1:s2",
    ]


def test_ids_count_from_zero_where_the_base_is_zero():
    ids = [node["node_id"] for node in nodes_of(row(sections=SECTIONS), settings=TreeSettings(id_base=0))]
    assert ids[:4] == ["d", "d:sec0", "d:sec0:p0", "d:sec0:p0:s0"]
    assert ids[-1] == "d:sec1:p0:s1"


def test_counters_run_through_the_document_where_the_scope_is_the_document():
    ids = [node["node_id"] for node in nodes_of(row(sections=SECTIONS), settings=TreeSettings(id_scope="document"))]
    assert ids[5:8] == ["d:sec1:p2", "d:sec1:p2:s3", "d:sec1:p2:s4"]
    assert ids[8:] == ["d:sec2", "d:sec2:p3", "d:sec2:p3:s5", "d:sec2:p3:s6"]


def test_rows_are_in_pre_order_and_point_to_their_parents_over_documents():
    nodes = nodes_of(row("a", SECTIONS), row("b", SECTIONS))
    for at, node in enumerate(nodes):
        if node["kind"] == "document":
            assert (node["parent_row"], node["parent_id"]) == (-1, None)
        else:
            assert node["parent_row"] < at
            assert nodes[node["parent_row"]]["node_id"] == node["parent_id"]
            assert node["node_id"].startswith(node["parent_id"] + ":")
    assert nodes[12]["node_id"] == "b"


def test_ordinals_count_siblings_from_zero():
    nodes = by_id(row(sections=SECTIONS))
    assert [nodes[name]["ordinal"] for name in ("d:sec2", "d:sec1:p2", "d:sec1:p2:s2")] == [1, 1, 1]


def test_texts_and_titles():
    nodes = by_id(row(sections=SECTIONS))
    assert nodes["d"]["text"] == "Title\nA\nB"
    assert nodes["d:sec1"]["text"] == f"A\n\n{TWO}\n\n{TWO}"
    assert [nodes[name]["title"] for name in ("d", "d:sec1", "d:sec1:p1:s1")] == ["Title", "A", "A"]


def test_offsets_hashes_and_token_estimates():
    for node in nodes_of(row(sections=SECTIONS)):
        assert node["content_sha256"] == text_sha256(node["text"])
        assert node["token_count"] == max(1, len(node["text"]) // 4)
        if node["kind"] == "sentence":
            parent = by_id(row(sections=SECTIONS))[node["parent_id"]]
            assert parent["text"][node["char_start"] : node["char_end"]] == node["text"]
        else:
            assert node["char_start"] is None


def test_only_paragraphs_and_sentences_are_searchable():
    kinds = {(node["kind"], node["searchable"]) for node in nodes_of(row(sections=SECTIONS))}
    assert kinds == {("document", False), ("section", False), ("paragraph", True), ("sentence", True)}


def test_a_paragraph_of_one_sentence_keeps_its_sentence_node():
    nodes = by_id(row(sections=[section("A", "Just one sentence here.")]))
    assert nodes["d:sec1:p1:s1"]["text"] == "Just one sentence here."


def test_metadata_goes_down_and_the_row_adds_to_the_payload():
    nodes = by_id(row(sections=SECTIONS, metadata_json='{"year": "2023", "type": ""}'))
    assert json.loads(nodes["d"]["metadata_json"]) == {"url": "u", "year": "2023"}
    sentence = json.loads(nodes["d:sec1:p2:s2"]["metadata_json"])
    assert sentence["document_title"] == "Title"
    assert sentence["section_id"] == "d:sec1"
    assert sentence["paragraph_id"] == "d:sec1:p2"
    assert (sentence["section_index"], sentence["paragraph_index"], sentence["sentence_index"]) == (0, 1, 1)


def test_pages_and_boxes():
    paragraph = {"text": TWO, "metadata": {"page": 3, "bbox": [1, 2, 3, 4]}}
    nodes = by_id(row(sections=[section("A", paragraph)]))
    assert [nodes[name]["page"] for name in ("d", "d:sec1", "d:sec1:p1", "d:sec1:p1:s1")] == [None, 3, 3, 3]
    assert nodes["d:sec1:p1"]["bbox"] == [1.0, 2.0, 3.0, 4.0]


def test_given_sentences_are_kept_with_their_own_page():
    sentences = [{"text": "One;"}, {"text": "two.", "metadata": {"page": 4}}]
    nodes = by_id(row(sections=[section("A", {"text": "One; two.", "sentences": sentences, "metadata": {"page": 3}})]))
    assert [(nodes[f"d:sec1:p1:s{at}"]["text"], nodes[f"d:sec1:p1:s{at}"]["page"]) for at in (1, 2)] == [
        ("One;", 3),
        ("two.", 4),
    ]


def test_given_sentences_that_are_not_in_the_text_are_split_anew():
    nodes = by_id(row(sections=[section("A", {"text": TWO, "sentences": [{"text": "Something else."}]})]))
    assert nodes["d:sec1:p1:s2"]["text"] == "The second sentence stands there."


def test_a_text_without_sections_becomes_one_section_of_its_paragraphs():
    nodes = by_id(row(text="First paragraph of all.\n \nSecond paragraph of all."))
    assert nodes["d:sec1"]["title"] == "Title"
    assert json.loads(nodes["d:sec1"]["metadata_json"])["autogenerated"] is True
    assert nodes["d:sec1:p2"]["text"] == "Second paragraph of all."


def test_sections_without_paragraphs_are_left_out_and_not_counted():
    nodes = by_id(row(sections=[section("Empty"), section("B", TWO)]))
    assert nodes["d:sec1"]["title"] == "B"


def test_an_empty_paragraph_is_a_leaf_that_is_not_searched():
    nodes = by_id(row(sections=[section("A", TWO, "  ")]))
    assert nodes["d:sec1:p2"]["searchable"] is False
    assert "d:sec1:p2:s1" not in nodes


@pytest.mark.parametrize("sections", [[], [section("A", " ")], None])
def test_a_document_without_text_gives_no_nodes_and_is_reported(sections):
    table, report = build(row("empty", sections), row("full", SECTIONS))
    assert set(table["document_id"].to_pylist()) == {"full"}
    assert report.problems == ("document 'empty' has no text and was left out",)


def test_documents_that_are_not_parsed_are_skipped():
    table, report = build(row(status="failed", payload_json=None, error="broken"))
    assert (table.num_rows, report.problems) == (0, ())


@pytest.mark.parametrize("payload", ["{", "[]", '{"document_id": 3, "text": "x"}', '{"text": "x", "sections": 3}'])
def test_an_unreadable_payload_is_reported_and_the_others_go_on(payload):
    table, report = build(row("bad", payload_json=payload), row("good", SECTIONS))
    assert set(table["document_id"].to_pylist()) == {"good"}
    assert len(report.problems) == 1
    assert "'bad'" in report.problems[0]


@pytest.mark.parametrize("page", [float("inf"), float("nan"), 1e300, "iv", [1]])
@pytest.mark.parametrize("headings", ["abc", [1], [["a"]], [[1, 2]], 7, {"a": 1}])
def test_metadata_of_another_shape_are_ignored(page, headings):
    image = {"text": "x", "metadata": {"attachment_type": "image", "page": page, "image_index": 1}}
    nodes = by_id(row(sections=[section("S", image, "A sentence of its own.", empty_headings=headings)]))
    assert nodes["d:sec1"]["text"] == "S\n\nA sentence of its own."
    assert nodes["d:sec1:p1"]["page"] is None


def test_headings_without_text_are_before_the_section():
    nodes = by_id(row(sections=[section("S", "A sentence.", empty_headings=[[1, "Part one"], [2, "Chapter"]])]))
    assert nodes["d:sec1"]["text"] == "Part one\n\nChapter\n\nS\n\nA sentence."


def test_an_id_that_is_taken_is_reported():
    table, report = build(row("same", SECTIONS), row("same", SECTIONS))
    assert table.num_rows == 12
    assert "same id" in report.problems[0]


def test_ids_hold_no_separator():
    assert by_id(row("a b:c", SECTIONS)).keys() >= {"a%20b%3Ac", "a%20b%3Ac:sec1"}


def test_half_a_surrogate_pair_does_not_break_the_table():
    nodes = by_id(row(sections=[section("A", "Half a pair \ud800 in a sentence.")]))
    assert nodes["d:sec1:p1"]["text"] == "Half a pair ? in a sentence."


IMAGE = {
    "text": "[Image page=2 idx=1 name=Im0.jpg] Size: 30x20, Data: 9 bytes",
    "metadata": {"page": 2, "image_index": 1, "attachment_type": "image"},
}


def captions(**changes):
    known = {"storage_key": "img:d:p2:i1", "document_id": "d", "page": 2, "idx": 1, "caption_source": "page"}
    return pa.Table.from_pylist([{**known, "text": "[img:Im0.jpg 30x20] Energy. By model.", **changes}], IMAGE_CAPTIONS)


def test_an_image_without_caption_is_a_placeholder_that_is_not_searched():
    nodes = by_id(row(sections=[section("A", TWO, IMAGE)]))
    image = nodes["d:sec1:p2"]
    assert (image["modality"], image["searchable"]) == ("image", False)
    assert "d:sec1:p2:s1" not in nodes
    assert "Im0.jpg" not in nodes["d:sec1"]["text"]


def test_a_placeholder_is_searched_by_its_text_if_asked_for():
    sections = [section("A", "A sentence of its own.", IMAGE)]
    nodes = by_id(row(sections=sections), settings=TreeSettings(search_placeholders=True, id_scope="document"))
    image, sentence = nodes["d:sec1:p2"], nodes["d:sec1:p2:s2"]
    assert image["text"] == sentence["text"] == IMAGE["text"]
    assert (image["modality"], image["searchable"], sentence["searchable"]) == ("image", True, True)


def test_texts_of_sections_and_documents_are_those_of_the_payload_if_asked_for():
    sections = [section("A", "One sentence stands here."), section("B", "Another stands there.")]
    joined = by_id(row(sections=sections, text="The whole text."))
    assert (joined["d"]["text"], joined["d:sec2"]["text"]) == ("Title\nA\nB", "B\n\nAnother stands there.")
    payload = by_id(row(sections=sections, text="The whole text."), settings=TreeSettings(parent_texts="payload"))
    assert (payload["d"]["text"], payload["d:sec2"]["text"]) == ("The whole text.", "B")


def test_an_image_with_caption_has_its_text_as_one_sentence():
    nodes = by_id(row(sections=[section("A", TWO, IMAGE)]), captions=captions())
    assert (nodes["d:sec1:p2"]["modality"], nodes["d:sec1:p2"]["searchable"]) == ("image_caption", True)
    assert nodes["d:sec1:p2:s1"]["text"] == nodes["d:sec1:p2"]["text"] == "[img:Im0.jpg 30x20] Energy. By model."
    assert nodes["d:sec1:p2:s1"]["searchable"] is True


def test_a_caption_of_another_image_is_not_taken():
    nodes = by_id(row(sections=[section("A", TWO, IMAGE)]), captions=captions(storage_key="img:d:p2:i2"))
    assert nodes["d:sec1:p2"]["modality"] == "image"


def test_a_named_storage_key_is_preferred():
    image = {**IMAGE, "metadata": {**IMAGE["metadata"], "image_storage_key": "img:d:p1:i9"}}
    nodes = by_id(row(sections=[section("A", image)]), captions=captions(storage_key="img:d:p1:i9"))
    assert nodes["d:sec1:p1"]["modality"] == "image_caption"


@pytest.mark.parametrize("key", ["modality", "attachment_type"])
def test_the_sentences_of_a_table_are_its_rows(key):
    table = {"text": "Energy by model.\n| Model | MWh |\n|---|---|\n| GPT-3 | 1,287 |", "metadata": {key: "table"}}
    nodes = by_id(row(sections=[section("A", table)]))
    assert nodes["d:sec1:p1"]["modality"] == "table"
    assert [node["text"] for node in nodes.values() if node["kind"] == "sentence"] == [
        "Energy by model.",
        "GPT-3 — MWh: 1,287",
    ]
    row_node = nodes["d:sec1:p1:s2"]
    assert table["text"][row_node["char_start"] : row_node["char_end"]] == "| GPT-3 | 1,287 |"


def test_a_bibliography_is_marked_on_its_nodes():
    nodes = by_id(row(sections=[section("References", "[1] A. Bee. 2020. On hives. Journal of Bees 3, pp. 1-9.")]))
    assert {nodes[name]["content_type"] for name in ("d:sec1", "d:sec1:p1", "d:sec1:p1:s1")} == {"reference"}
    assert nodes["d"]["content_type"] == "body"


def test_a_content_type_that_the_payload_names_wins():
    nodes = by_id(row(sections=[section("A", {"text": TWO, "metadata": {"content_type": "abstract"}})]))
    assert nodes["d:sec1:p1"]["content_type"] == "abstract"


PAGE = "\n".join(f"Line number {number} of the page goes on and" for number in range(8)) + "\nends here."


def test_resegmenting_is_a_setting():
    paged = [section("Page 1", {"text": PAGE, "metadata": {"page": 1}}, page=1)]
    joined = by_id(row(sections=paged))["d:sec1:p1"]["text"]
    nodes = by_id(row(sections=paged), settings=TreeSettings(resegment=False))
    assert "\n" not in joined
    assert nodes["d:sec1"]["title"] == "Page 1"
    assert nodes["d:sec1:p1"]["text"] == PAGE


@given(st.lists(st.lists(st.text(max_size=60), max_size=4), max_size=4))
def test_any_sections_give_unique_ids_and_whole_trees(sections):
    nodes = nodes_of(row(sections=[section(f"S{at}", *texts) for at, texts in enumerate(sections)]))
    ids = [node["node_id"] for node in nodes]
    assert len(set(ids)) == len(ids)
    for at, node in enumerate(nodes):
        assert -1 <= node["parent_row"] < max(at, 1)
        assert node["kind"] == "document" or nodes[node["parent_row"]]["node_id"] == node["parent_id"]
        if node["kind"] == "sentence":
            assert nodes[node["parent_row"]]["text"][node["char_start"] : node["char_end"]] == node["text"]


ODD = st.sampled_from(["3", "²", "iv", -1, 0, 2**40, 3.5, True, None, [1], {}, [None] * 4, ["a"] * 4, [1e400] * 4])


@given(st.dictionaries(st.sampled_from(["page", "bbox", "modality", "attachment_type", "image_index"]), ODD), ODD)
def test_metadata_of_any_type_never_stop_the_stage(metadata, page):
    paged = section("Page 1", {"text": PAGE + "\n7", "metadata": metadata}, page=page)
    nodes, report = build_tree(
        pa.Table.from_pylist([row(sections=[paged] * 3)], schema=DOCUMENTS), NO_CAPTIONS, TreeSettings()
    )
    assert nodes.num_rows > 1
    assert report.problems == ()


def test_a_page_written_as_text_counts_and_a_box_of_no_numbers_does_not():
    nodes = by_id(row(sections=[section("A", {"text": TWO, "metadata": {"page": "12", "bbox": [0, 1, None, 3]}})]))
    assert (nodes["d:sec1:p1"]["page"], nodes["d:sec1:p1"]["bbox"]) == (12, None)


def test_a_hypothetical_question_is_never_searched():
    question = {"text": "What do bees eat?", "metadata": {"content_type": "hypothetical_question"}}
    nodes = by_id(row(sections=[section("A", TWO, question)]))
    assert (nodes["d:sec1:p2"]["content_type"], nodes["d:sec1:p2"]["searchable"]) == ("hypothetical_question", False)
    assert "d:sec1:p2:s1" not in nodes
    assert "bees" not in nodes["d:sec1"]["text"]


def test_lines_removed_from_the_edges_of_pages_are_no_part_of_a_node():
    payload = json.dumps(
        {**json.loads(row(sections=SECTIONS)["payload_json"]), "metadata": {"removed_lines": [[1, "Head"]]}}
    )
    stated = json.dumps({"removed_lines": [[1, "Head"]], "year": "2023"})
    nodes = nodes_of(row(payload_json=payload, metadata_json=stated))
    assert ["removed_lines" in node["metadata_json"] for node in nodes] == [False] * len(nodes)
    assert json.loads(nodes[0]["metadata_json"])["year"] == "2023"
