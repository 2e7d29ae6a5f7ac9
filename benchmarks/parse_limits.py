"""What damaged and hostile files cost: each real damaged PDF by itself, and a batch of 200 with two hostile ones.

The batch is measured beside the same batch without the two, so that the price of isolation is a ratio.

    python benchmarks/parse_limits.py [--data FOLDER]

FOLDER is the one that holds pdfs/broken (default ../shared/data).
"""

import sys
import tempfile
import time
from pathlib import Path

from shared_data import data_parser

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))
from hostile_pdfs import endless_pdf, greedy_pdf

from kohaku_lib.documents import parse_paths
from kohaku_lib.settings import DocumentsSettings

LIMITS = DocumentsSettings(time_limit_s=10, memory_limit_mb=1024, ocr="off")


def measured(paths, settings, workers=2):
    started = time.monotonic()
    outcomes = list(parse_paths(paths, settings, workers))
    return outcomes, time.monotonic() - started


def broken_table(folder):
    print("| damaged file | outcome | seconds | reason |\n|---|---|---|---|")
    slowest = 0.0
    for path in sorted(folder.glob("*.pdf")):
        ((outcome,), seconds) = measured([path], LIMITS, 1)
        slowest = max(slowest, seconds)
        print(f"| {path.name} | {outcome.status} | {seconds:.2f} | {outcome.error or ''} |")
    print(f"\nslowest, with the start of its process: {slowest:.2f} s of {LIMITS.time_limit_s:.0f} s\n")


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
    data = data_parser(__doc__).parse_args().data
    broken_table(data / "pdfs" / "broken")
    batch_table()
