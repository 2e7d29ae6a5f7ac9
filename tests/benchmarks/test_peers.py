"""The comparison with other systems scores all of them alike, and its page gets the table that was printed."""

import peers
import pytest
from retrieval_collections import Collection, documents_table

QUOTE = "amber floats in salt water and burns"  # three shingles of five words
COLLECTION = Collection(
    "two questions",
    documents_table([("a", "A", "x"), ("b", "B", "y")]),
    {"q1": "Does it float?", "q2": "What is it?"},
    {"q1": frozenset(["a", "b"]), "q2": frozenset(["b"])},
    {"q1": {"explanation": "Quote", "supporting_materials": QUOTE}, "q2": {"explanation": "Figure"}},
)


def test_recall_counts_distinct_documents_and_evidence_the_words_of_the_quotes():
    found = {"q1": (["A", "A", "c", "b"], ["amber floats in salt water"]), "q2": (["c", "b"], [QUOTE])}
    # recall@1: 1/2 and 0; recall@5: 2/2 and 1/1; evidence: one of the three shingles of the only quote
    assert peers.scores(COLLECTION, found) == pytest.approx([0.25, 1.0, 1 / 3, 1 / 3])


def test_the_table_of_a_page_is_replaced_and_the_text_around_it_stays(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# Title\n\nWords.\n\n| old |\n|---|\n| 1 |\n\nMore words.\n\n| other |\n|---|\n", encoding="utf-8")
    peers.write_table(page, ["| new |\n|---|", "| 2 |"])
    text = "# Title\n\nWords.\n\n| new |\n|---|\n| 2 |\n\nMore words.\n\n| other |\n|---|\n"
    assert page.read_text(encoding="utf-8") == text


def test_every_system_has_its_script_and_exact_versions():
    for peer in peers.PEERS:
        assert (peers.FOLDER / f"{peer.script}.py").exists()
        assert all("==" in package for package in peer.packages)
