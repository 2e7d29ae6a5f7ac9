"""olmocr-bench's hand-checked facts: what share of them does each way of parsing keep, by type?

Every page that a fact is about is parsed alone, as that benchmark does, by this project's parsers and by
`pymupdf4llm.to_markdown` as it comes; the facts are looked for in the Markdown:

- present: the text, fuzzily (partial ratio >= 1 - max_diffs / length); absent: not there, in the same measure,
  also only among the first_n or last_n characters;
- order: some place of `before` (at most max_diffs edits) begins before some place of `after`;
- table: a cell of a Markdown or HTML table whose neighbours up, down, left, right and whose headings (any cell
  above in the column, any cell to the left in the row) are those that the fact names. The row "levels apart" also
  takes one level of a head whose levels are written into one cell ("ReACT Procedure"), for every parser alike;
- math: the symbols of the formula in printed order, blanks, braces and marks of raising and lowering aside. That
  tells whether a text layer kept the formula's signs together, not whether it could be typeset again.

Quotes, dashes, blanks and emphasis are made alike first. An empty page passes "absent", as there.

    python benchmarks/parsing_facts.py [--data FOLDER] [--parser LABEL=key:value,... ...] [--failures] [--keep FOLDER]

FOLDER is the one that holds pdfs/olmocr-bench (default: KOHAKU_SHARED_DATA, else ../shared/data). --parser adds or
replaces a column with `documents` settings of its own; --failures lists what failed; --keep stores the Markdown.
"""

from __future__ import annotations

import argparse
import contextlib
import html
import io
import json
import re
import sys
import tempfile
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from shared_data import data_parser

from kohaku_lib.documents import parse_paths, payload_from_json, payload_to_markdown
from kohaku_lib.settings import DocumentsSettings

TYPES = ("present", "absent", "order", "table", "math")
GOAL_TYPES = TYPES[:4]
PARSERS = {"default": {}, "blocks": {"parser": "blocks"}}
Fact = dict[str, Any]


def main() -> None:
    """Parse every page in every way, check every fact, print the table."""
    arguments = _arguments()
    folder = arguments.data / "pdfs" / "olmocr-bench"
    facts = [json.loads(line) for line in (folder / "dataset.jsonl").read_text("utf-8").splitlines() if line.strip()]
    with tempfile.TemporaryDirectory() as temporary:
        pages = _single_pages(facts, folder / "pdfs", Path(temporary))
        outputs = {label: _ours(pages, settings) for label, settings in _parsers(arguments.parser).items()}
        outputs["pymupdf4llm"] = _theirs(pages)
    if arguments.keep:
        _keep(outputs, Path(arguments.keep))
    passed = _passed(facts, outputs)
    _report(facts, passed, _passed([{**fact, "levels_apart": True} for fact in facts], outputs))
    if arguments.failures:
        _print_failures(facts, passed)


def _arguments() -> argparse.Namespace:
    parser = data_parser(__doc__)
    parser.add_argument("--parser", action="append", default=[], metavar="LABEL=key:value,...")
    parser.add_argument("--failures", action="store_true")
    parser.add_argument("--keep")
    return parser.parse_args()


def _parsers(added: Sequence[str]) -> dict[str, dict[str, str]]:
    parsers: dict[str, dict[str, str]] = dict(PARSERS)
    for item in added:
        label, _, settings = item.partition("=")
        parsers[label] = dict(pair.split(":", 1) for pair in settings.split(",") if pair)
    return parsers


def _single_pages(facts: Sequence[Fact], folder: Path, target: Path) -> dict[tuple[str, int], Path]:
    import pymupdf

    pages: dict[tuple[str, int], Path] = {}
    for name, number in sorted({(fact["pdf"], fact["page"]) for fact in facts}):
        path = target / f"{len(pages):03}" / Path(name).name
        path.parent.mkdir()
        with pymupdf.open(folder / name) as source, pymupdf.open() as single:
            single.insert_pdf(source, from_page=number - 1, to_page=number - 1)
            single.save(path)
        pages[name, number] = path
    return pages


def _ours(pages: dict[tuple[str, int], Path], settings: dict[str, str]) -> dict[tuple[str, int], str]:
    outcomes = parse_paths(list(pages.values()), DocumentsSettings.model_validate(settings))
    texts: dict[tuple[str, int], str] = {}
    for key, outcome in zip(pages, outcomes, strict=True):
        texts[key] = payload_to_markdown(payload_from_json(outcome.payload)) if outcome.payload else ""
        if outcome.error:
            print(f"{key[0]}: {outcome.error}", file=sys.stderr)
    return texts


def _theirs(pages: dict[tuple[str, int], Path]) -> dict[tuple[str, int], str]:
    try:
        import pymupdf4llm
    except ImportError:
        sys.exit("pymupdf4llm is not installed; it is what this benchmark compares with: pip install pymupdf4llm")
    with contextlib.redirect_stdout(io.StringIO()):
        return {key: str(pymupdf4llm.to_markdown(str(path))) for key, path in pages.items()}


