"""How many pages and sheets a second does parsing give, with one and two workers, and how much memory does a long filing take?

Every row parses the same files through `parse_paths`, as a refresh does: worker processes, limits, JSON replies and
their start included. Beside it, in the same run and one process: `page.get_text("blocks")` alone, which is the
least that any parser must do, and `pymupdf4llm.to_markdown` as it comes. The rows are measured in turns, three
times where they are short, and the best counts. The layout path and pymupdf4llm see only the short files. Sheets are those of
four workbooks, written here, of 20 sheets with 300 rows of 8 cells; beside them stands openpyxl reading their values.

    python benchmarks/parsing_speed.py [--data FOLDER] [--layout-memory] [--no-layout]

FOLDER is the one that holds pdfs/ (default: KOHAKU_SHARED_DATA, else ../shared/data). Memory is the peak resident
set (Linux only) of a child process that parses financebench/pdfs/3M_2022_10K.pdf (252 pages); --layout-memory measures it for
the layout path as well, which takes some minutes.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import importlib.util
import io
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import openpyxl
import pymupdf
from shared_data import data_parser

from kohaku_lib.documents import parse_paths
from kohaku_lib.settings import DocumentsSettings

LONG = (
    "financebench/pdfs/AMCOR_2023Q2_10Q.pdf",
    "financebench/pdfs/ADOBE_2022_10K.pdf",
    "financebench/pdfs/BESTBUY_2023_10K.pdf",
    "financebench/pdfs/BESTBUY_2024Q2_10Q.pdf",
)
SHORT = (
    "pdfjs/compressed.tracemonkey-pldi-09.pdf",
    "olmocr-gnarly/pdftotext_two_column_issue.pdf",
    "financebench/pdfs/AMCOR_2023Q4_EARNINGS.pdf",
    "financebench/pdfs/ULTABEAUTY_2023Q4_EARNINGS.pdf",
)
FILING = "financebench/pdfs/3M_2022_10K.pdf"
SHEETS, ROWS = 20, 300  # of a workbook, and of a sheet
_PEAK = """
import re
def peak_mib():  # not ru_maxrss, which a child inherits from its parent
    return int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024
"""
_CHILD = """
import sys, time
from pathlib import Path
from kohaku_lib.documents import parse_file
from kohaku_lib.settings import DocumentsSettings
start = time.perf_counter()
parse_file(Path(sys.argv[1]), settings=DocumentsSettings(parser=sys.argv[2], ocr="off"))
print(time.perf_counter() - start, peak_mib())
"""
_PLAIN_CHILD = """
import sys, time, pymupdf
start = time.perf_counter()
for page in pymupdf.open(sys.argv[1]):
    page.get_text("blocks")
