"""Whether a passage is found whose topic stands in the heading above it: six folders of documents with headings.

    python benchmarks/headings.py [--half first|second] [--set KEY=VALUE ...] [--work FOLDER]

The first two documents of each folder are for choosing settings, the last two for the figure; all four are searched. A
question is answered in one section. recall@k: its first k distinct passages (a sentence or a paragraph) include one of
that section; evidence: the answering sentence is in the first 4,000 characters of the context. Intervals are clustered by
document. Rows with `--set` are compared with the defaults in one run.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from retrieval_collections import build_index
from trust_documents import make_documents

from kohaku_lib.composition import load_settings
from kohaku_lib.documents import list_sources, parse_documents
from kohaku_lib.embedding import embed_queries
from kohaku_lib.evaluation.statistics.intervals import bootstrap_interval
from kohaku_lib.index import Snapshot
from kohaku_lib.retrieval import Retriever
from kohaku_lib.retrieval.planning.plan_rules import plan_by_rule
from kohaku_lib.settings import CorpusSettings, Settings

SOURCES = Path(__file__).with_name("headings")
CONTEXT_CHARS = 4000
METRICS = ("recall@1", "recall@5", "evidence")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the place of its answer; `words` is where the thing asked for is named: "heading" or "paragraph"."""

    id: str
    folder: str
    document: str
    heading: str
    words: str
    text: str
    quote: str


def main() -> None:
    """Print a table of the defaults and of each setting beside them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("first", "second"), default="first")
    parser.add_argument("--set", nargs="+", default=[], metavar="KEY=VALUE", help="each a row of its own")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "kohaku-headings")
    options = parser.parse_args()
    asked = [one for one in questions() if is_in(one, options.half)]
    print(f"{len(asked)} questions about the {options.half} half of the documents\n")
    print("| settings | words of | " + " | ".join(METRICS) + " |\n" + "|---" * (len(METRICS) + 2) + "|")
    for change in ("", *options.set):
        settings = load_settings(overrides=change.split(), environment={}, folder=options.work).settings
        scores = [row for folder in folders() for row in scored(folder, asked, settings, options.work)]
        for words in ("heading", "paragraph"):
            cells = [_cell([row for row in scores if row["words"] == words], metric) for metric in METRICS]
            print(f"| {change or 'defaults'} | {words} | " + " | ".join(cells) + " |", flush=True)


def folders() -> list[str]:
    """Return the names of the collections."""
    return sorted(path.name for path in SOURCES.iterdir() if path.is_dir())


def questions() -> Iterator[Asked]:
    """Yield all questions."""
    with (SOURCES / "questions.csv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            names = ("id", "folder", "document", "heading", "words", "question", "quote")
            yield Asked(*(row[name] for name in names))


def is_in(asked: Asked, half: str) -> bool:
    """Return whether the document of a question is in the first or the second half of its folder, by name."""
    names = sorted(
        path.name.removesuffix(".md") if ".docx" in path.name else path.name for path in _files(asked.folder)
    )
    return (names.index(asked.document) < len(names) // 2) == (half == "first")


def scored(folder: str, asked: Sequence[Asked], settings: Settings, work: Path) -> Iterator[dict[str, str | float]]:
    """Yield the scores of the questions about a folder."""
    snapshot = _index(folder, settings, work)
    retriever = Retriever(snapshot, settings.retrieval, lambda texts: embed_queries(texts, settings.embedding))
    own = [one for one in asked if one.folder == folder]
    plans = [(one.id, plan_by_rule(one.text, settings.planner.max_queries)) for one in own]
    for one, result in zip(own, retriever.retrieve(plans), strict=True):
        right = _section_rows(snapshot, one)
        rows = [snapshot.row_of(match.node_id) for match in result.matches]
        # a sentence and its paragraph are one passage
        passages = list(
            dict.fromkeys(row if snapshot.kind(row) == "paragraph" else snapshot.parents(row, 1)[0] for row in rows)
        )
        hits = [row in right for row in passages]
        context = " ".join(snippet.text for snippet in result.snippets)[:CONTEXT_CHARS]
        yield {
            "words": one.words,
            "document": f"{folder}/{one.document}",
            "recall@1": float(any(hits[:1])),
            "recall@5": float(any(hits[:5])),
            "evidence": float(_plain(one.quote) in _plain(context)),
        }


def _section_rows(snapshot: Snapshot, asked: Asked) -> set[int]:
    """Return the paragraphs of the section that answers."""
    nodes = snapshot.nodes
    columns = (nodes.column(name).to_pylist() for name in ("document_id", "kind", "title"))
    stem = asked.document.partition(".")[0]
    rows = {
        row
        for row, (document, kind, title) in enumerate(zip(*columns, strict=True))
        if document == stem and kind == "paragraph" and f" / {title}".endswith(f" / {asked.heading}")
    }
    if not rows:
        msg = f"{asked.id}: the document {stem!r} has no section {asked.heading!r}"
        raise ValueError(msg)
    return rows


def _index(folder: str, settings: Settings, work: Path) -> Snapshot:
    documents = work / "documents" / folder
    if not documents.exists():
        make_documents(folder, documents, SOURCES)
    corpus = CorpusSettings(documents=documents)
    parsed, _ = parse_documents(list_sources(corpus)[0], corpus, settings.documents)
    return build_index(parsed, work / folder, settings)


def _files(folder: str) -> list[Path]:
    return list((SOURCES / folder).iterdir())


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def _cell(rows: Sequence[dict[str, str | float]], metric: str) -> str:
    """Return the mean and its 95 % interval by document."""
    values = [float(row[metric]) for row in rows]
    interval = bootstrap_interval(values, [str(row["document"]) for row in rows])
    return f"{fmean(values):.3f} ({interval.text()})"


if __name__ == "__main__":
    main()