def _passed(facts: Sequence[Fact], outputs: dict[str, dict[tuple[str, int], str]]) -> dict[str, list[bool]]:
    return {
        label: [_holds(fact, texts[fact["pdf"], fact["page"]]) for fact in facts] for label, texts in outputs.items()
    }


def _keep(outputs: dict[str, dict[tuple[str, int], str]], folder: Path) -> None:
    for label, texts in outputs.items():
        (folder / label).mkdir(parents=True, exist_ok=True)
        for (name, page), text in texts.items():
            (folder / label / f"{Path(name).stem}-{page}.md").write_text(text, "utf-8")


# Checks


def _holds(fact: Fact, text: str) -> bool:
    checks: dict[str, Callable[[Fact, str], bool]] = {
        "present": _is_present,
        "absent": lambda fact, text: not _is_present(fact, text),
        "order": _is_ordered,
        "table": _is_in_table,
        "math": _is_formula,
    }
    return checks[fact["type"]](fact, text if fact["type"] in {"table", "math"} else _normalised(text))


def _is_present(fact: Fact, text: str) -> bool:
    from rapidfuzz import fuzz

    wanted = _normalised(fact["text"])
    ends = [text[: fact["first_n"]]] if fact.get("first_n") else []
    ends += [text[-fact["last_n"] :]] if fact.get("last_n") else []
    content = " ".join(ends) if ends else text
    least = 1 - fact.get("max_diffs", 0) / len(wanted)
    return len(content) > 0 and _partial(fuzz.partial_ratio, wanted, content) >= least


def _partial(ratio: Callable[[str, str], float], wanted: str, content: str) -> float:
    """Return the ratio of `wanted` to its best place; a content shorter than it is compared as a whole."""
    return (
        ratio(wanted, content) / 100 if len(content) >= len(wanted) else ratio(content.ljust(len(wanted)), wanted) / 100
    )


def _is_ordered(fact: Fact, text: str) -> bool:
    most = fact.get("max_diffs", 0)
    before, after = (_begins(_normalised(fact[key]), text, most) for key in ("before", "after"))
    return bool(before) and bool(after) and min(before) < max(after)


def _begins(wanted: str, text: str, most: int) -> list[int]:
    """Return where places begin that differ from `wanted` by at most `most` edits (Sellers, from the end)."""
    if most == 0:
        return [match.start() for match in re.finditer(f"(?={re.escape(wanted)})", text)]
    backwards = wanted[::-1]
    column = list(range(len(backwards) + 1))
    found: list[int] = []
    for position in range(len(text) - 1, -1, -1):
        previous, column = column, [0]
        for row, letter in enumerate(backwards, 1):
            same = previous[row - 1] + (letter != text[position])
            column.append(min(same, previous[row] + 1, column[-1] + 1))
        if column[-1] <= most:
            found.append(position)
    return found


def _is_in_table(fact: Fact, text: str) -> bool:
    for grid in [*_markdown_tables(text), *_html_tables(text)]:
        for y, row in enumerate(grid):
            for x, cell in enumerate(row):
                if _alike(fact["cell"], cell, fact) and _has_neighbours(fact, grid, x, y):
                    return True
    return False


def _has_neighbours(fact: Fact, grid: Sequence[Sequence[str]], x: int, y: int) -> bool:
    places = {
        "up": [(x, y - 1)],
        "down": [(x, y + 1)],
        "left": [(x - 1, y)],
        "right": [(x + 1, y)],
        "top_heading": [(x, above) for above in range(y)],
        "left_heading": [(left, y) for left in range(x)],
    }
    return all(
        any(
            _alike(fact[key], found, fact)
            for place in candidates
            for found in _readings(_cell(grid, *place), key, fact)
        )
        for key, candidates in places.items()
        if fact.get(key)
    )


def _readings(cell: str, key: str, fact: Fact) -> list[str]:
    """Return the texts that a cell may stand for: itself, and the levels of a head that are written in one cell."""
    if not (key == "top_heading" and fact.get("levels_apart")):
        return [cell]
    words = cell.split()
    return [" ".join(words[i:j]) for i in range(len(words)) for j in range(i + 1, len(words) + 1)]


def _cell(grid: Sequence[Sequence[str]], x: int, y: int) -> str:
    return grid[y][x] if 0 <= y < len(grid) and 0 <= x < len(grid[y]) else ""


def _alike(wanted: str, found: str, fact: Fact) -> bool:
    from rapidfuzz import fuzz

    wanted, found = _normalised(wanted), _normalised(found)
    least = max(0.5, 1 - fact.get("max_diffs", 0) / max(len(wanted), 1))
    return bool(found) and fuzz.ratio(wanted, found) / 100 >= least


def _markdown_tables(text: str) -> Iterator[list[list[str]]]:
    lines = text.split("\n")
    rules = [
        index for index, line in enumerate(lines) if re.fullmatch(r"\s*\|?(\s*:?-+:?\s*\|)+\s*:?-*:?\s*\|?\s*", line)
    ]
    for rule, following in pairwise([*rules, len(lines)]):
        first = max(rule - 1, 0)
        end = rule + 1
        while end < following and "|" in lines[end]:
            end += 1
        yield [_cells(line) for line in (lines[first], *lines[rule + 1 : end])]


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", inner)]


