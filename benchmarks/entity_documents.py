"""Documents of public collections as numbered paragraphs, for the benchmark of entity types.

Blanks are single, and longer paragraphs are cut at the ends of sentences, so that a paragraph is short enough to be
marked by hand.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

MOST_CHARS = 600  # of a paragraph


@dataclass(frozen=True, slots=True)
class Document:
    """The title of a document and its paragraphs, in their order; a paragraph is known by its number."""

    title: str
    paragraphs: tuple[str, ...]


def read_collection(data: Path, collection: str) -> dict[str, Document]:
    """Return the documents of a collection in the folder `data`, by id."""
    return dict(READERS[collection](data))


def _hotpotqa(data: Path) -> Iterator[tuple[str, Document]]:
    path = data / "multihop-hotpotqa" / "hotpotqa_dev_200.jsonl"
    for line in path.read_text(encoding="utf-8").splitlines():
        for title, sentences in json.loads(line)["context"]:
            yield title, _document(title, ["".join(sentences)])


def _musique(data: Path) -> Iterator[tuple[str, Document]]:
    path = data / "multihop-musique-train" / "musique_train_corpus.json"
    texts: dict[str, list[str]] = {}
    for one in json.loads(path.read_text(encoding="utf-8")):
        texts.setdefault(one["title"], []).append(one["text"])
    yield from ((title, _document(title, own)) for title, own in texts.items())


def _wattbot(data: Path) -> Iterator[tuple[str, Document]]:
    for path in sorted((data / "wattbot" / "corpus").glob("*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        texts = [part["text"] for section in found["sections"] for part in section["paragraphs"]]
        yield path.stem, _document(found["title"], texts)


def _pdfs(data: Path) -> Iterator[tuple[str, Document]]:
    import pymupdf

    for path in sorted((data / "pdfs" / "financebench" / "pdfs").glob("*.pdf")):
        with pymupdf.open(path) as pages:
            blocks = [block[4] for page in pages for block in page.get_text("blocks") if block[6] == 0]
        yield path.stem, _document(path.stem, blocks)


def _wikitexts(data: Path) -> Iterator[tuple[str, Document]]:
    text = (data / "chunking-evaluation" / "corpora" / "wikitexts.md").read_text(encoding="utf-8")
    parts = re.split(r"(?m)^ = ([^=\n]+) = $", text)
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        yield title.strip(), _document(title.strip(), _tokens_joined(body).split("\n"))


def _scifact(data: Path) -> Iterator[tuple[str, Document]]:
    with gzip.open(data / "scifact" / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        for one in map(json.loads, lines):
            yield one["_id"], _document(one["title"], [one["text"]])


READERS: dict[str, Callable[[Path], Iterator[tuple[str, Document]]]] = {
    "hotpotqa": _hotpotqa,
    "musique": _musique,
    "wattbot": _wattbot,
    "pdfs": _pdfs,
    "wikitexts": _wikitexts,
    "scifact": _scifact,
}


def _document(title: str, texts: Iterable[str]) -> Document:
    return Document(title, tuple(piece for text in texts for piece in _pieces(" ".join(text.split()))))


def _pieces(text: str) -> Iterator[str]:
    """Cut a text at the ends of sentences into pieces of up to MOST_CHARS; a longer sentence is a piece of its own."""
    piece = ""
    for sentence in re.split(r"(?<=[.!?]) (?=[A-Z])", text):
        if piece and len(piece) + 1 + len(sentence) > MOST_CHARS:
            yield piece
            piece = ""
        piece = f"{piece} {sentence}".strip()
    if piece:
        yield piece


def _tokens_joined(text: str) -> str:
    """Undo the spaces around punctuation in WikiText."""
    text = re.sub(r" @(.)@ ", r"\1", text)
    text = re.sub(r" ([.,;:!?)%]|'s\b|n't\b)", r"\1", text)
    return re.sub(r"([($£€]) ", r"\1", text)
