"""Whether entities have the right type without a language model: paragraphs marked by hand, see entity_spans/README.md.

    python benchmarks/entity_types.py [--half develop|held_back] [--errors] [--data FOLDER]

A name found is right if a marked one has the same type and the same characters ("exact"), or shares some with it
("overlap"). Names of no type (OTHER) and figures with a unit are not counted. Every document is read as a whole, as the
graph reads it. `--errors` lists what is wrong in the half to develop on.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from entity_documents import READERS, Document, read_collection
from shared_data import data_parser

from kohaku_lib.index.graph.names import DocumentNames
from kohaku_lib.settings import GraphSettings, TreeSettings
from kohaku_lib.tree.leaf_spans import leaf_spans

SPANS = Path(__file__).with_name("entity_spans") / "spans.jsonl"
HALVES = ("develop", "held_back")
TYPES = GraphSettings().entity_types
SETTINGS = TreeSettings()


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """An entity in a paragraph."""

    start: int
    end: int
    entity_type: str


@dataclass(frozen=True, slots=True)
class Marked:
    """A paragraph with its entities: those marked by hand, and those found."""

    half: str
    text: str
    gold: tuple[Span, ...]
    found: tuple[Span, ...]


def main() -> None:
    """Print a table per half."""
    parser = data_parser(__doc__)
    parser.add_argument("--half", choices=HALVES, action="append", help="both by default")
    parser.add_argument("--errors", action="store_true", help="list what is wrong in the half to develop on")
    options = parser.parse_args()
    paragraphs = list(marked_paragraphs(options.data))
    for half in options.half or HALVES:
        own = [one for one in paragraphs if one.half == half]
        print(f"{half}: {len(own)} paragraphs, {sum(len(one.gold) for one in own)} marked entities\n")
        print(
            "| type | marked | found | " + " | ".join(f"{kind} {part}" for kind in ("exact", "overlap") for part in PRF)
        )
        print("|---" * (3 + 2 * len(PRF)) + "|")
        for name in (*TYPES, "all"):
            print(row_of(own, name))
        print()
    if options.errors:
        for one in paragraphs:
            if one.half == "develop":
                print(*_errors(one), sep="\n")


def half_of(collection: str, document: str) -> str:
    """Return the half of a document: "develop" if the first digit of a hash is even, else "held_back"."""
    return HALVES[int(sha256(f"{collection}{document}".encode()).hexdigest()[0], 16) % 2]


def marked_paragraphs(data: Path) -> Iterator[Marked]:
    """Yield the marked paragraphs with what is found in them."""
    rows = [json.loads(line) for line in SPANS.read_text(encoding="utf-8").splitlines()]
    for collection in READERS:
        documents = read_collection(data, collection)
        for name in dict.fromkeys(row["document"] for row in rows if row["collection"] == collection):
            own = [row for row in rows if (row["collection"], row["document"]) == (collection, name)]
            names = DocumentNames(documents[name].title, list(_sentences(documents[name])))
            for row in own:
                text = documents[name].paragraphs[row["paragraph"]]
                check_paragraph(row, text)
                gold = tuple(Span(*span) for span in row["spans"])
                yield Marked(half_of(collection, name), text, gold, tuple(_found(names, text)))


def check_paragraph(row: dict[str, str], text: str) -> None:
    """Raise ValueError if this is not the text that was marked."""
    if sha256(text.encode()).hexdigest()[: len(row["sha256"])] != row["sha256"]:
        msg = f"{row['collection']}/{row['document']}: paragraph {row['paragraph']} is not the one that was marked"
        raise ValueError(msg)


def _sentences(document: Document) -> Iterator[str]:
    for text in document.paragraphs:
        yield from (text[start:end] for start, end in leaf_spans(text, SETTINGS, "en"))


def _found(names: DocumentNames, text: str) -> Iterator[Span]:
    for start, end in leaf_spans(text, SETTINGS, "en"):
        for one in names.mentions(text[start:end]):
            mention = one.mention
            is_figure = mention.entity_type == "TECHNICAL_TERM" and mention.text[0].isdigit()
            if mention.entity_type in TYPES and not is_figure:
                yield Span(start + mention.start, start + mention.end, mention.entity_type)


PRF = ("precision", "recall", "F1")


def row_of(paragraphs: Sequence[Marked], name: str) -> str:
    """Return the row of a type, or of "all"."""
    cells: list[str] = []
    pairs = [(_of_type(one.gold, name), _of_type(one.found, name)) for one in paragraphs]
    marked, found = (sum(len(pair[side]) for pair in pairs) for side in (0, 1))
    for is_right in (_is_equal, _overlaps):
        precise = sum(any(is_right(one, other) for other in gold) for gold, own in pairs for one in own)
        recalled = sum(any(is_right(one, other) for other in own) for gold, own in pairs for one in gold)
        cells += _scores(precise, found, recalled, marked)
    return f"| {name} | {marked} | {found} | " + " | ".join(cells) + " |"


def _of_type(spans: Iterable[Span], name: str) -> list[Span]:
    return [one for one in spans if name in (one.entity_type, "all")]


def _is_equal(one: Span, other: Span) -> bool:
    return one == other


def _overlaps(one: Span, other: Span) -> bool:
    return one.entity_type == other.entity_type and one.start < other.end and other.start < one.end


def _scores(precise: int, found: int, recalled: int, marked: int) -> list[str]:
    precision, recall = (part / total if total else None for part, total in ((precise, found), (recalled, marked)))
    both = None if precision is None or recall is None else precision + recall
    f1 = None if not both else 2 * (precision or 0) * (recall or 0) / both
    return ["–" if value is None else f"{value:.3f}" for value in (precision, recall, f1)]


def _errors(one: Marked) -> Iterator[str]:
    for span in sorted({*one.gold, *one.found}):
        mark = {(True, False): "missed", (False, True): "wrong"}.get((span in one.gold, span in one.found))
        if mark:
            yield f"{mark} {span.entity_type} {one.text[span.start : span.end]!r} in {_around(one.text, span)!r}"


def _around(text: str, span: Span) -> str:
    return text[max(0, span.start - 30) : span.end + 30]


if __name__ == "__main__":
    main()
