"""Markdown → payload → tree → Markdown: what of headings, tables and words survives, and what is lost, by kind.

Every page of the ground truth is parsed, made a tree of nodes, and written as Markdown again. Headings count with
title and level, cells with their text, words as a multiset without marks; "order" is the similarity of the two
sequences of words (1 - indel distance / both lengths).

    python benchmarks/markdown_round_trip.py [--data FOLDER] [--folder ground-truth] [--losses]

FOLDER is the one that holds parser-markdown (default: KOHAKU_SHARED_DATA, else ../shared/data); --losses prints
every lost piece with its page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import unescape

from rapidfuzz.distance import Indel
from shared_data import data_parser

from kohaku_lib.documents.formats.text.markdown import parse_markdown
from kohaku_lib.documents.markdown_export import payload_to_markdown
from kohaku_lib.settings import TreeSettings
from kohaku_lib.tables import DocumentPayload
from kohaku_lib.tree.flatten import flatten

FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
HTML_CELL = re.compile(r"<t[dh][^>]*>(.*?)</t[dh]>", re.DOTALL)
ROW = re.compile(r"^\|(.+)\|[ \t]*$", re.MULTILINE)
TAG = re.compile(r"</?[a-zA-Z][^>]*>|<!--.*?-->", re.DOTALL)
MARKS = re.compile(r"[*`\\$]|!?\[([^\]]*)\]\([^)]*\)")
WORD = re.compile(r"\w+")


@dataclass
class Page:
    """What one text holds."""

    headings: Counter[tuple[int, str]]
    cells: Counter[str]
    words: list[str]


@dataclass
class Tally:
    """Pieces in the source, and those found again."""

    total: int = 0
    kept: int = 0
    lost: list[str] = field(default_factory=list)

    def add(self, name: str, source: Counter, found: Counter) -> None:
        missing = source - found
        self.total += source.total()
        self.kept += source.total() - missing.total()
        self.lost += [f"{name}: {piece!r}" + (f" x{count}" if count > 1 else "") for piece, count in missing.items()]


def main() -> None:
    """Measure every page and print the totals."""
    parser = data_parser(__doc__)
    parser.add_argument("--folder", default="ground-truth")
    parser.add_argument("--losses", action="store_true")
    arguments = parser.parse_args()
    paths = sorted((arguments.data / "parser-markdown" / arguments.folder).glob("*.md"))
    tallies = {name: Tally() for name in ("headings", "headings in the payload", "cells", "words", "words in the tree")}
    orders: list[float] = []
    for path in paths:
        source = path.read_text(encoding="utf-8")
        payload = parse_markdown(source, path.stem, path.stem)
        orders.append(_measure(path.stem, source, payload, tallies))
    print(f"| {len(paths)} pages | in the source | kept | share | pieces lost |\n| --- | --- | --- | --- | --- |")
    for name, tally in tallies.items():
        share = tally.kept / tally.total if tally.total else 1.0
        print(f"| {name} | {tally.total} | {tally.kept} | {share:.4f} | {len(tally.lost)} |")
    print(f"| order of words, mean | | | {sum(orders) / len(orders):.4f} | |")
    print(f"| order of words, worst page | | | {min(orders):.4f} | |")
    if arguments.losses:
        for name, tally in tallies.items():
            print(f"\n{name}:", *(f"  {piece}" for piece in tally.lost), sep="\n")


def _measure(name: str, source: str, payload: DocumentPayload, tallies: dict[str, Tally]) -> float:
    before, after = _page(source), _page(payload_to_markdown(payload))
    tallies["headings"].add(name, before.headings, after.headings)
    tallies["headings in the payload"].add(name, before.headings, _payload_headings(payload))
    tallies["cells"].add(name, before.cells, after.cells)
    tallies["words"].add(name, Counter(before.words), Counter(after.words))
    tree = flatten(payload, "org", {}, TreeSettings()).table().to_pylist()
    texts = [payload.title, *(node["text"] for node in tree if node["kind"] == "section")]
    tallies["words in the tree"].add(name, Counter(before.words), Counter(_words("\n".join(texts))))
    return Indel.normalized_similarity(before.words, after.words)


def _page(text: str) -> Page:
    plain = FENCE.sub("", text)
    headings = Counter((len(marks), " ".join(_words(title))) for marks, title in HEADING.findall(plain))
    return Page(headings, Counter(_cells(text)), _words(text))


def _payload_headings(payload: DocumentPayload) -> Counter[tuple[int, str]]:
    """Return the headings that a payload knows: its sections', those in their paths and those without text."""
    found: set[tuple[int, int, str]] = set()
    for at, section in enumerate(payload.sections or ()):
        found.add((at, section.metadata.get("level", 0), section.title))
        levels = range(1, 1 + len(section.metadata.get("heading_path", [])[:-1]))
        found |= {
            (-1, level, name) for level, name in zip(levels, section.metadata.get("heading_path", []), strict=False)
        }
        found |= {(at, level, name) for level, name in section.metadata.get("empty_headings", [])}
    return Counter((level, " ".join(_words(name))) for _, level, name in found)


def _cells(text: str) -> Iterable[str]:
    for cell in HTML_CELL.findall(text):
        yield " ".join(_words(cell))
    for row in ROW.findall(text):
        if set(row) - set("|-: "):
            yield from (" ".join(_words(cell)) for cell in re.split(r"(?<!\\)\|", row))


def _words(text: str) -> list[str]:
    return WORD.findall(unescape(MARKS.sub(r" \1 ", TAG.sub(" ", text))))


if __name__ == "__main__":
    main()
