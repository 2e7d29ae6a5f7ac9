"""Examples of reading: questions, passages and where the answer lies, from three open sets and from templates.

Every set is split by its documents, so that no passage that is judged was trained on; a third of the examples has no
answer in its passage.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reading_negatives import SharedWords

from kohaku_lib.answering.extractive.reader.tables import linearised
from kohaku_lib.digests import text_sha256

HELD_OUT = 0.5  # share of the documents of a set that is never trained on, except for QAMR
HELD_OUT_QAMR = 0.2


@dataclass(frozen=True, slots=True)
class Example:
    """A question, a passage, and the offsets of the answer in it; None if the passage does not answer."""

    question: str
    passage: str
    span: tuple[int, int] | None
    source: str

    @property
    def answer(self) -> str | None:
        """The text of the answer."""
        return None if self.span is None else self.passage[slice(*self.span)]


def is_held_out(document: str, share: float) -> bool:
    """Return whether a document is judged on, by the hash of its id."""
    return int(text_sha256(document)[:8], 16) < share * 2**32


def qamr(folder: Path, *, held_out: bool, chance: random.Random) -> Iterator[Example]:
    """Yield the questions that two people answered alike, over their sentence and up to three others.

    The others are of the same article, or share words with the question; alone they are examples without an answer.
    """
    sentences = {name: Sentence.of(text) for name, text in _rows(folder / "wiki-sentences.tsv.gz")}
    shared = SharedWords({name: sentence.text for name, sentence in sentences.items()})
    by_article: dict[str, list[str]] = defaultdict(list)
    for name in sentences:
        by_article[_article(name)].append(name)
    rows = [row for part in ("dev", "test") for row in _rows(folder / f"{part}.tsv.gz")]
    rows = [row for row in rows if is_held_out(_article(row[0]), HELD_OUT_QAMR) == held_out and _is_agreed(row)]
    questions_of: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        questions_of[_article(row[0])].append(row[5])
    for row in rows:
        sentence, places = sentences[row[0]], [int(place) for place in row[6].split()]
        start, end = sentence.offsets[places[0]][0], sentence.offsets[places[-1]][1]
        answer = sentence.text[start:end]
        others = [name for name in by_article[_article(row[0])] if name != row[0]]
        others = chance.sample(others, min(len(others), chance.choice((0, 1, 1, 2, 3))))
        if chance.random() < 0.5:
            others = [*others[1:], *shared.nearest(row[5], answer, {row[0], *others[1:]}, 1)]
        beside = [sentences[name].text for name in others]
        place = chance.randint(0, len(beside))
        before = "".join(f"{text} " for text in beside[:place])
        passage = before + " ".join([sentence.text, *beside[place:]])
        yield Example(row[5], passage, (start + len(before), end + len(before)), "qamr")
        if chance.random() < 0.15 and beside and answer not in " ".join(beside):
            yield Example(row[5], " ".join(beside), None, "qamr")
        if chance.random() < 0.55:
            near = shared.nearest(row[5], answer, {row[0]}, chance.choice((1, 2, 3)))
            yield Example(row[5], " ".join(sentences[name].text for name in near), None, "qamr-near")
        if chance.random() < 0.35:
            other = _changed(row[5], questions_of[_article(row[0])], passage, chance)
            if other is not None:
                yield Example(other, passage, None, "qamr-changed")


def covidqa(path: Path, *, held_out: bool, chance: random.Random) -> Iterator[Example]:
    """Yield the questions over a window of 300 to 700 characters around the answer, and over another of the article."""
    for number, article in enumerate(_json(path)["data"]):
        if is_held_out(f"covid-{number}", HELD_OUT) != held_out:
            continue
        for paragraph in article["paragraphs"]:
            text = paragraph["context"]
            for row in paragraph["qas"]:
                answer = row["answers"][0]
                start = answer["answer_start"] + len(answer["text"]) - len(answer["text"].lstrip())
                end = start + len(answer["text"].strip())
                if end - start > 200:
                    continue
                low, high = _window(text, start, end, chance.randint(300, 700), chance)
                yield Example(row["question"], text[low:high], (start - low, end - low), "covidqa")
                away = chance.randrange(max(1, len(text) - 600))
                low, high = _window(text, away, away, 500, chance)
                if chance.random() < 0.7 and (high < start or low > end) and text[start:end] not in text[low:high]:
                    yield Example(row["question"], text[low:high], None, "covidqa")


def tatqa(path: Path, *, held_out: bool, chance: random.Random) -> Iterator[Example]:
    """Yield the questions with one answer in a paragraph or a cell; rows of tables name the column of each cell."""
    for context in _json(path):
        if is_held_out(context["table"]["uid"], HELD_OUT) != held_out:
            continue
        texts = {str(one["order"]): one["text"] for one in context["paragraphs"]}
        for row in context["questions"]:
            if row["answer_type"] != "span":
                continue
            where = row["mappings"][0]
            if "table" in where:
                line, column = where["table"]
                yield from _table_examples(
                    row["question"], context["table"]["table"], line, column, chance, "tatqa-table"
                )
                continue
            name, span = next(iter(where.items()))
            text = texts[name.removeprefix("paragraph_")]
            start, end = span
            start, end = start + len(text[start:end]) - len(text[start:end].lstrip()), len(text[:end].rstrip())
            if end - start > 200:
                continue
            low, high = _window(text, start, end, 500, chance)
            yield Example(row["question"], text[low:high], (start - low, end - low), "tatqa-text")
            others = [other for order, other in texts.items() if other != text and len(other) > 100]
            if others and chance.random() < 0.7:
                yield Example(row["question"], chance.choice(others)[:600], None, "tatqa-text")


def _table_examples(
    question: str, table: Sequence[Sequence[str]], line: int, column: int, chance: random.Random, source: str
) -> Iterator[Example]:
    """Yield an example with a few rows of the table among them `line`, and one without it."""
    header = [str(cell) for cell in table[0]]
    if line == 0 or not header[column].strip():
        return
    others = [number for number in range(1, len(table)) if number != line]
    for with_row in (True, False):
        if not with_row and chance.random() > 0.6:
            continue
        numbers = sorted(chance.sample(others, min(len(others), chance.randint(1, 5))) + ([line] if with_row else []))
        passage, span = "", None
        for number in numbers:
            text, spans = linearised(header, [str(cell) for cell in table[number]])
            if number == line:
                span = (len(passage) + spans[column][0], len(passage) + spans[column][1])
            passage += f"{text} "
        if passage and (span is None) != with_row:
            yield Example(question, passage.strip(), span, source)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as running text, and the offsets of its tokens."""

    text: str
    offsets: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, tokens: str) -> Sentence:
        """Join tokens of the Penn Treebank.

        >>> Sentence.of("It 's `` new '' -LRB- 3 % -RRB- .").text
        'It\\'s "new" (3%).'
        """
        text, offsets, glued = "", [], True
        opened = False
        for token in tokens.split():
            plain = _SIGNS.get(token, token)
            closes = plain in _CLOSING or token in {"''"} or plain.startswith("'") or plain == "n't"
            if plain == '"' and token != "``" and not opened:
                closes = False
            text += "" if glued or closes else " "
            offsets.append((len(text), len(text) + len(plain)))
            text += plain
            opened = token == "``" or (opened and token != "''")
            glued = plain in {"(", "[", "$", "£", "€"} or token == "``"
        return cls(text, tuple(offsets))


