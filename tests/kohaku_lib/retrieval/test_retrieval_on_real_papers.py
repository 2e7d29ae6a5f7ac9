"""Search by words over real papers, and one question with the bundled model."""

import csv
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from index_material import documents_table, index_tables

from kohaku_lib.embedding import embed_leaves, propagate
from kohaku_lib.index import IndexTables, build_lexical, open_snapshot, write_snapshot
from kohaku_lib.retrieval import Retriever, retrieve
from kohaku_lib.settings import RetrievalSettings, Settings
from kohaku_lib.tables import DOCUMENT_IMAGES, DOCUMENTS, IMAGE_CAPTIONS, MENTIONS, vector_schema
from kohaku_lib.tree import build_tree

WATTBOT = Path(__file__).resolve().parents[3] / "../shared/data/wattbot"
PAPERS = ("chung2025", "patterson2021", "strubell2019", "luccioni2025b", "dodge2022", "chen2024")

TREE = {
    "cats": [[["Cats sleep for 15 hours a day.", "They purr at 25 hertz."]]],
    "oil": [[["Crude oil cost 80 dollars a barrel in 2023.", "Prices fell in winter."]]],
}


def test_a_question_is_answered_by_meaning_and_words_with_the_bundled_model(tmp_path):
    settings, material = Settings(), index_tables(TREE)
    leaves, _ = embed_leaves(material.nodes, settings.embedding, None)
    empty = vector_schema(384).empty_table()
    vectors, _ = propagate(material.nodes, leaves, empty, settings.embedding)
    tables = IndexTables(
        documents_table(TREE),
        material.nodes,
        vectors,
        empty,
        material.lexical,
        material.mentions,
        material.images,
        empty,
    )
    write_snapshot(tmp_path, "v1", tables, settings)
    snapshot = open_snapshot(tmp_path, "v1")
    result = retrieve("How long do kittens rest?", snapshot)
    assert result.snippets[0].text.startswith("Cats sleep for 15 hours")
    assert retrieve("What did petroleum cost?", snapshot, settings).matches[0].document_id == "oil"
    assert result.id == result.queries[0] == "How long do kittens rest?"


@pytest.fixture(scope="module")
def papers(tmp_path_factory):
    if not WATTBOT.is_dir():
        pytest.skip("the WattBot papers are not beside the repository")
    rows = []
    for name in PAPERS:
        text = (WATTBOT / "corpus" / f"{name}.json").read_text(encoding="utf-8")
        fixed = {"org_id": "default", "mime_type": "application/json", "status": "parsed", "metadata_json": "{}"}
        title = json.loads(text)["title"]
        rows.append({"document_id": name, "path": name, "sha256": name, "title": title, "payload_json": text} | fixed)
    documents = pa.Table.from_pylist(rows, schema=DOCUMENTS)
    settings, empty = Settings(), vector_schema(1).empty_table()
    nodes, _ = build_tree(documents, IMAGE_CAPTIONS.empty_table(), settings.tree)
    lexical, _ = build_lexical(nodes, settings.lexical)
    nothing = (MENTIONS.empty_table(), DOCUMENT_IMAGES.empty_table(), empty)
    folder = tmp_path_factory.mktemp("papers")
    _, report = write_snapshot(folder, "v1", IndexTables(documents, nodes, empty, empty, lexical, *nothing), settings)
    assert report.problems == (f"{lexical.num_rows} nodes have no vector and are only found by lexical search",)
    return open_snapshot(folder, "v1")


def test_the_right_paper_is_found_by_its_words(papers):
    with (WATTBOT / "train_QA.csv").open(encoding="utf-8-sig") as stream:
        rows = [row for row in csv.DictReader(stream) if row["ref_id"].strip("[]'") in PAPERS]
    plans = [(row["id"], [row["question"]]) for row in rows]
    retriever = Retriever(papers, RetrievalSettings(), lambda texts: np.ones((len(texts), 1), np.float32))
    results = retriever.retrieve(plans)
    first = [result.matches[0].document_id for result in results]
    gold = [row["ref_id"].strip("[]'") for row in rows]
    assert len(rows) >= 8
    assert np.mean([one == other for one, other in zip(first, gold, strict=True)]) >= 0.75
    assert all(len(result.matches) >= 50 for result in results)
    assert all(result.trace["tokens"] <= 6000 for result in results)
    assert all(snippet.page is not None for result in results for snippet in result.snippets)
