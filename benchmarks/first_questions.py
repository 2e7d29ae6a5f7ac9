"""How a person's first questions are answered without a language model: ninety, over three folders of documents.

The folders hold ten documents each: a household's papers, those of a small company, and those of a German club. The
questions are in the words of who asks, often not those of the document; a third is answered by yes or no, a fifth by no
document. They are for measuring only: nobody trains or fits on them.

    python benchmarks/first_questions.py [--show]

Each folder is indexed with the default settings and asked with the built-in reader. A value is right where it equals an
accepted form, or one of the two holds the words of the other, and a citation is of the document. A passage is right
where it is of the document and holds the words of the quote that answers, for a reason half of them; a question of yes
or no is right only with those words. Printed are the verdicts by folder and in all, and how many of all questions are
right first, silence where it is right included; with --show every answer that is wrong.
"""

from __future__ import annotations

import argparse
import csv
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from trust_truth import SEPARATOR, VERDICTS, Verdict, words_of

import kohaku_lib
from kohaku_lib import open_project
from kohaku_lib.evaluation.statistics.intervals import wilson_interval
from kohaku_lib.project import Answer
from kohaku_lib.values import values_equal

FOLDER = Path(__file__).parent / "first_questions"
RIGHT = {"value right", "passage right", "rightly silent"}
COLUMNS = ("folder", "n", *VERDICTS, "right first")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its truth: the accepted values and the quote of a document, none where no document answers."""

    id: str
    folder: str
    kind: str
    text: str
    values: tuple[str, ...]
    quote: str
    document_id: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A question with its answer and the verdict."""

    asked: Asked
    answer: Answer
    verdict: Verdict


def main() -> None:
    """Index each folder, ask its questions, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="print every answer that is wrong")
    show = parser.parse_args().show
    by_folder: dict[str, list[Judged]] = {}
    for folder, asked in groupby(read_asked(), key=lambda one: one.folder):
        with tempfile.TemporaryDirectory() as home:
            by_folder[folder] = judge(index_folder(folder, Path(home)), list(asked))
    every = [one for judged in by_folder.values() for one in judged]
    print(f"\n| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}")
    for title, judged in (*by_folder.items(), ("all", every)):
        print(table_row(title, judged))
    if show:
        _show_wrong(every)


def read_asked(path: Path = FOLDER / "questions.csv") -> list[Asked]:
    """Return the questions of the file, those of a folder next to each other."""
    with path.open(encoding="utf-8", newline="") as stream:
        return [_asked(row) for row in csv.DictReader(stream)]


def index_folder(folder: str, home: Path) -> Path:
    """Make a project of the documents of a folder in `home`, build its index, and return `home`."""
    shutil.copytree(FOLDER / folder, home / "documents")
    (home / "kohaku.toml").write_text("store = 'store'\n[corpus]\ndocuments = 'documents'\n", "utf-8")
    command = [sys.executable, "-m", "kohaku_assets.cli", "refresh", "--config", str(home / "kohaku.toml")]
    root = str(Path(kohaku_lib.__file__).parents[1])
    environment = os.environ | {"PYTHONPATH": root, "DAGSTER_HOME": str(home / "dagster_home")}
    subprocess.run(command, env=environment, check=True, stdout=sys.stderr)
    return home


def judge(home: Path, asked: Sequence[Asked]) -> list[Judged]:
    """Return the answers of a project with their verdicts."""
    with open_project(home) as project:
        answers = [project.ask(one.text) for one in asked]
    return [Judged(one, answer, verdict_on(one, answer)) for one, answer in zip(asked, answers, strict=True)]


def verdict_on(asked: Asked, answer: Answer) -> Verdict:
    """Return what an answer is worth, as told above."""
    if answer.outcome == "silent":
        return "wrongly silent" if asked.quote else "rightly silent"
    if answer.outcome == "passage":
        first = answer.passages[0]
        is_told = first.document_id == asked.document_id and holds_quote(asked, first.text)
        return "passage right" if is_told else "wrong passage"
    return "value right" if _is_right_value(asked, answer) else "wrong value"


def holds_quote(asked: Asked, text: str) -> bool:
    """Return whether a text holds the words of the quote that answers, for a reason half of them."""
    needed, given = set(words_of(asked.quote)), set(words_of(text))
    found = len(needed & given)
    return bool(needed) and (2 * found >= len(needed) if asked.kind == "reason" else found == len(needed))


def is_accepted(asked: Asked, value: str) -> bool:
    """Return whether a value equals an accepted form, or one of the two holds the words of the other."""
    given = set(words_of(value))
    forms = [(form, set(words_of(form))) for form in asked.values]
    return any(values_equal(form, value) or (given and (given <= words or words <= given)) for form, words in forms)


def table_row(title: str, judged: Sequence[Judged]) -> str:
    """Return the row of the table: how many questions have each verdict, and how many are right with the interval."""
    counts = Counter(one.verdict for one in judged)
    right = sum(counts[verdict] for verdict in VERDICTS if verdict in RIGHT)
    interval = wilson_interval(right, len(judged))
    share = "" if interval.low is None or interval.high is None else f" ({interval.low:.0%} to {interval.high:.0%})"
    cells = [title, str(len(judged)), *(str(counts[verdict]) for verdict in VERDICTS), f"{right}{share}"]
    return f"| {' | '.join(cells)} |"


def _is_right_value(asked: Asked, answer: Answer) -> bool:
    cited = [citation for citation in answer.citations if citation.document_id == asked.document_id]
    if not cited or answer.value is None:
        return False
    if asked.kind == "yes_no":
        return any(holds_quote(asked, text) for text in (answer.text, *(one.quote or "" for one in cited)))
    return is_accepted(asked, answer.value)


def _asked(row: dict[str, str]) -> Asked:
    return Asked(
        id=row["id"],
        folder=row["folder"],
        kind=row["kind"],
        text=row["question"],
        values=tuple(row["answer"].split(SEPARATOR)) if row["answer"] else (),
        quote=row["quote"],
        document_id=row["document"].rpartition(".")[0],
    )


def _show_wrong(judged: Iterable[Judged]) -> None:
    for one in judged:
        if one.verdict not in RIGHT:
            expected = f"{one.asked.document_id}: {one.asked.quote}" if one.asked.quote else "silence"
            print(f"\n{one.asked.id}: {one.asked.text}\n  expected {expected}\n  {one.verdict}: {one.answer.text}")
            for citation in one.answer.citations:
                print(f"  {citation.document_id}: {citation.quote}")
            for passage in one.answer.passages:
                print(f"  {passage.score:.2f} {passage.document_id}: {passage.text}")


if __name__ == "__main__":
    main()
