"""Examples about documents that were written for the reader, with questions in other words than theirs.

reading_written/*.jsonl has a document a line: notices, minutes, letters, tables, news and the like, each with questions of
ordinary people. A third of the questions has no answer there although the document has the same names and a value of
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
from kohaku_lib.text.decimal_commas import with_decimal_points

FOLDER = Path(__file__).parent / "reading_written"
HELD_OUT = 0.2  # share of the documents that is never trained on, beside all of judged.jsonl
CLOSED = (
    "closed"  # the file of the questions of yes or no, which the sentence answers that decides; and the set of them
)
NEAR = 0.5  # share of the questions that are asked over a passage of another document, too
BESIDE = 0.35  # share of the passages of a document without the answer that are kept; the closest of an unanswered question is


@dataclass(frozen=True, slots=True)
class Written:
    """A document with its questions, each with the words that answer it, None where nothing does."""

    id: str
    title: str
    text: str
    asked: tuple[tuple[str, str | None], ...]
    is_held_out: bool
    set: str = "written"  # that its examples are of

    def snippets(self, *, whole: bool) -> list[Snippet]:
        """Return the document as one snippet, or each of its paragraphs as one."""
        parts = [self.text] if whole else [part for part in self.text.split("\n\n") if part.strip()]
        return [
            Snippet(f"{self.id}:sec1:p{place}", self.id, self.title, None, part, place, 1.0)
            for place, part in enumerate(parts, 1)
        ]


def written_documents(*, held_out: bool) -> list[Written]:
    """Return the documents to train on, or those to judge on."""
    return [one for one in _all_written() if one.is_held_out == held_out]


def written_examples(*, held_out: bool, chance: random.Random) -> Iterator[Example]:
    """Yield every question over the passage that answers it, and over some that do not, of its and of other documents.

    A question without an answer is asked over the passage that shares most words with it.
    """
    documents = written_documents(held_out=held_out)
    others = {f"{one.id}:{place}": part.text for one in documents for place, part in enumerate(_parts(one, whole=True))}
    shared = SharedWords(others)
    for one in documents:
        parts = _parts(one, whole=chance.random() < 0.5)
        own = {name for name in others if name.startswith(f"{one.id}:")}
        for question, answer in one.asked:
            found = None if answer is None else _place_of(answer, question, parts)
            if found is not None:
                yield Example(question, found[0].text, found[1], one.set)
            elif answer is not None:
                continue
            without = [part for part in parts if not any(one in part.text for one in spellings(answer))]
            closest = _closest(question, without) if answer is None else None
            for part in without:
                if part is closest or chance.random() < BESIDE:
                    yield Example(question, part.text, None, one.set)
            if chance.random() < NEAR:
                for name in shared.nearest(question, answer or "\n", own, 1):
                    yield Example(question, others[name], None, "written-near")


@cache
def _all_written() -> tuple[Written, ...]:
    return tuple(
        Written(
            row["id"],
            row["title"],
            row["text"],
            tuple((one["q"], one["answer"]) for one in row["questions"]),
            path.stem == "judged" or is_held_out(row["id"], HELD_OUT),
            CLOSED if path.stem == CLOSED else "written",
        )
        for path in sorted(FOLDER.glob("*.jsonl"))
        for row in map(json.loads, filter(None, path.read_text("utf-8").splitlines()))
    )


def _parts(document: Written, *, whole: bool) -> list[Passage]:
    return passages_of(document.snippets(whole=whole))


def _closest(question: str, parts: Sequence[Passage]) -> Passage | None:
    asked = stems_in(question)
    return max(parts, key=lambda part: len(asked & stems_in(part.text)), default=None)


def spellings(answer: str | None) -> list[str]:
    """Return an answer as passages may spell it: with dates in one form, and with points for decimal commas.

    >>> spellings("9. April"), spellings("1.250,50 €"), spellings(None)
    (['9. April', '9 April'], ['1.250,50 €', '1250.50 €'], [])
    """
    found = [] if answer is None else [plain_dates(answer).text, plain_dates(f"am {answer}").text[len("am ") :]]
    return list(dict.fromkeys([*found, *map(with_decimal_points, found)]))


def _place_of(answer: str, question: str, parts: Sequence[Passage]) -> tuple[Passage, tuple[int, int]] | None:
    """Return the passage and the offsets of an answer: in the line that shares most words with the question, a whole cell."""
    asked = stems_in(question)
    found = [
        (len(asked & stems_in(part.text[line.start : line.end])), part, (start, start + len(wanted)))
        for wanted in spellings(answer)
        for part in parts
        for line in part.lines
        for low, high in ([(cell.start, cell.end) for cell in line.cells] or [(line.start, line.end)])
        if (start := part.text.find(wanted, low, high)) >= 0
        and (not line.cells or part.text[low:high].strip() == wanted)
    ]
    best = max(found, key=lambda one: one[0], default=None)
    return None if best is None else best[1:]
