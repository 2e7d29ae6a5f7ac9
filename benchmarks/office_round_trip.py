"""What readers find of office documents whose content is known, and whether in order: Kohaku, MarkItDown, Docling, Unstructured.

60 documents of eight formats are written from a seed by other libraries than Kohaku reads with (office_round_trip/; .pptx by
python-pptx, which all use): texts of eight scripts, headings, numbered lists, tables with merged, empty and nested cells,
notes, comments, headers, text boxes, number formats as they are shown, quoted mail, attachments. Five further ones, with a
table of their own, hold what readers often lose or take for text: see FURTHER.

    python benchmarks/office_round_trip.py [--seed 1] [--formats docx,odt] [--rivals docling] [--environments FOLDER] [--losses]

Every reader gets the files with its defaults (Unstructured with attachments, tables as HTML) and gives Markdown; comments
that Kohaku keeps as metadata count as found. A text counts if it stands whole in the output but for blanks and marks of
Markdown, a label if it stands before its item, a row if its cells stand in one line. "Order" is the longest increasing
sequence of headings, paragraphs, items and cells over those found. Rivals get environments of their own, with the versions
below, which the first call makes by pip. "-": the reader refuses all files of the format.
"""

from __future__ import annotations

import argparse
import bisect
import json
import re
import subprocess
import sys
import tempfile
import unicodedata
import venv
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from html import unescape
from itertools import product
from pathlib import Path
from typing import Any

from kohaku_lib.documents import ParseOutcome, parse_paths, payload_from_json, payload_to_markdown
from kohaku_lib.settings import DocumentsSettings

FOLDER = Path(__file__).with_suffix("")
FORMATS = ("docx", "xlsx", "pptx", "odt", "rtf", "eml", "msg", "epub", "further")
WRITERS = (
    "python-docx==1.2.0",
    "XlsxWriter==3.3.1",
    "python-pptx==1.0.2",
    "odfpy==1.4.1",
    "EbookLib==0.20",
    "aspose-email-foss==26.3",
    "PyMuPDF==2.0",
)
RIVALS = {
    "markitdown": ("markitdown[all]==0.1.9",),
    "docling": ("docling==2.143.0", "odfdo==3.27.3"),
    "unstructured": ("unstructured[docx,xlsx,pptx,odt,rtf,epub]==0.27.35", "pypandoc_binary==1.17"),
}
COLUMNS = {
    "texts": {"heading", "paragraph", "item"},
    "labels": {"label"},
    "cells": {"cell"},
    "rows": {"row"},
    "notes": {"note"},
    "around": {"around"},
    "order": {"order"},
}
FURTHER = {
    "diagrams": {"diagram"},
    "charts": {"chart"},  # title, title of an axis, rows of values; the sheet of the values is hidden
    "struck out": {"struck"},  # is left out, and what holds in its place is there
    "boxes": {"box"},  # of forms, as ticked or as empty
    "ruby": {"ruby"},  # the word stays whole in its line, whose reading stands above it
    "calendars": {"calendar"},  # what, when, where, who
    "files": {"attached"},  # within a PDF
}
_ORDERED = {"heading", "paragraph", "item", "cell"}
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>|<!--.*?-->", re.DOTALL)
_END_OF_LINE = re.compile(r"</(?:tr|p|li|table)>", re.IGNORECASE)
_MARKS = re.compile(r"[\\*_`|#]")
_BOXES = {"ticked": r"(?:[☒☑✓✔✗✘]|\[\s*[xX]\s*\])", "": r"(?:[☐□]|\[\s*\])"}


