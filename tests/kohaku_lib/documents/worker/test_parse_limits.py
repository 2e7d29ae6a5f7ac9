"""Files that would take all time or all memory, among files that do not."""

import contextlib
import io
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import docx
import pymupdf
import pytest
from hostile_pdfs import endless_pdf, greedy_pdf
from PIL import Image
from started_process import started_process

from kohaku_lib.documents import DOCUMENT_ROW_CACHE_SCHEMA, list_sources, parse_documents, parse_file, parse_paths
from kohaku_lib.documents.worker import supervisor
from kohaku_lib.documents.worker.kept_processes import end_kept_processes
from kohaku_lib.documents.worker.supervisor import parse_isolated
from kohaku_lib.settings import CorpusSettings, DocumentsSettings
from kohaku_lib.storage import RowCache

BROKEN = Path(__file__).resolve().parents[4] / "../shared/data/pdfs/broken"
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


@pytest.mark.slow
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
    assert len(cache) == 200


def test_the_file_after_a_greedy_one_meets_a_fresh_process(tmp_path):
    (tmp_path / "greedy.pdf").write_bytes(greedy_pdf())
    (tmp_path / "bee.md").write_text("# Bees\n\nThey fly.\n")
    settings = DocumentsSettings(**LIMITS)
    tasks = [
        {
            "path": str(tmp_path / name),
            "settings": settings.model_dump(mode="json"),
            "time_limit_s": 60.0,
            "memory_limit_mb": settings.memory_limit_mb,
        }
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
            command = (stat.parent / "cmdline").read_bytes().decode(errors="replace")
            if parent == os.getpid() and name in command:
                found.append(command)
    return found


def test_a_process_outlives_neither_its_file_nor_its_parent(tmp_path):
    end_kept_processes()
    (tmp_path / "endless.pdf").write_bytes(endless_pdf())
    (outcome,) = parse_paths([tmp_path / "endless.pdf"], DocumentsSettings(time_limit_s=0.5, ocr="off"), workers=1)
    assert (outcome.status, "takes longer than 0.5 s" in outcome.error) == ("failed", True)
    assert children("kohaku_lib.documents.worker.process") == []


@pytest.mark.skipif(not BROKEN.is_dir(), reason="the real documents are not on this machine")
def test_every_broken_file_has_one_outcome_within_its_time():
    paths = sorted(BROKEN.glob("*.pdf"))
    outcomes = list(parse_paths(paths, DocumentsSettings(time_limit_s=60, ocr="off"), workers=2))
    assert [outcome.path for outcome in outcomes] == paths
    assert Counter(outcome.status for outcome in outcomes) == {"parsed": 11, "failed": 14, "needs_ocr": 2}
    assert all((outcome.payload is None) == (outcome.status != "parsed") for outcome in outcomes)
    sentences = [outcome.error for outcome in outcomes if outcome.error]
    assert sum("is encrypted" in sentence for sentence in sentences) == 10
    assert all("\n" not in sentence and len(sentence) < 120 for sentence in sentences)
    assert all("takes longer" not in sentence for sentence in sentences)
    assert all("ended the process" not in sentence for sentence in sentences)


def test_an_ocr_engine_gives_no_more_memory_to_what_it_does_not_read(tmp_path):
    (tmp_path / "greedy.pdf").write_bytes(greedy_pdf())
    settings = DocumentsSettings(time_limit_s=60, memory_limit_mb=768, ocr="rapidocr")  # whether it is installed or not
    [outcome] = parse_paths([tmp_path / "greedy.pdf"], settings, workers=1)
    assert "needs more memory than the 768 MiB that a parser may take" in (outcome.error or "")


@pytest.mark.parametrize(
    "table",
    [
        "<tr>" + "<td rowspan=1000 colspan=1000>a" * 60 + "</tr>" + "<tr><td>b" * 900,
        "<tr><td colspan=1000 rowspan=1000>" + "bee " * 10_000 + "<td>x</tr>" + "<tr><td>b" * 1000,
        "<tr>" + "<td>x" * 20_000 + "</tr>" + "<tr><td>y" * 20_000,
    ],
)
def test_a_small_page_with_a_huge_table_takes_little_memory_and_loses_no_word(tmp_path, table):
    (tmp_path / "table.html").write_text(f"<p>Bees.</p><table>{table}</table>")
    settings = DocumentsSettings(time_limit_s=60, memory_limit_mb=512, ocr="off")
    [outcome] = parse_paths([tmp_path / "table.html"], settings, workers=1)
    assert outcome.payload is not None, outcome.error
    assert outcome.payload["text"].split().count("b") in {900, 1000, 0}
    assert len(outcome.payload["text"]) < 2_000_000


@pytest.fixture
def slow_tesseract(tmp_path, monkeypatch):
    """A command that takes a second for each picture, and writes down that it began."""
    begun = tmp_path / "begun"
    script = f"""#!/bin/sh
case "$1" in
--version) echo "tesseract 5.0" ;;
--list-langs) printf 'List\\neng\\n' ;;
*) cat > /dev/null; echo . >> {begun}; sleep 1; printf 'level\\tblock_num\\tpar_num\\tline_num\\ttext\\tconf\\n' ;;
esac
"""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "tesseract").write_text(script)
    (folder / "tesseract").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return begun


