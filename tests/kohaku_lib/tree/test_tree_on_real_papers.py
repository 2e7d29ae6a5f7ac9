"""Trees of real papers: sizes, whole sentences, and cited quotes that are whole in one paragraph."""

import csv
import json
import re
from pathlib import Path
from statistics import median

import pyarrow as pa
import pytest

from kohaku_lib.settings import TreeSettings
from kohaku_lib.tables import DOCUMENTS, IMAGE_CAPTIONS, empty_table
from kohaku_lib.tree import build_tree

DATA = Path(__file__).resolve().parents[3] / "../shared/data/wattbot"
PAPERS = ("khan2025", "strubell2019", "li2025b", "erben2023", "chen2024")

pytestmark = pytest.mark.skipif(not DATA.exists(), reason="the WattBot corpus is not at hand")


@pytest.fixture(scope="module")
def nodes():
    rows = []
    for name in PAPERS:
        text = (DATA / "corpus" / f"{name}.json").read_text(encoding="utf-8")
        rows.append(
            {
                "document_id": name,
                "org_id": "default",
                "path": f"{name}.json",
                "sha256": "0",
                "mime_type": "application/json",
                "title": json.loads(text)["title"],
                "status": "parsed",
                "metadata_json": "{}",
                "payload_json": text,
            }
        )
    table, report = build_tree(
        pa.Table.from_pylist(rows, schema=DOCUMENTS), empty_table(IMAGE_CAPTIONS), TreeSettings()
    )
    assert report.problems == ()
    return table.to_pylist()


def of_kind(nodes, kind, document=None):
    return [n for n in nodes if n["kind"] == kind and n["searchable"] and document in {None, n["document_id"]}]


def shingles(text):
    words = re.findall(r"[a-z0-9]+", re.sub(r"-\s*\n\s*", "", text).lower())
    return {tuple(words[at : at + 5]) for at in range(len(words) - 4)}


def test_paragraphs_have_a_useful_size(nodes):
    lengths = [len(node["text"]) for node in of_kind(nodes, "paragraph")]
    assert 450 <= median(lengths) <= 900
    assert max(lengths) <= 2000
    assert sum(300 <= length <= 1500 for length in lengths) >= 0.75 * len(lengths)


def test_few_sentences_are_fragments(nodes):
    lengths = [len(node["text"]) for node in of_kind(nodes, "sentence")]
    assert sum(length < 20 for length in lengths) <= 0.02 * len(lengths)


def test_offsets_hold(nodes):
    for node in of_kind(nodes, "sentence"):
        assert nodes[node["parent_row"]]["text"][node["char_start"] : node["char_end"]] == node["text"]


def test_ids_are_unique_and_pages_are_known(nodes):
    assert len({node["node_id"] for node in nodes}) == len(nodes)
    assert all(node["page"] for node in of_kind(nodes, "paragraph"))


def test_headings_of_a_paper_are_its_sections(nodes):
    titles = {node["title"] for node in nodes if node["kind"] == "section" and node["document_id"] == "li2025b"}
    assert {"1 Introduction", "5 Conclusion", "References", "3.3.2 Inference"} <= titles


def test_quotes_are_within_one_paragraph(nodes):
    with (DATA / "train_QA.csv").open(encoding="utf-8-sig", newline="") as stream:
        questions = [row for row in csv.DictReader(stream) if "quote" in (row["explanation"] or "").lower()]
    shares = []
    for question in questions:
        gold = [name for name in PAPERS if name in question["ref_id"].lower()]
        wanted = shingles(question["supporting_materials"])
        if gold and wanted:
            paragraphs = [node["text"] for name in gold for node in of_kind(nodes, "paragraph", name)]
            shares.append(max(len(wanted & shingles(text)) / len(wanted) for text in paragraphs))
    assert len(shares) >= 5
    assert sum(shares) / len(shares) >= 0.70