print(time.perf_counter() - start, peak_mib())
"""


def main() -> None:
    """Measure everything and print both tables."""
    arguments = _arguments()
    folder = arguments.data / "pdfs"
    long, short = ([folder / name for name in names] for names in (LONG, SHORT))
    plain = _pages(long) / _best(3, lambda: _read_plainly(long))
    print("| way | workers | pages | pages a second | of get_text |")
    print("| --- | --- | --- | --- | --- |")
    _print_row('page.get_text("blocks")', 1, _pages(long), plain, plain)
    for workers in (1, 2):
        _print_ours("blocks", workers, long, 3, plain)
    for workers in (1, 2):
        _print_ours("auto", workers, long, 1, plain)
    for workers in () if arguments.no_layout else (1, 2):
        _print_ours("layout", workers, short, 1, plain)
    if importlib.util.find_spec("pymupdf4llm"):
        _print_row("pymupdf4llm.to_markdown", 1, _pages(short), _pages(short) / _best(1, lambda: _their(short)), plain)
    _report_sheets()
    _report_memory(folder / FILING, ("blocks", "layout") if arguments.layout_memory else ("blocks",))


def _report_sheets() -> None:
    print("\n| way | workers | sheets | sheets a second | of openpyxl |\n| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        books = [_workbook(Path(folder) / f"book-{number}.xlsx") for number in range(4)]
        sheets = len(books) * SHEETS
        plain = sheets / _best(3, lambda: _read_values(books))
        _print_row("openpyxl, values alone", 1, sheets, plain, plain)
        for workers in (1, 2):
            rate = sheets / _best(3, lambda workers=workers: _parse(books, DocumentsSettings(), workers))
            _print_row("kohaku", workers, sheets, rate, plain)


def _workbook(path: Path) -> Path:
    book = openpyxl.Workbook(write_only=True)
    for number in range(1, SHEETS + 1):
        sheet = book.create_sheet(f"Hall {number}")
        sheet.append(["Shelf", "Article", "Pieces", "Price in EUR", "Checked", "By", "Weight in kg", "Remark"])
        for row in range(ROWS):
            day = datetime.date(2026, 1, 1) + datetime.timedelta(days=row)
            sheet.append([f"S{row:03}", f"Part {row * number}", row % 17, row * 1.25, day, "Ann", row / 8, "in order"])
    book.save(path)
    return path


def _read_values(books: Sequence[Path]) -> None:
    for path in books:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        for sheet in book.worksheets:
            for _ in sheet.iter_rows(values_only=True):
                pass
        book.close()


def _parse(paths: Sequence[Path], settings: DocumentsSettings, workers: int) -> None:
    for outcome in parse_paths(paths, settings, workers):
        if outcome.error:
            sys.exit(outcome.error)


def _arguments() -> argparse.Namespace:
    parser = data_parser(__doc__)
    parser.add_argument("--layout-memory", action="store_true")
    parser.add_argument("--no-layout", action="store_true")
    return parser.parse_args()


def _pages(paths: Sequence[Path]) -> int:
    count = 0
    for path in paths:
        with pymupdf.open(path) as document:
            count += document.page_count
    return count


def _best(repeats: int, work: Callable[[], None]) -> float:
    """Return the least seconds of `repeats` runs."""
    seconds: list[float] = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def _read_plainly(paths: Sequence[Path]) -> None:
    for path in paths:
        with pymupdf.open(path) as document:
            for page in document:
                page.get_text("blocks")


def _print_ours(parser: str, workers: int, paths: Sequence[Path], repeats: int, plain: float) -> None:
    settings = DocumentsSettings.model_validate({"parser": parser, "ocr": "off", "time_limit_s": 600})
    rate = _pages(paths) / _best(repeats, lambda: _parse(paths, settings, workers))
    _print_row(f"parser = {parser}", workers, _pages(paths), rate, plain)


def _their(paths: Sequence[Path]) -> None:
    import pymupdf4llm

    with contextlib.redirect_stdout(io.StringIO()):
        for path in paths:
            pymupdf4llm.to_markdown(str(path))


def _print_row(way: str, workers: int, count: int, rate: float, plain: float) -> None:
    print(f"| {way} | {workers} | {count} | {rate:.1f} | {rate / plain:.3f} |", flush=True)


def _report_memory(filing: Path, parsers: Sequence[str]) -> None:
    pages = _pages([filing])
    print(f"\n| {filing.name}, {pages} pages, one process | seconds | peak memory, MiB |\n| --- | --- | --- |")
    runs = [('page.get_text("blocks")', [_PLAIN_CHILD, str(filing)])]
    runs += [(f"parser = {parser}", [_CHILD, str(filing), parser]) for parser in parsers]
    for name, command in runs:
        done = subprocess.run(
            [sys.executable, "-c", _PEAK + command[0], *command[1:]], capture_output=True, text=True, check=True
        )
        seconds, mebibytes = map(float, done.stdout.split()[-2:])
        print(f"| {name} | {seconds:.1f} | {mebibytes:.0f} |", flush=True)


if __name__ == "__main__":
    main()
