"""docling's references: how much of their text does each way of parsing give, in their order?

For every reference `pdfs/docling/groundtruth/<name>.md` the PDF of that name is parsed by this project's parsers and
by `pymupdf4llm.to_markdown` as it comes; the figure is 1 - the normalised indel distance of the two texts (1: equal),
once on the words alone (marks of Markdown, blanks and placeholders of images taken away) and once on the Markdown
as it stands. The references are docling's own output, accepted by its maintainers; they are no independent truth:
they hold running headers in some files and leave out others, so 1 is out of reach.

    python benchmarks/parsing_similarity.py [--data FOLDER] [--parser LABEL=key:value,... ...]

FOLDER is the one that holds pdfs/docling (default: KOHAKU_SHARED_DATA, else ../shared/data). --parser adds a column
with `documents` settings of its own.
"""

from __future__ import annotations

import argparse
import contextlib
import html
import io
import re
import sys
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path

from shared_data import data_parser

from kohaku_lib.documents import parse_paths, payload_from_json, payload_to_markdown
from kohaku_lib.settings import DocumentsSettings


def main() -> None:
    """Parse every file in every way and print both tables."""
    arguments = _arguments()
    folder = arguments.data / "pdfs" / "docling"
    references = {path.stem: path.read_text("utf-8") for path in sorted((folder / "groundtruth").glob("*.md"))}
    paths = [folder / f"{name}.pdf" for name in references]
    outputs = {label: _ours(paths, settings) for label, settings in _parsers(arguments.parser).items()}
    outputs["pymupdf4llm"] = _theirs(paths)
    _report("words", references, outputs, _words)
    print()
    _report("Markdown", references, outputs, str)


def _arguments() -> argparse.Namespace:
    parser = data_parser(__doc__)
    parser.add_argument("--parser", action="append", default=[], metavar="LABEL=key:value,...")
    return parser.parse_args()


def _parsers(added: Sequence[str]) -> dict[str, dict[str, str]]:
    parsers: dict[str, dict[str, str]] = {"default": {}}
    for item in added:
        label, _, settings = item.partition("=")
        parsers[label] = dict(pair.split(":", 1) for pair in settings.split(",") if pair)
    return parsers


def _ours(paths: Sequence[Path], settings: dict[str, str]) -> dict[str, str]:
    outcomes = parse_paths(paths, DocumentsSettings.model_validate(settings))
    for outcome in (found := list(outcomes)):
        if outcome.error:
            print(f"{outcome.path.name}: {outcome.error}", file=sys.stderr)
    return {o.path.stem: payload_to_markdown(payload_from_json(o.payload)) if o.payload else "" for o in found}


def _theirs(paths: Sequence[Path]) -> dict[str, str]:
    try:
        import pymupdf4llm
    except ImportError:
        sys.exit("pymupdf4llm is not installed; it is what this benchmark compares with: pip install pymupdf4llm")
    with contextlib.redirect_stdout(io.StringIO()):
        return {path.stem: str(pymupdf4llm.to_markdown(str(path))) for path in paths}


def _words(text: str) -> str:
    r"""Return the letters, digits and signs of a Markdown text.

    >>> _words("# *Amber* room\n\n| a | 5 |\n| --- | --- |\n<!-- image -->")
    'Amberrooma5'
    """
    text = re.sub(r"<!--.*?-->", " ", text, flags=re.S)
    text = re.sub(r"^\s*\|?(\s*:?-+:?\s*\|)+\s*:?-*:?\s*\|?\s*$", " ", text, flags=re.M)
    text = re.sub(r"^\s*(#{1,6}|[-*•]|```\w*)(?=\s|$)", " ", html.unescape(text), flags=re.M)
    text = re.sub(r"<[^>]{1,20}>|!\[[^\]]*\]\([^)]*\)|[|*_`\\~]", " ", text)
    return "".join(unicodedata.normalize("NFKC", text).split())


def _report(
    what: str, references: dict[str, str], outputs: dict[str, dict[str, str]], prepared: Callable[[str], str]
) -> None:
    from rapidfuzz.distance import Indel

    print(f"| similarity of {what} | characters |", " | ".join(outputs), "|")
    print("| --- | --- |" + " --- |" * len(outputs))
    totals = dict.fromkeys(outputs, 0.0)
    for name, reference in references.items():
        wanted = prepared(reference)
        found = {
            label: Indel.normalized_similarity(wanted, prepared(texts.get(name, "")))
            for label, texts in outputs.items()
        }
        totals = {label: totals[label] + value / len(references) for label, value in found.items()}
        print(f"| {name} | {len(wanted):,} |", " | ".join(f"{value:.3f}" for value in found.values()), "|")
    print("| mean | |", " | ".join(f"{value:.3f}" for value in totals.values()), "|")


if __name__ == "__main__":
    main()