def scan(path, pages):
    picture = io.BytesIO()
    Image.new("L", (60, 80), 200).save(picture, "PNG")
    with pymupdf.open() as document:
        for _ in range(pages):
            page = document.new_page(width=60, height=80)
            page.insert_image(page.rect, stream=picture.getvalue())
        document.save(path)
    return path


def test_the_time_limit_is_that_of_the_whole_document_however_many_pages_are_read_by_ocr(tmp_path, slow_tesseract):
    settings = DocumentsSettings(time_limit_s=3, ocr="tesseract", tiling="off")
    [outcome] = parse_paths([scan(tmp_path / "scan.pdf", 60)], settings, workers=1)
    assert outcome.error == (
        "'scan.pdf' takes longer than 3 s to read; raise documents.time_limit_s or leave the file out"
    )
    assert 1 <= len(slow_tesseract.read_text().splitlines()) <= 3


def test_an_ocr_command_ends_with_the_process_that_waits_for_it(tmp_path, slow_tesseract):
    command = tmp_path / "bin/tesseract"
    command.write_text(command.read_text().replace("sleep 1;", f"echo $$ > {tmp_path}/pid; exec sleep 600;"))
    settings = DocumentsSettings(time_limit_s=3, ocr="tesseract", tiling="off")
    [outcome] = parse_paths([scan(tmp_path / "scan.pdf", 1)], settings, workers=1)
    assert "takes longer than 3 s" in (outcome.error or "")
    assert have_ended([int((tmp_path / "pid").read_text())])


def have_ended(pids):
    """Whether the processes end within a minute."""
    return reached(lambda: not any(map(is_running, pids)))


def reached(condition):
    until = time.monotonic() + 60
    while not condition() and time.monotonic() < until:
        time.sleep(0.05)
    return condition()


def is_running(pid):
    """Whether the process lives; one that has ended may wait to be reaped."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.slow
def test_what_a_share_of_the_memory_does_not_suffice_for_is_read_alone_with_more(tmp_path, monkeypatch):
    monkeypatch.setattr(supervisor, "_memory_for", lambda tasks, workers: supervisor.WorkerMemory(2, 400, 2000))
    for number in range(3):
        (tmp_path / f"{number}.html").write_text("<p>a b c" * 250_000)
    settings = DocumentsSettings(time_limit_s=300, memory_limit_mb=400, ocr="off")
    paths = sorted(tmp_path.glob("*.html"))
    assert all("more memory" in (outcome.error or "") for outcome in parse_paths(paths, settings, workers=2))
    settings = DocumentsSettings(time_limit_s=300, ocr="off")
    outcomes = list(parse_paths(paths, settings, workers=2))
    assert [outcome.status for outcome in outcomes] == ["parsed"] * 3


@pytest.mark.slow
def test_what_a_small_file_unpacks_to_is_bounded(tmp_path):
    """A Word document of some kilobytes that holds 40 MB of text."""
    document = docx.Document()
    for _ in range(40):
        document.add_paragraph("bee " * 250_000)
    document.save(tmp_path / "bomb.docx")
    size = (tmp_path / "bomb.docx").stat().st_size
    [outcome] = parse_paths([tmp_path / "bomb.docx"], DocumentsSettings(ocr="off"), workers=1)
    most = ((4 << 20) + 128 * size) >> 20
    assert most < 40
    assert (outcome.error or "").startswith("the content of 'bomb.docx' takes ")
    assert f"more than the {most} MiB allowed for a file of its size; split it" in (outcome.error or "")


def test_an_interrupt_ends_the_reading_of_an_endless_file_at_once(tmp_path):
    (tmp_path / "endless.pdf").write_bytes(endless_pdf())
    (tmp_path / "endless too.pdf").write_bytes(endless_pdf(width=31))
    program = (
        "import sys; from pathlib import Path; from kohaku_lib.documents import parse_paths;"
        "from kohaku_lib.settings import DocumentsSettings;"
        "list(parse_paths([Path(name) for name in sys.argv[1:]], DocumentsSettings(ocr='off'), 2))"
    )
    names = [str(path) for path in sorted(tmp_path.glob("*.pdf"))]
    with started_process([sys.executable, "-c", program, *names], stderr=subprocess.DEVNULL) as process:
        assert reached(lambda: len(workers_of(process.pid)) == 2)
        started = workers_of(process.pid)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=120) != 0  # the time limit is that of 300 s
        assert have_ended(started)


def workers_of(pid):
    """The children of a process."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(stat.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(stat.parent.name))
    return found
