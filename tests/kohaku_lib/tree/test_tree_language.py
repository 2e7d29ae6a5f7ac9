"""The language of a document steers its sentences; nested items keep the words above them."""

import json

import pyarrow as pa
import pytest

from kohaku_lib.documents import payload_to_json
from kohaku_lib.settings import TreeSettings
from kohaku_lib.tables import (
    DOCUMENTS,
    IMAGE_CAPTIONS,
    DocumentPayload,
    ParagraphPayload,
    SectionPayload,
    SentencePayload,
    empty_table,
)
from kohaku_lib.tree import build_tree

GERMAN = "Die neue große Anlage der Fa. Meier wurde im Mai gebaut. Sie liefert seitdem Strom für die Stadt."


def sentences(payload, **metadata):
    row = {"document_id": "d", "org_id": "o", "path": "d.txt", "sha256": "0", "mime_type": "text/plain", "title": "D"}
    row |= {
        "status": "parsed",
        "metadata_json": json.dumps(metadata),
        "payload_json": json.dumps(payload_to_json(payload)),
    }
    table = pa.Table.from_pylist([row], schema=DOCUMENTS)
    nodes, report = build_tree(table, empty_table(IMAGE_CAPTIONS), TreeSettings())
    assert report.problems == ()
    return [node["text"] for node in nodes.to_pylist() if node["kind"] == "sentence"]


def document(*paragraphs, page=None):
    metadata = {} if page is None else {"page": page}
    return DocumentPayload("d", "D", "", {}, (SectionPayload("S", paragraphs, metadata),))


@pytest.mark.parametrize(("language", "count"), [("de", 2), ("de-AT", 2), (None, 3), ("en", 3)])
def test_the_metadata_of_a_document_choose_the_rules_of_its_sentences(language, count):
    assert len(sentences(document(ParagraphPayload(GERMAN)), language=language)) == count


def test_pages_of_printed_lines_are_split_by_the_language_too():
    lines = ["Die neue große Anlage der Fa.", *["Meier wurde in jenem Jahr gebaut und"] * 5, "liefert seitdem Strom."]
    page = document(ParagraphPayload("\n".join(lines)), page=1)
    assert len(sentences(page, language="de")) == 1
    assert len(sentences(page, language="en")) == 2


def test_a_sentence_with_context_carries_its_words():
    piece = SentencePayload("- 3 TB of disk", {"context": "The machine"})
    assert sentences(document(ParagraphPayload("- 3 TB of disk", (piece,)))) == ["The machine: - 3 TB of disk"]
