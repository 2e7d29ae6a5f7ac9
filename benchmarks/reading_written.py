"""Examples about documents that were written for the reader, with questions in other words than theirs.

reading_written/*.jsonl has a document a line: notices, minutes, letters, tables, news and the like, each with questions of
ordinary people. Two fifths of the questions have no answer there although the document has the same names and a value of
the asked kind.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from reading_examples import Example, is_held_out
from reading_negatives import SharedWords

from kohaku_lib.answering.extractive.reader.passages import Passage, passages_of, stems_in
from kohaku_lib.tables import Snippet
from kohaku_lib.text.dates import plain_dates

FOLDER = Path(__file__).parent / "reading_written"
HELD_OUT = 0.2  # share of the documents that is never trained on
NEAR = 0.5  # share of the questions that are asked over a passage of another document, too


@dataclass(frozen=True, slots=True)
class Written:
    """A document with its questions, each with the words that answer it, None where nothing does."""

    id: str
    title: str
    text: str
    asked: tuple[tuple[str, str | None], ...]

    def snippets(self, *, whole: bool) -> list[Snippet]:
        """Return the document as one snippet, or each of its paragraphs as one."""
        parts = [self.text] if whole else [part for part in self.text.split("\n\n") if part.strip()]
        return [
            Snippet(f"{self.id}:sec1:p{place}", self.id, self.title, None, part, place, 1.0)
            for place, part in enumerate(parts, 1)
        ]


def written_documents(*, held_out: bool) -> list[Written]:
    """Return the documents to train on, or those to judge on."""
    return [one for one in _all_written() if is_held_out(one.id, HELD_OUT) == held_out]


def written_examples(*, held_out: bool, chance: random.Random) -> Iterator[Example]:
    """Yield every question over the passage that answers it, and over passages that do not, of its and of other documents."""
    documents = written_documents(held_out=held_out)
    others = {f"{one.id}:{place}": part.text for one in documents for place, part in enumerate(_parts(one, whole=True))}
    shared = SharedWords(others)
    for one in documents:
        parts = _parts(one, whole=chance.random() < 0.5)
        own = {name for name in others if name.startswith(f"{one.id}:")}
        for question, answer in one.asked:
            found = None if answer is None else _place_of(answer, question, parts)
            if found is not None:
                yield Example(question, found[0].text, found[1], "written")
            elif answer is not None:
                continue
            for part in parts:
                if answer is None or _plain(answer) not in part.text:
                    yield Example(question, part.text, None, "written")
            if chance.random() < NEAR:
                for name in shared.nearest(question, answer or "\n", own, 1):
                    yield Example(question, others[name], None, "written-near")


@cache
def _all_written() -> tuple[Written, ...]:
    lines = [line for path in sorted(FOLDER.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    return tuple(
        Written(row["id"], row["title"], row["text"], tuple((one["q"], one["answer"]) for one in row["questions"]))
        for row in map(json.loads, filter(None, lines))
    )


def _parts(document: Written, *, whole: bool) -> list[Passage]:
    return passages_of(document.snippets(whole=whole))


def _place_of(answer: str, question: str, parts: Sequence[Passage]) -> tuple[Passage, tuple[int, int]] | None:
    """Return the passage and the offsets of an answer: in the line that shares most words with the question, a whole cell."""
    wanted, asked = _plain(answer), stems_in(question)
    found = [
        (len(asked & stems_in(part.text[line.start : line.end])), part, (start, start + len(wanted)))
        for part in parts
        for line in part.lines
        for low, high in ([(cell.start, cell.end) for cell in line.cells] or [(line.start, line.end)])
        if (start := part.text.find(wanted, low, high)) >= 0
        and (not line.cells or part.text[low:high].strip() == wanted)
    ]
    best = max(found, key=lambda one: one[0], default=None)
    return None if best is None else best[1:]


def _plain(text: str) -> str:
    return plain_dates(text).text
