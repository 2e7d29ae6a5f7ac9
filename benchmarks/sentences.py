"""Sentence splitters side by side: our guarded one, sentencex and pysbd (pip install pysbd, for this table only).

"cases" are the texts that a person marked in tests/support/sentence_cases.py: a case counts where every boundary is
right; "later" are those written after ours was made. The other columns come from the five long texts of
chunking-evaluation, cut at blank lines first: the shares of sentences of fewer than 20 characters, that begin in
lower case, of more than 400 characters; the share of the gold spans (answers that a question refers to) whose start
and whose end fall on a boundary; and the seconds for a million characters. "ours, whole" joins short pieces, as the
tree does.

    python benchmarks/sentences.py [--data FOLDER]

FOLDER is the one that holds chunking-evaluation (default: KOHAKU_SHARED_DATA, else ../shared/data).
"""

from __future__ import annotations

import csv
import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from shared_data import data_parser

from kohaku_lib.settings import TreeSettings
from kohaku_lib.tree.leaf_spans import leaf_spans

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))
from sentence_cases import CASES, HELD_OUT, sentences_of, text_of

Span = tuple[int, int]
Splitter = Callable[[str, str], list[Span]]
CORPORA = ("wikitexts", "pubmed", "finance", "state_of_the_union", "chatlogs")
MOST_CHARS = 120_000  # of each text
NEAR = 2  # characters by which a boundary may miss a gold one


def main() -> None:
    """Print a row per splitter."""
    folder = data_parser(__doc__).parse_args().data / "chunking-evaluation"
    texts = {name: (folder / "corpora" / f"{name}.md").read_text(encoding="utf-8")[:MOST_CHARS] for name in CORPORA}
    gold = _gold(folder / "questions_df.csv", texts)
    print(
        "| splitter | cases | later | < 20 | lower case | > 400 | gold starts | gold ends | s per million characters |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, split in _splitters().items():
        print(f"| {name} | {_right(split, CASES)} | {_right(split, HELD_OUT)} | {_proxies(split, texts, gold)} |")


def _splitters() -> dict[str, Splitter]:
    found: dict[str, Splitter] = {
        "ours": partial(_ours, TreeSettings(min_sentence_chars=0)),
        "ours, whole": partial(_ours, TreeSettings()),
        "ours, English rules": lambda text, _: _ours(TreeSettings(min_sentence_chars=0), text, "en"),
        "sentencex": _sentencex,
        "regex": partial(_ours, TreeSettings(sentence_splitter="regex")),
    }
    try:
        import pysbd  # noqa: F401  # pyright: ignore[reportMissingImports]
    except ModuleNotFoundError:
        print("pysbd is not installed and left out; pip install pysbd", file=sys.stderr)
        return found
    return {**found, "pysbd": _pysbd}


def _ours(settings: TreeSettings, text: str, language: str) -> list[Span]:
    return leaf_spans(text, settings, language)


def _sentencex(text: str, language: str) -> list[Span]:
    from sentencex.sentencex import get_sentence_boundaries

    found = get_sentence_boundaries(language, text)
    return _trimmed(text, [(one["start_index"], one["end_index"]) for one in found])


def _pysbd(text: str, language: str) -> list[Span]:
    spans: list[Span] = []
    for sentence in _segmenter(language).segment(text):
        start = text.find(sentence, spans[-1][1] if spans else 0)
        spans.append((max(start, 0), max(start, 0) + len(sentence)))
    return _trimmed(text, spans)


@cache
def _segmenter(language: str) -> Any:
    import pysbd  # pyright: ignore[reportMissingImports]

    try:
        return pysbd.Segmenter(language=language, clean=False)
    except ValueError:
        return pysbd.Segmenter(language="en", clean=False)


def _trimmed(text: str, spans: Sequence[Span]) -> list[Span]:
    pieces = [(start, text[start:end]) for start, end in spans]
    return [
        (start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip()))
        for start, piece in pieces
        if piece.strip()
    ]


def _right(split: Splitter, cases: dict[str, tuple[str, ...]]) -> str:
    right = total = 0
    for language, texts in cases.items():
        for case in texts:
            text = text_of(case)
            right += [text[start:end] for start, end in split(text, language)] == sentences_of(case)
            total += 1
    return f"{right}/{total}"


def _gold(path: Path, texts: dict[str, str]) -> dict[str, list[Span]]:
    spans: dict[str, list[Span]] = {name: [] for name in texts}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for one in json.loads(row["references"]):
                if one["end_index"] <= MOST_CHARS:
                    spans[row["corpus_id"]].append((one["start_index"], one["end_index"]))
    return spans


def _proxies(split: Splitter, texts: dict[str, str], gold: dict[str, list[Span]]) -> str:
    started = time.process_time()
    spans = {name: list(_spans(split, text)) for name, text in texts.items()}
    seconds = (time.process_time() - started) / sum(map(len, texts.values())) * 1e6
    pieces = [texts[name][start:end] for name, found in spans.items() for start, end in found]
    shares = [
        sum(len(piece) < 20 for piece in pieces),
        sum(piece[0].islower() for piece in pieces),
        sum(len(piece) > 400 for piece in pieces),
    ]
    ends = [
        _on_boundary([span[side] for span in found], gold[name], side)
        for side in (0, 1)
        for name, found in spans.items()
    ]
    half = len(spans)
    total = sum(map(len, gold.values()))
    aligned = [sum(ends[:half]), sum(ends[half:])]
    cells = [f"{count / len(pieces):.4f}" for count in shares] + [f"{count / total:.3f}" for count in aligned]
    return " | ".join([*cells, f"{seconds:.2f}"])


def _spans(split: Splitter, text: str) -> Iterator[Span]:
    start = 0
    for part in re.split(r"(\n\s*\n)", text):
        yield from ((start + left, start + right) for left, right in split(part, "en"))
        start += len(part)


def _on_boundary(places: Sequence[int], gold: Sequence[Span], side: int) -> int:
    near = {place + shift for place in places for shift in range(-NEAR, NEAR + 1)}
    return sum(span[side] in near for span in gold)


if __name__ == "__main__":
    main()