def main() -> None:
    """Write the documents, let each reader read them and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--formats", default=",".join(FORMATS))
    parser.add_argument("--rivals", default=",".join(RIVALS))
    parser.add_argument("--environments", type=Path, default=Path(tempfile.gettempdir()) / "kohaku-office-peers")
    parser.add_argument("--losses", action="store_true", help="print what Kohaku does not find")
    options = parser.parse_args()
    formats = options.formats.split(",")
    with tempfile.TemporaryDirectory() as work:
        documents = Path(work) / "documents"
        documents.mkdir()
        python = make_environment(options.environments / "writers", WRITERS)
        subprocess.run([python, FOLDER / "write_documents.py", documents, str(options.seed), *formats], check=True)
        truth = json.loads((documents / "truth.json").read_text(encoding="utf-8"))
        (documents / "truth.json").unlink()
        read = {"Kohaku": own_texts(documents)}
        for name in filter(None, options.rivals.split(",")):
            packages = RIVALS[name]
            python = make_environment(options.environments / name, packages)
            read[f"{name} {packages[0].partition('==')[2]}"] = rival_texts(name, python, documents)
    for columns, is_further in ((COLUMNS, False), (FURTHER, True)):
        names = [name for name in truth if name.startswith("further.") == is_further]
        if names:
            print(f"| format | reader | {' | '.join(columns)} |\n|---|---{'|---' * len(columns)}|")
        for form, reader in product(dict.fromkeys(name.rpartition(".")[2] for name in names), read):
            of_form = [(truth[name], read[reader][name]) for name in names if name.endswith(f".{form}")]
            print(f"| {form} | {reader} | {' | '.join(shares(of_form, columns))} |")
    if options.losses:
        for name, pieces in truth.items():
            for piece in lost_pieces(pieces, read["Kohaku"][name] or ""):
                print(name, piece)


def make_environment(home: Path, packages: Sequence[str]) -> Path:
    """Return the interpreter of an environment, which is made by pip unless it is there."""
    python = home / "bin" / "python"
    if not python.exists():
        print(f"making {home} …", file=sys.stderr)
        venv.create(home, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
    return python


def own_texts(folder: Path) -> dict[str, str | None]:
    """Return the Markdown of each file as Kohaku reads it, with the comments of its metadata and what is attached to it."""
    outcomes = parse_paths(sorted(folder.iterdir()), DocumentsSettings(ocr="off"))
    return {outcome.path.name: own_text(outcome) for outcome in outcomes}


def own_text(outcome: ParseOutcome) -> str | None:
    """Return the Markdown of a file and of what is attached to it, None where it is refused."""
    if outcome.payload is None:
        print(outcome.path, outcome.error, file=sys.stderr)
        return None
    payload = payload_from_json(outcome.payload)
    comments = json.dumps(payload.metadata.get("comments", ""), ensure_ascii=False)
    attached = filter(None, map(own_text, outcome.children))
    return "\n\n".join([payload.title, payload_to_markdown(payload), comments, *attached])


def rival_texts(name: str, python: Path, folder: Path) -> dict[str, str | None]:
    """Return what another reader makes of each file, None where it refuses."""
    output = folder.parent / f"{name}.json"
    with (folder.parent / f"{name}.log").open("w", encoding="utf-8") as log:
        subprocess.run([python, FOLDER / f"read_{name}.py", folder, output], check=True, stdout=log, stderr=log)
    return json.loads(output.read_text(encoding="utf-8"))


def shares(
    documents: Iterable[tuple[Sequence[Mapping[str, str]], str | None]], columns: Mapping[str, Set[str]]
) -> list[str]:
    """Return the share that is found of each column's pieces, and how much of it in order."""
    found: Counter[str] = Counter()
    total: Counter[str] = Counter()
    read = False
    for pieces, text in documents:
        read |= text is not None
        lines = _lines(text or "")
        places = [_place(piece, lines) for piece in pieces]
        for piece, place in zip(pieces, places, strict=True):
            for kind in (piece["kind"], *(["label"] if piece["kind"] == "item" and piece["label"] else [])):
                total[kind] += 1
                found[kind] += place is not None and (kind != "label" or _has_label(piece, lines))
        often = Counter(piece["text"] for piece in pieces if piece["kind"] in _ORDERED)
        once = [
            place
            for piece, place in zip(pieces, places, strict=True)
            if piece["kind"] in _ORDERED and place is not None and often[piece["text"]] == 1
        ]
        total["order"] += len(once)
        found["order"] += _longest_increasing(once)
    if not read:
        return ["-"] * len(columns)
    sums = [(sum(found[kind] for kind in column), sum(total[kind] for kind in column)) for column in columns.values()]
    return [f"{part / whole:.3f}" if whole else "" for part, whole in sums]


def lost_pieces(pieces: Sequence[Mapping[str, str]], text: str) -> Iterable[Any]:
    """Yield the pieces that a text does not have, those with a wrong label too."""
    lines = _lines(text)
    for piece in pieces:
        has_label = piece["kind"] == "item" and piece["label"]
        if _place(piece, lines) is None or (has_label and not _has_label(piece, lines)):
            yield tuple(piece.values())


def _lines(text: str) -> str:
    """Return a text in lines, without the marks of Markdown and HTML; one space where there are blanks."""
    plain = _TAG.sub(" ", _END_OF_LINE.sub("\n", text))
    plain = unicodedata.normalize("NFC", unescape(unescape(plain)))
    return "\n".join(f" {' '.join(_MARKS.sub(' ', line).split())} " for line in plain.splitlines())


def _plain(text: str) -> str:
    return " ".join(_MARKS.sub(" ", unicodedata.normalize("NFC", text)).split())


def _place(piece: Mapping[str, str], lines: str) -> int | None:
    """Return where a piece begins; texts may be broken into lines, rows may not. A text that is struck out must be absent."""
    text, label = piece["text"], piece["label"]
    if "\t" in text:
        pattern = "[^\n]*?".join(re.escape(_plain(cell)) for cell in text.split("\t"))
    elif piece["kind"] == "struck":
        pattern = r"(?!)" if text in lines else _pattern(label)
    else:
        pattern = "|".join(map(_pattern, text.split("\n")))  # any of these forms
    before = rf"{_BOXES[label]}\s*" if piece["kind"] == "box" else ""
    match = re.search(rf"(?<![\w.,]){before}(?:{pattern})(?!\w)", lines)
    return match.start() if match else None


def _pattern(text: str) -> str:
    return r"\s+".join(map(re.escape, _plain(text).split()))


def _has_label(piece: Mapping[str, str], lines: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(piece['label'])}[.)\s]+{_pattern(piece['text'])}", lines) is not None


def _longest_increasing(places: Iterable[int]) -> int:
    ends: list[int] = []
    for place in places:
        at = bisect.bisect_left(ends, place)
        ends[at : at + 1] = [place]
    return len(ends)


if __name__ == "__main__":
    main()
