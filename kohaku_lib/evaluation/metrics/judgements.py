"""Relevance judgements per question, from a truth CSV, a BEIR folder or a qrels file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kohaku_lib.documents import read_rows
from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation.metrics.evidence import cluster_of, evidence_kinds, gold_documents, gold_quote
from kohaku_lib.tree import encode_document_id

_BEIR_SPLITS = ("test", "dev", "train")


@dataclass(frozen=True, slots=True)
class Judgement:
    """A question and its relevance judgements: gains by document id (lower case), and the gold quote, if any."""

    id: str
    question: str
    gains: Mapping[str, float]
    quote: str | None = None
    kinds: tuple[str, ...] = ()  # of the evidence: quote, table, figure
    cluster: str | None = None  # of questions that are not independent; None: of its own


def read_judgements(path: Path, split: str | None = None, queries: Path | None = None) -> list[Judgement]:
    """Return the questions of `path` that have a relevant document, in the file's order.

    `path` is a CSV with id, question and ref_id; a BEIR folder (queries.jsonl, qrels/<split>.tsv; the default split is
    the first existing one of test, dev and train); or qrels, in BEIR or TREC columns, whose question texts are in
    `queries`, else in a queries.jsonl next to the file or one folder up.

    Raises:
        InputFileError: A file is missing or malformed, or no question has a relevant document.
    """
    if path.is_dir():
        qrels = _find_qrels(path, split)
        judgements = _judgements_of(_read_qrels(qrels), _read_queries(queries or path / "queries.jsonl"), qrels)
    elif path.suffix.lower() == ".csv":
        judgements = [judgement_of(row) for row in read_rows(path, ("id", "question", "ref_id")) if row["id"].strip()]
    else:
        judgements = _judgements_of(_read_qrels(path), _read_queries(queries or _find_queries(path)), path)
    relevant = [judgement for judgement in judgements if judgement.gains]
    if not relevant:
        msg = f"no question of {str(path)!r} has a relevant document; fill ref_id, or choose another --split"
        raise InputFileError(msg)
    return relevant


def judgement_of(row: Mapping[str, str]) -> Judgement:
    """Return the judgement of a truth row; every reference has the gain 1.

    >>> judgement_of({"id": "q1", "question": "Who?", "ref_id": "['A','b']", "explanation": "Table 3"}).kinds
    ('table',)
    """
    gains = dict.fromkeys(sorted(gold_documents(row)), 1.0)
    name, question = (row.get(column, "").strip() for column in ("id", "question"))
    return Judgement(name, question, gains, gold_quote(row), evidence_kinds(row), cluster_of(row))


def truth_cells(question: Mapping[str, Any]) -> dict[str, str]:
    """Return the cells of the file from which a row of QUESTIONS was read, as text.

    >>> truth_cells({"row_json": '{"id": "q1", "answer_value": 7, "ref_id": null}'})
    {'id': 'q1', 'answer_value': '7', 'ref_id': ''}
    """
    return {name: str(cell or "") for name, cell in json.loads(question["row_json"]).items()}


def _find_qrels(folder: Path, split: str | None) -> Path:
    names = [split] if split else list(_BEIR_SPLITS)
    paths = [path for name in names if (path := folder / "qrels" / f"{name}.tsv").is_file()]
    if paths:
        return paths[0]
    splits = sorted(path.stem for path in folder.glob("qrels/*.tsv"))
    msg = f"{str(folder)!r} has no qrels/{' or '.join(names)}.tsv (found: {', '.join(splits) or 'none'}); choose a --split"
    raise InputFileError(msg)


def _read_qrels(path: Path) -> dict[str, dict[str, float]]:
    """Return gains above 0 by question and document; questions without any are omitted."""
    gains: dict[str, dict[str, float]] = {}
    for number, cells in enumerate(_split_rows(path), start=1):
        columns = (0, 1, 2) if len(cells) == 3 else (0, 2, 3)
        try:
            question, document, gain = cells[columns[0]], cells[columns[1]], float(cells[columns[2]])
        except (IndexError, ValueError):
            if number == 1:
                continue  # a heading
            msg = (
                f"line {number} of {str(path)!r} is {' '.join(cells)[:60]!r}, not 'question document score' or "
                "'question iteration document score'; correct or remove it"
            )
            raise InputFileError(msg) from None
        if gain > 0:
            gains.setdefault(question, {})[encode_document_id(document).lower()] = gain
    return gains


def _read_queries(path: Path) -> dict[str, str]:
    """Return the texts of a queries file by id: JSON lines with _id and text, else lines of id, tab, text."""
    texts: dict[str, str] = {}
    for number, line in enumerate(_nonblank_lines(path), start=1):
        try:
            name, text = _parse_query(line)
        except (ValueError, KeyError, TypeError):
            msg = f'line {number} of {str(path)!r} is not a query; write {{"_id": …, "text": …}}, or id, tab, text'
            raise InputFileError(msg) from None
        texts[name] = text
    return texts


def _parse_query(line: str) -> tuple[str, str]:
    if line.startswith("{"):
        row: Any = json.loads(line)
        return str(row["_id"] if "_id" in row else row["id"]), str(row["text"])
    name, text = line.split("\t", 1)
    return name.strip(), text.strip()


def _judgements_of(gains: Mapping[str, dict[str, float]], texts: Mapping[str, str], qrels: Path) -> list[Judgement]:
    unknown = [name for name in gains if name not in texts]
    if unknown:
        msg = f"{str(qrels)!r} judges {unknown[0]!r}, which is not among the queries; give their file with --queries"
        raise InputFileError(msg)
    return [Judgement(name, texts[name], gain, cluster=next(iter(gain))) for name, gain in gains.items()]


def _find_queries(path: Path) -> Path:
    places = [folder / "queries.jsonl" for folder in (path.parent, path.parent.parent)]
    queries = next((place for place in places if place.is_file()), None)
    if queries is None:
        searched_paths = " and ".join(repr(str(place)) for place in places)
        msg = f"the texts of the questions of {str(path)!r} are not in {searched_paths}; give their file with --queries"
        raise InputFileError(msg)
    return queries


def _split_rows(path: Path) -> Iterator[Sequence[str]]:
    return (line.split("\t") if line.count("\t") >= 2 else line.split() for line in _nonblank_lines(path))


def _nonblank_lines(path: Path) -> Iterable[str]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        msg = f"{str(path)!r} cannot be read ({error}); give a CSV, a BEIR folder or a qrels file"
        raise InputFileError(msg) from error
    return [line for line in text.splitlines() if line.strip()]
