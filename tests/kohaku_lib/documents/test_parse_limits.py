"""Files that would take all time or all memory, among files that do not."""

import contextlib
import os
from pathlib import Path

import pymupdf
import pytest
from hostile_pdfs import endless_pdf, greedy_pdf

from kohaku_lib.documents import DOCUMENT_ROW_CACHE_SCHEMA, list_sources, parse_documents, parse_file, parse_paths
from kohaku_lib.documents.supervisor import parse_isolated
from kohaku_lib.settings import CorpusSettings, DocumentsSettings
from kohaku_lib.storage import RowCache

BROKEN = Path(__file__).resolve().parents[3] / "../shared/data/pdfs/broken"
LIMITS = {"time_limit_s": 10.0, "memory_limit_mb": 768, "ocr": "off"}


def test_the_hostile_files_are_sound_pdfs_when_they_are_small(tmp_path):
    (tmp_path / "forms.pdf").write_bytes(endless_pdf(depth=2, width=3))
    (tmp_path / "text.pdf").write_bytes(greedy_pdf(1_000_000))
    assert "bee" in parse_file(tmp_path / "forms.pdf", settings=DocumentsSettings(ocr="off")).text
    with pymupdf.open(tmp_path / "text.pdf") as document:
        assert "a" * 80 in document[0].get_text()
    assert len(endless_pdf()) + len(greedy_pdf()) < 10_000


@pytest.fixture
def batch(tmp_path):
    """A folder of 200 files, of which one never ends and one takes all memory."""
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(198):
        (folder / f"{number:03}.md").write_text(f"# Hive {number}\n\nIt holds {number} bees.\n")
    (folder / "050-endless.pdf").write_bytes(endless_pdf())
    (folder / "051-greedy.pdf").write_bytes(greedy_pdf())
    return CorpusSettings(documents=folder)


def test_a_batch_ends_with_all_others_parsed(batch, tmp_path):
    sources, _ = list_sources(batch)
    cache = RowCache(tmp_path / "cache", DOCUMENT_ROW_CACHE_SCHEMA)
    table, report = parse_documents(sources, batch, DocumentsSettings(**LIMITS), cache, workers=2)
    failed = {row["path"]: row["error"] for row in table.to_pylist() if row["status"] != "parsed"}
    assert failed == {
        "050-endless.pdf": "'050-endless.pdf' takes longer than 10 s to read; "
        "raise documents.time_limit_s or leave the file out",
        "051-greedy.pdf": "'051-greedy.pdf' needs more memory than the 768 MiB that a parser may take; "
        "raise documents.memory_limit_mb or leave the file out",
    }
    assert report.metrics == {"parsed": 198.0, "needs_ocr": 0.0, "failed": 2.0}
    assert len(report.problems) == 2
    assert len(cache) == 198  # a limit may be another one tomorrow


def test_the_file_after_a_greedy_one_meets_a_fresh_process(tmp_path):
    (tmp_path / "greedy.pdf").write_bytes(greedy_pdf())
    (tmp_path / "bee.md").write_text("# Bees\n\nThey fly.\n")
    settings = DocumentsSettings(**LIMITS)
    tasks = [
        {"path": str(tmp_path / name), "settings": settings.model_dump(mode="json"), "time_limit_s": 60.0}
        for name in ("greedy.pdf", "bee.md")
    ]
    greedy, fine = parse_isolated(tasks, workers=1)
    assert (greedy["status"], greedy["spent"]) == ("failed", True)
    assert fine["payload"]["document_id"] == "bee"


def children(name):
    """The command lines of this process's living children that hold `name`."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            command = (stat.parent / "cmdline").read_text()
            if parent == os.getpid() and name in command:
                found.append(command)
    return found


def test_a_process_outlives_neither_its_file_nor_the_one_who_asked(tmp_path):
    (tmp_path / "endless.pdf").write_bytes(endless_pdf())
    (outcome,) = parse_paths([tmp_path / "endless.pdf"], DocumentsSettings(time_limit_s=0.5, ocr="off"), workers=1)
    assert (outcome.status, "takes longer than 0.5 s" in outcome.error) == ("failed", True)
    assert children("kohaku_lib.documents.worker") == []


@pytest.mark.skipif(not BROKEN.is_dir(), reason="the real documents are not on this machine")
def test_every_broken_file_has_one_outcome_within_its_time():
    paths = sorted(BROKEN.glob("*.pdf"))
    outcomes = list(parse_paths(paths, DocumentsSettings(time_limit_s=60, ocr="off"), workers=2))
    assert [outcome.path for outcome in outcomes] == paths
    assert all((outcome.payload is None) == (outcome.status != "parsed") for outcome in outcomes)
    sentences = [outcome.error for outcome in outcomes if outcome.error]
    assert all("\n" not in sentence and "takes longer" not in sentence for sentence in sentences)
    assert all("ended the process" not in sentence for sentence in sentences)
