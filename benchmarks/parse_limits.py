"""What damaged and hostile files come to, and what they cost: real damaged PDFs, files cut, flipped and nested, a hostile batch.

Of each damaged file the table tells the outcome (a document or one sentence), the seconds, and which other readers find
text in it, if --readers names a Python with pypdfium2, pypdf, python-docx, openpyxl, python-pptx and striprtf. It ends
with the files that no other reader opens and we do, and those that we refuse and two others read. The batch of 200 is
measured beside the same batch without its two hostile files, so that the price of isolation is a ratio.

    python benchmarks/parse_limits.py [--data FOLDER] [--readers PYTHON]

FOLDER is the one that holds pdfs/broken and cases (default ../shared/data).
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from shared_data import data_parser

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))
from damaged_files import damaged_files
from hostile_pdfs import endless_pdf, greedy_pdf

from kohaku_lib.documents import parse_paths
from kohaku_lib.settings import DocumentsSettings

ROOT = Path(__file__).resolve().parents[1]
LIMITS = DocumentsSettings(time_limit_s=10, memory_limit_mb=1024, ocr="off")
UNLIMITED = {
    ".csv",
    ".html",
    ".msg",
}  # any text is CSV or HTML; of Outlook's messages the environment has no other reader
GOOD = (
    "pdfs/pdfjs/compressed.tracemonkey-pldi-09.pdf",
    "cases/01-docx-tracked-changes/docs/retention.docx",
    "cases/07-pptx-groups-tables-notes/docs/deck.pptx",
    "cases/09-xlsx-number-formats/docs/rates.xlsx",
    "cases/23-eml-labels-charset/docs/offer.eml",
)


def measured(paths, settings, workers=2):
    started = time.monotonic()
    outcomes = list(parse_paths(paths, settings, workers))
    return outcomes, time.monotonic() - started


def broken_table(data, folder, readers):
    good = [ROOT / "data" / "sample" / "documents" / "kohaku-energy-report.pdf", *(data / name for name in GOOD)]
    paths = [*sorted((data / "pdfs" / "broken").glob("*.pdf")), *damaged_files(good, folder)]
    print("| damaged file | outcome | seconds | read by | reason |\n|---|---|---|---|---|")
    slowest, only_we, refused = 0.0, [], []
    for path in paths:
        ((outcome,), seconds) = measured([path], LIMITS, 1)
        slowest = max(slowest, seconds)
        others = other_readers(path, readers) if readers else []
        print(
            f"| {path.name} | {outcome.status} | {seconds:.2f} | {', '.join(others)} | {outcome.error or ''} |",
            flush=True,
        )
        if outcome.payload and not others and path.suffix not in UNLIMITED:
            only_we.append(path.name)
        if outcome.payload is None and len(others) > 1:
            refused.append(path.name)
    print(
        f"\n{len(paths)} files, slowest, with the start of its process: {slowest:.2f} s of {LIMITS.time_limit_s:.0f} s"
    )
    if readers:
        print(f"read by us alone: {', '.join(only_we) or 'none'}")
        print(f"refused, though two others read them: {', '.join(refused) or 'none'}")
    print()


def other_readers(path, readers):
    """Return the names of the other readers that find text in a file."""
    command = [readers, ROOT / "benchmarks" / "peers" / "read_files.py", path]
    lines = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    return [name for line in lines for name, text in json.loads(line)["texts"].items() if text.strip()]


def batch_table():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(198):
            (folder / f"{number:03}.md").write_text(f"# Hive {number}\n\n" + f"It holds {number} bees. " * 2000)
        harmless = sorted(folder.iterdir())
        (folder / "050-endless.pdf").write_bytes(endless_pdf())
        (folder / "051-greedy.pdf").write_bytes(greedy_pdf())
        alone, alone_s = measured(harmless, LIMITS)
        both, both_s = measured(sorted(folder.iterdir()), LIMITS)
    print("| batch | files | parsed | failed | seconds | ratio |\n|---|---|---|---|---|---|")
    for label, outcomes, seconds in (("harmless", alone, alone_s), ("with two hostile files", both, both_s)):
        parsed = sum(outcome.status == "parsed" for outcome in outcomes)
        print(
            f"| {label} | {len(outcomes)} | {parsed} | {len(outcomes) - parsed} | {seconds:.1f} | {seconds / alone_s:.1f} |"
        )
    for outcome in both:
        if outcome.error:
            print(f"\n{outcome.error}")


if __name__ == "__main__":
    parser = data_parser(__doc__)
    parser.add_argument("--readers", metavar="PYTHON", help="the Python that has the other readers")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        broken_table(options.data, Path(folder), options.readers)
    batch_table()
