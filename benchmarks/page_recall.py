"""FinanceBench: does the page that holds the evidence stand among the pages of the first paragraphs retrieved?

The filings are indexed through the ordinary refresh (embedded defaults, no LLM) into a store of their own; every
question is searched as it stands. A hit is the right document and page among the pages that one of the first k
paragraphs stands on; a sentence counts as its paragraph. "all filings" searches the whole collection, "its filing"
keeps of the same ranking what lies in the filing that is asked about.

    python benchmarks/page_recall.py [--data FOLDER] [--work FOLDER] [--missed]

FOLDER is the one that holds pdfs/financebench (default: KOHAKU_SHARED_DATA, else ../shared/data). With --work the
store stays there and a later run embeds only what is new; --missed lists the questions without a hit in ten. Put
another checkout first in PYTHONPATH to measure that one.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from shared_data import data_parser

import kohaku_lib
from kohaku_lib.embedding import embed_queries
from kohaku_lib.index import Snapshot, open_snapshot
from kohaku_lib.retrieval import Retriever
from kohaku_lib.settings import Settings

DEPTHS = (1, 5, 10)
Place = tuple[str, int]  # document, page from 1


def main() -> None:
    """Build the store where it is not there, search, print the table."""
    arguments = _arguments()
    corpus = arguments.data / "pdfs" / "financebench"
    questions = [json.loads(line) for line in (corpus / "questions.jsonl").read_text("utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(arguments.work or temporary)
        seconds = _refresh(corpus / "pdfs", work)
        snapshot = _newest_snapshot(work / "store" / "snapshots")
        found = _ranked_paragraphs(snapshot, [question["question"] for question in questions])
        _report(snapshot, questions, found, seconds)
        if arguments.missed:
            _print_missed(snapshot, questions, found)


def _arguments() -> argparse.Namespace:
    parser = data_parser(__doc__)
    parser.add_argument("--work")
    parser.add_argument("--missed", action="store_true")
    return parser.parse_args()


def _refresh(filings: Path, work: Path) -> float:
    """Bring the index of `filings` up to date in `work` and return the seconds it took."""
    home = work / "dagster_home"
    home.mkdir(parents=True, exist_ok=True)
    root = Path(kohaku_lib.__file__).parents[1]
    shutil.copy(root / "dagster_home" / "dagster.yaml", home)
    config = work / "kohaku.toml"
    config.write_text(f"store = 'store'\n[corpus]\ndocuments = '{filings.resolve()}'\n", "utf-8")
    command = [sys.executable, "-m", "kohaku_assets.cli", "refresh", "vector_tables"]
    environment = os.environ | {"DAGSTER_HOME": str(home.resolve()), "PYTHONPATH": str(root)}
    started = time.monotonic()
    subprocess.run([*command, "--config", str(config)], env=environment, check=True, stdout=sys.stderr)
    return time.monotonic() - started


def _newest_snapshot(folder: Path) -> Snapshot:
    newest = max(folder.glob("*/meta.json"), key=lambda path: path.stat().st_mtime)
    return open_snapshot(folder, newest.parent.name)


def _ranked_paragraphs(snapshot: Snapshot, questions: Sequence[str]) -> list[list[int]]:
    """Return for each question the rows of the paragraphs of its ranking, best first, each once."""
    settings = Settings()
    retriever = Retriever(snapshot, settings.retrieval, partial(embed_queries, settings=settings.embedding))
    results = retriever.retrieve([(text, [text]) for text in questions])
    return [list(dict.fromkeys(_paragraph_row(snapshot, match.node_id) for match in r.matches)) for r in results]


def _paragraph_row(snapshot: Snapshot, node_id: str) -> int:
    row = snapshot.row_of(node_id)
    kind = snapshot.nodes.column("kind")[row].as_py()
    return int(snapshot.parent_rows[row]) if kind == "sentence" else row


def _places(snapshot: Snapshot, row: int) -> set[Place]:
    node = snapshot.nodes.slice(row, 1).to_pylist()[0]
    starts = json.loads(node["metadata_json"]).get("page_starts", [])
    return {(node["document_id"], page) for page in [node["page"], *(page for _, page in starts)]}


def _gold(question: dict[str, Any]) -> set[Place]:
    return {(piece["doc_name"], piece["evidence_page_num"] + 1) for piece in question["evidence"]}


def _first_hit(snapshot: Snapshot, rows: Iterator[int], gold: set[Place]) -> int | None:
    """Return the rank, from 1, of the first of ten paragraphs that stands on a gold page; None where none does."""
    for rank, row in enumerate(rows, 1):
        if rank > max(DEPTHS):
            return None
        if _places(snapshot, row) & gold:
            return rank
    return None


def _hits(
    snapshot: Snapshot, questions: Sequence[dict[str, Any]], found: Sequence[list[int]], *, own: bool
) -> list[int | None]:
    """Return the rank of each question's first hit; `own` looks at the paragraphs of its filing only."""
    hits = []
    for question, rows in zip(questions, found, strict=True):
        documents = snapshot.column("document_id", rows)
        kept = (row for row, name in zip(rows, documents, strict=True) if not own or name == question["doc_name"])
        hits.append(_first_hit(snapshot, kept, _gold(question)))
    return hits


def _report(
    snapshot: Snapshot, questions: Sequence[dict[str, Any]], found: Sequence[list[int]], seconds: float
) -> None:
    counts = snapshot.nodes.column("kind").value_counts().to_pylist()
    print("index:", ", ".join(f"{entry['counts']} {entry['values']}s" for entry in counts), f"in {seconds:.0f} s\n")
    print(f"| {len(questions)} questions |", " | ".join(f"page recall@{depth}" for depth in DEPTHS), "|")
    print("|---" * (len(DEPTHS) + 1) + "|")
    for name, own in (("all filings", False), ("its filing", True)):
        hits = _hits(snapshot, questions, found, own=own)
        shares = [sum(hit is not None and hit <= depth for hit in hits) / len(hits) for depth in DEPTHS]
        print(f"| {name} |", " | ".join(f"{share:.3f}" for share in shares), "|")


def _print_missed(snapshot: Snapshot, questions: Sequence[dict[str, Any]], found: Sequence[list[int]]) -> None:
    for question, hit in zip(questions, _hits(snapshot, questions, found, own=True), strict=True):
        if hit is None:
            print(f"\n{sorted(_gold(question))} {question['question']}")


if __name__ == "__main__":
    main()
