"""Packs the rows that the reader is trained on: tokenised, with some documents kept apart, for train_reader.py."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from reader_rewording import reworded
from reading_examples import is_held_out
from tokenizers import Tokenizer

LANGUAGES = ("en", "de")
HELD_OUT = 0.05  # share of the documents that is never trained on
MOST_HELD_OUT = 500  # rows of a set
MOST_SPANS = 6  # places of an answer
LABELS = {"no": 0, "yes": 1, "not said": 2}
MINED = 0.6  # share of the questions of some sets that are asked over another passage, too
SETS = json.loads((Path(__file__).parent / "reader_sets.json").read_text("utf-8"))

Row = dict[str, Any]


def pack(files: Sequence[Path], tokenizer: Tokenizer, out: Path) -> None:
    """Write the rows of gzipped JSON lines as arrays, and print how many there are of each set."""
    chance = random.Random(0)
    rows = [row for row in read_rows(files) if row.get("lang", "en") in LANGUAGES]
    mark_parts(rows)
    rows = _chosen([*rows, *mined_negatives(rows, chance), *reworded(rows, chance)], chance)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    arrays = {"special": np.array([tokenizer.token_to_id(name) for name in ("[CLS]", "[SEP]", "[PAD]")], np.int64)}
    question, heading, passage = (
        _tokenised(tokenizer, [text_of(row) for row in rows])
        for text_of in (_question_of, _heading_of, lambda row: row["passage"])
    )
    spans = np.full((len(rows), MOST_SPANS, 2), -1, np.int16)
    for place, row in enumerate(rows):
        found = _token_spans(row, passage.offsets[passage.text_of[place]])
        spans[place, : len(found)] = found or -1
    is_lost = np.array([_has_span(row) and spans[place, 0, 0] < 0 for place, row in enumerate(rows)], bool)
    names = sorted({row["set"] for row in rows})
    by_row = {
        "question": question.text_of,
        "heading": heading.text_of,
        "passage": passage.text_of,
        "spans": spans,
        "is_answerable": np.array([row["answerable"] for row in rows], np.int8),
        "label": np.array([LABELS.get(row.get("label", ""), -1) for row in rows], np.int8),
        "set": np.array([names.index(row["set"]) for row in rows], np.int16),
        "is_held_out": np.array([row["dev"] for row in rows], bool),
    }
    arrays |= {name: values[~is_lost] for name, values in by_row.items()}
    for name, texts in (("question", question), ("heading", heading), ("passage", passage)):
        arrays |= {f"{name}_tokens": texts.tokens, f"{name}_bounds": texts.bounds}
    np.savez_compressed(out, allow_pickle=False, names=np.array(names), **arrays)
    _report(names, arrays, int(is_lost.sum()))


def read_rows(files: Iterable[Path]) -> Iterator[Row]:
    """Yield the rows of gzipped JSON lines."""
    for file in files:
        with gzip.open(file, "rt", encoding="utf-8") as stream:
            yield from map(json.loads, stream)


def mark_parts(rows: Sequence[Row]) -> None:
    """Set "dev" in the rows of 5 % of the documents, and "drop" in others that have a passage or a question of theirs."""
    by_title = Counter((row["set"], row.get("title", "")) for row in rows)
    by_set = Counter(row["set"] for row in rows)
    title_of = {
        row["passage"]: row["title"]
        for row in rows
        if len(row.get("title") or "") > 3 and by_title[row["set"], row["title"]] < 0.3 * by_set[row["set"]]
    }
    for row in rows:
        if "dev" not in row:
            row["dev"] = is_held_out(title_of.get(row["passage"]) or row["passage"], HELD_OUT)
    asked = {row["question"].lower() for row in rows if row["dev"]}
    texts = {row["passage"] for row in rows if row["dev"]}
    for row in rows:
        is_asked = row["question"].lower() in asked and len(row["question"]) > 25 and row["set"] != "contract_clauses"
        row["drop"] = not row["dev"] and (row["passage"] in texts or is_asked)


def mined_negatives(rows: Sequence[Row], chance: random.Random) -> Iterator[Row]:
    """Yield questions over a passage much like them, of the same or another document, in which no answer stands."""
    for name in SETS["mined"]:
        own = [row for row in rows if row["set"] == name and row["answerable"] and not row["dev"] and not row["drop"]]
        texts = list(dict.fromkeys(row["passage"] for row in own))
        if len(texts) >= 20:
            yield from _mined(own, texts, chance)


def _mined(rows: Sequence[Row], texts: Sequence[str], chance: random.Random) -> Iterator[Row]:
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectors = TfidfVectorizer(sublinear_tf=True, stop_words="english", min_df=2).fit(texts)
    matrix = csr_matrix(vectors.transform(texts)).transpose().tocsr()
    asked = [row for row in rows if chance.random() < MINED]
    for low in range(0, len(asked), 1000):
        some = asked[low : low + 1000]
        likeness = (vectors.transform([row["question"] for row in some]) @ matrix).tocsr()
        for place, row in enumerate(some):
            near = likeness[place]
            answers = [answer.lower() for answer in row["answers"]]
            others = [texts[other] for other in near.indices[np.argsort(-near.data)[:8]]]
            others = [
                text
                for text in others
                if text != row["passage"] and not any(answer in text.lower() for answer in answers)
            ]
            if others:
                passage = others[min(len(others) - 1, int(chance.random() ** 2 * 4))]
                yield {
                    "set": "mined",
                    "question": row["question"],
                    "passage": passage,
                    "answers": [],
                    "starts": [],
                    "answerable": False,
                    "dev": False,
                    "drop": False,
                }


def _chosen(rows: Sequence[Row], chance: random.Random) -> list[Row]:
    """Return the rows to train on, and after them at most 500 of each set that are kept apart."""
    held = [row for row in rows if row["dev"]]
    chance.shuffle(held)
    counts: Counter[str] = Counter()
    chosen = [row for row in rows if not row["dev"] and not row["drop"]]
    for row in held:
        counts[row["set"]] += 1
        if counts[row["set"]] <= MOST_HELD_OUT:
            chosen.append(row)
    return chosen


@dataclass(frozen=True, slots=True)
class _Tokens:
    """The tokens of all different texts in a row, where each begins, their offsets, and the text of each row."""

    tokens: np.ndarray
    bounds: np.ndarray
    offsets: list[np.ndarray]
    text_of: np.ndarray


def _tokenised(tokenizer: Tokenizer, texts: Sequence[str]) -> _Tokens:
    numbers = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    different = list(numbers)
    tokens: list[int] = []
    bounds, offsets = [0], []
    for low in range(0, len(different), 2000):
        for encoded in tokenizer.encode_batch(different[low : low + 2000], add_special_tokens=False):
            tokens += encoded.ids
            bounds.append(len(tokens))
            offsets.append(np.array(encoded.offsets, np.int32).reshape(-1, 2))
    text_of = np.array([numbers[text] for text in texts], np.int32)
    return _Tokens(np.array(tokens or [0], np.uint16), np.array(bounds, np.int64), offsets, text_of)


def _question_of(row: Row) -> str:
    return row["question"]


def _heading_of(row: Row) -> str:
    title = row.get("title") or ""
    return "" if len(title) < 4 or title == "Title" else title.replace("_", " ")


def _has_span(row: Row) -> bool:
    return row["answerable"] and not row.get("label")


def _token_spans(row: Row, offsets: np.ndarray) -> list[tuple[int, int]]:
    """Return first and last token of each place of the answer, at most MOST_SPANS."""
    found: list[tuple[int, int]] = []
    if _has_span(row):
        for text, start in zip(row["answers"], row["starts"], strict=True):
            inside = np.flatnonzero((offsets[:, 1] > start) & (offsets[:, 0] < start + len(text)))
            if len(inside):
                found.append((int(inside[0]), int(inside[-1])))
    return list(dict.fromkeys(found))[:MOST_SPANS]


def _report(names: Sequence[str], arrays: dict[str, np.ndarray], lost: int) -> None:
    trained, answerable = ~arrays["is_held_out"], arrays["is_answerable"] == 1
    for number, name in enumerate(names):
        own = arrays["set"] == number
        print(
            f"{name}: {(own & trained).sum()} to train on ({(own & trained & answerable).sum()} answerable), "
            f"{(own & ~trained).sum()} kept apart"
        )
    tokens = len(arrays["passage_tokens"])
    print(f"{trained.sum()} to train on, {(~trained).sum()} kept apart, {lost} left out; {tokens:,} passage tokens")