_SIGNS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "``": '"', "''": '"', "--": "–"}
_CLOSING = frozenset(".,;:!?)]%") | {"'s"}
_NAME = re.compile(r"(?<=\s)(?!I\b)[A-Z][\w.-]+(?:\s+[A-Z][\w.-]+)*")
_NUMBER = re.compile(r"(?<![\w.])\d[\d,.]*(?![\w.])")


def _changed(question: str, others: Sequence[str], passage: str, chance: random.Random) -> str | None:
    """Return the question about another name or number, taken from another question; None if it has neither."""
    for pattern in (_NUMBER, _NAME):
        found = pattern.search(question)
        if found is None:
            continue
        offered = {match[0] for other in others for match in pattern.finditer(other)}
        offered = {one for one in offered if one not in question and one not in passage}
        if offered:
            return question[: found.start()] + chance.choice(sorted(offered)) + question[found.end() :]
    return None


def _window(text: str, start: int, end: int, size: int, chance: random.Random) -> tuple[int, int]:
    """Return about `size` characters around a span, cut between words."""
    room = max(0, size - (end - start))
    low = max(0, start - chance.randint(0, room))
    high = min(len(text), low + max(size, end - low))
    while low > 0 and not text[low - 1].isspace():
        low -= 1
    while high < len(text) and not text[high].isspace():
        high += 1
    return low, high


def _is_agreed(row: Sequence[str]) -> bool:
    """Return whether the answer has no gap and both validators gave a part of it."""
    places = [int(place) for place in row[6].split()]
    answers = [set(map(int, other.split(":")[1].split())) for other in row[7:]]
    return places[-1] - places[0] == len(places) - 1 and all(answer & set(places) for answer in answers)


def _article(sentence: str) -> str:
    return sentence.rsplit(":", 2)[0]


def _json(path: Path) -> Any:
    return json.loads(gzip.decompress(path.read_bytes()))


def _rows(path: Path) -> Iterator[list[str]]:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        for line in stream:
            yield line.rstrip("\n").split("\t")


def shuffled(examples: Iterable[Example], chance: random.Random) -> list[Example]:
    """Return the examples in random order, with blanks trimmed from questions."""
    found = [replace(one, question=one.question.strip()) for one in examples]
    chance.shuffle(found)
    return found


def all_examples(data: Path, *, held_out: bool, seed: int) -> dict[str, list[Example]]:
    """Return the examples of every set, those to train on or those to judge on."""
    chance = random.Random(seed)
    reading = data / "reading"
    sets: dict[str, Any] = {
        "qamr": qamr(reading / "qamr", held_out=held_out, chance=chance),
        "covidqa": covidqa(reading / "covidqa" / "200423_covidQA.json.gz", held_out=held_out, chance=chance),
        "tatqa": tatqa(reading / "tatqa" / "tatqa_dataset_test_gold.json.gz", held_out=held_out, chance=chance),
    }
    return {name: shuffled(found, chance) for name, found in sets.items()}
