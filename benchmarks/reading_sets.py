"""Sets of questions over their own paragraphs and tables on which no rule and no weight was made.

Of the sets that the reader is trained on, the documents that training keeps apart.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reading_examples import HELD_OUT, covidqa, is_held_out, qamr

YES_NO = {"1": "yes", "0": "no"}
MOST_QUESTIONS = 400  # of a set, drawn at random with a fixed seed


@dataclass(frozen=True, slots=True)
class Asked:
    """A question over its own paragraphs, (title, text) each, with every answer that counts as right; none if blank is."""

    id: str
    text: str
    answers: tuple[str, ...]
    paragraphs: tuple[tuple[str, str], ...]
    unit: str | None = None


def context_sets(data: Path) -> Iterator[tuple[str, list[Asked]]]:
    """Yield the sets by name, at most 400 questions of each, over their own paragraphs."""
    for name, questions in _whole_sets(data):
        yield name, random.Random(7).sample(questions, min(MOST_QUESTIONS, len(questions)))


def _whole_sets(data: Path) -> Iterator[tuple[str, list[Asked]]]:
    hotpot = list(_hotpot(data))
    yield "HotpotQA, names and spans", [one for one in hotpot if one.answers[0] not in YES_NO.values()]
    yield "HotpotQA, yes or no", [one for one in hotpot if one.answers[0] in YES_NO.values()]
    yield "MuSiQue, several steps", list(_musique(data))
    yield "MuSiQue, its single steps", list(_musique_steps(data))
    yield "QAMR, the sentence among others", list(_windows("qamr", data))
    yield "COVID-QA, a window of the article", list(_windows("covidqa", data))
    tatqa = list(_tatqa(data))
    yield "TAT-QA, one span of table or text", [one for one, kind in tatqa if kind == "span"]
    yield "TAT-QA, all", [one for one, _ in tatqa]
    yield "WikiTableQuestions, one cell", list(_wiki_tables(data))


def _hotpot(data: Path) -> Iterator[Asked]:
    for row in json_lines(data / "multihop-hotpotqa" / "hotpotqa_dev_200.jsonl"):
        paragraphs = tuple((title, " ".join(one.strip() for one in sentences)) for title, sentences in row["context"])
        yield Asked(row["_id"], row["question"], (row["answer"],), paragraphs)


def _musique(data: Path) -> Iterator[Asked]:
    for row in _musique_rows(data):
        yield Asked(row["id"], row["question"], (row["answer"], *row["answer_aliases"]), _paragraphs(row))


def _musique_steps(data: Path) -> Iterator[Asked]:
    """Yield the single steps that are written as questions, with the answers of earlier steps put in."""
    for row in _musique_rows(data):
        known: list[str] = []
        for step in row["question_decomposition"]:
            text = step["question"]
            for place, one in enumerate(known, 1):
                text = text.replace(f"#{place}", one)
            known.append(step["answer"])
            if ">>" not in text and text.strip().endswith("?"):
                yield Asked(f"{row['id']}.{len(known)}", text, (step["answer"],), _paragraphs(row))


def _musique_rows(data: Path) -> list[dict[str, Any]]:
    return json.loads((data / "multihop-musique-train" / "musique_train.json").read_text("utf-8"))


def _paragraphs(row: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((one["title"], one["paragraph_text"]) for one in row["paragraphs"])


def _windows(name: str, data: Path) -> Iterator[Asked]:
    """Yield the questions of a set that is split into windows, those without an answer in theirs among them."""
    chance, folder = random.Random(5), data / "reading" / name
    examples = (
        qamr(folder, held_out=True, chance=chance)
        if name == "qamr"
        else covidqa(folder / "200423_covidQA.json.gz", held_out=True, chance=chance)
    )
    found = [one for one in examples if one.source == name]
    for place, one in enumerate(found):
        answers = (one.answer,) if one.answer else ()
        yield Asked(f"{name}-{place}", one.question.strip(), answers, (("", one.passage),))


def _tatqa(data: Path) -> Iterator[tuple[Asked, str]]:
    """Yield the questions of the contexts kept apart with their type of answer, over the table and all paragraphs."""
    path = data / "reading" / "tatqa" / "tatqa_dataset_test_gold.json.gz"
    for context in json.loads(gzip.decompress(path.read_bytes())):
        if not is_held_out(context["table"]["uid"], HELD_OUT):
            continue
        table = as_markdown([[str(cell) for cell in row] for row in context["table"]["table"]])
        paragraphs = (("", table), *(("", one["text"]) for one in context["paragraphs"]))
        for row in context["questions"]:
            answer = row["answer"]
            parts = [str(one) for one in answer] if isinstance(answer, list) else [str(answer)]
            answers = (parts[0] if len(parts) == 1 else json.dumps(parts, ensure_ascii=False),)
            unit = "%" if row["scale"] == "percent" else None
            yield Asked(row["uid"], row["question"], answers, paragraphs, unit), row["answer_type"]


def _wiki_tables(data: Path) -> Iterator[Asked]:
    """Yield the questions whose answer is the text of exactly one cell of their table."""
    folder = data / "reading" / "wikitablequestions"
    tables = {row["id"]: row["rows"] for row in json_lines(folder / "tables.jsonl.gz")}
    for row in json_lines(folder / "questions.jsonl.gz"):
        rows = [[" ".join(cell.split()) for cell in line] for line in tables[row["table"]]]
        same = [cell for line in rows[1:] for cell in line if [cell] == row["answers"]]
        if len(same) == 1:
            yield Asked(
                row["id"], f"{row['question'].rstrip('?. ')}?", tuple(row["answers"]), (("", as_markdown(rows)),)
            )


def as_markdown(rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown, its first row as header.

    >>> as_markdown([["Site", "kWh"], ["A|B", "3"]]).splitlines()
    ['| Site | kWh |', '| --- | --- |', '| A/B | 3 |']
    """
    lines = [f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in rows]
    return "\n".join([lines[0], f"|{' --- |' * len(rows[0])}", *lines[1:]])


def json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file of JSON lines, packed or not."""
    open_text = gzip.open if path.suffix == ".gz" else open
    with open_text(path, "rt", encoding="utf-8") as stream:
        yield from map(json.loads, stream)