def _html_tables(text: str) -> Iterator[list[list[str]]]:
    """Yield the grids of HTML tables; a cell that spans several has its text in each of them."""
    for table in re.findall(r"<table\b.*?</table>", text, re.S | re.I):
        grid: dict[tuple[int, int], str] = {}
        for y, row in enumerate(re.findall(r"<tr\b.*?</tr>", table, re.S | re.I)):
            x = 0
            for marks, cell in re.findall(r"<t[dh]\b([^>]*)>(.*?)</t[dh]>", row, re.S | re.I):
                while (x, y) in grid:
                    x += 1
                value = html.unescape(re.sub(r"<[^>]+>", " ", cell)).strip()
                wide, high = _span("colspan", marks), _span("rowspan", marks)
                grid.update({(x + i, y + j): value for i in range(wide) for j in range(high)})
        width, height = max((x for x, _ in grid), default=-1) + 1, max((y for _, y in grid), default=-1) + 1
        yield [[grid.get((x, y), "") for x in range(width)] for y in range(height)]


def _span(name: str, marks: str) -> int:
    found = re.search(rf'{name}\s*=\s*"?(\d+)', marks)
    return int(found[1]) if found else 1


_SIGNS = {
    r"\pi": "π", r"\nabla": "∇", r"\times": "×", r"\partial": "∂", r"\int": "∫", r"\sum": "∑", r"\alpha": "α",
    r"\beta": "β", r"\infty": "∞", r"\cdot": "·", r"\le": "≤", r"\ge": "≥", r"\neq": "≠", r"\sqrt": "√",
}  # fmt: skip


def _is_formula(fact: Fact, text: str) -> bool:
    content = _symbols(text)
    return any(form in content for form in {_symbols(fact["math"]), _symbols(_limits_turned(fact["math"]))})


def _limits_turned(formula: str) -> str:
    """Return the formula with upper limits before lower ones: pages print them from top to bottom."""
    return re.sub(r"_(\{[^}]*\}|\w)\s*\^(\{[^}]*\}|\w)", r"^\2_\1", formula)


def _symbols(text: str) -> str:
    for name, sign in _SIGNS.items():
        text = re.sub(re.escape(name) + r"(?![a-zA-Z])", sign, text)
    text = re.sub(r"\\(?:frac|mathbf|mathrm|text|left|right|boldsymbol)", "", text)
    text = re.sub(r"</?(?:sub|sup|b|i|em|strong)>", "", text)
    return re.sub(r"[\s{}^_$*\\]+", "", unicodedata.normalize("NFKC", text).replace("−", "-"))


# Text

_ALIKE = str.maketrans("‘’‚‛′“”„‟″−–—‐‑‒―", "'''''" + '"""""' + "-" * 7)


def _normalised(text: str) -> str:
    """Return `text` on one line with quotes, dashes, blanks and emphasis made alike."""
    text = unicodedata.normalize("NFC", text).translate(_ALIKE)
    text = re.sub(r"<br\s*/?>", " ", text)
    text = re.sub(r"(\*\*|__)(.*?)\1", r"\2", text)
    text = re.sub(r"(?<![\w*_])([*_])(?=\S)(.*?)(?<=\S)\1(?![\w*_])", r"\2", text)
    return re.sub(r"\s+", " ", text).strip()


# Report


def _report(facts: Sequence[Fact], passed: dict[str, list[bool]], levels_apart: dict[str, list[bool]]) -> None:
    print("| facts |", " | ".join(passed), "|")
    print("| --- |" + " --- |" * len(passed))
    for kind in TYPES:
        _print_row(kind, [fact["type"] == kind for fact in facts], passed)
    _print_row("the first four", [fact["type"] in GOAL_TYPES for fact in facts], passed, share=True)
    _print_row("table, levels apart", [fact["type"] == "table" for fact in facts], levels_apart)


def _print_row(name: str, chosen: Sequence[bool], passed: dict[str, list[bool]], *, share: bool = False) -> None:
    count = sum(chosen)
    cells = []
    for results in passed.values():
        good = sum(ok for ok, wanted in zip(results, chosen, strict=True) if wanted)
        cells.append(f"{good}/{count}" + (f" ({good / count:.1%})" if share else ""))
    print(f"| {name} |", " | ".join(cells), "|")


def _print_failures(facts: Sequence[Fact], passed: dict[str, list[bool]]) -> None:
    for index, fact in enumerate(facts):
        failing = [label for label, results in passed.items() if not results[index]]
        if failing:
            wanted = {k: v for k, v in fact.items() if k not in {"pdf", "page", "id", "type", "checked"}}
            print(
                f"- {fact['id']} ({fact['type']}) fails in {', '.join(failing)}: {json.dumps(wanted, ensure_ascii=False)}"
            )


if __name__ == "__main__":
    main()
