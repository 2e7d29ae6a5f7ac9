"""Questions to train on in other words than their passage: words of documents are replaced by those of every day."""

from __future__ import annotations

import csv
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

from reading_examples import is_held_out

WORDS = Path(__file__).with_name("everyday_words.csv")
HELD_OUT = 0.2  # share of the words that are replaced in the questions kept apart alone
REPLACED = 0.8  # share of the words of a question that are replaced, of those that can be

Row = dict[str, Any]


def reworded(rows: Iterable[Row], chance: random.Random) -> Iterator[Row]:
    """Yield the questions in which a word can be replaced, with other words; the same passage and answer."""
    for row in rows:
        words, pattern = _words(row["dev"])
        if not row["drop"] and pattern.search(row["question"]):
            question = pattern.sub(partial(_replaced, words, chance), row["question"])
            if question != row["question"]:
                yield row | {"set": "reworded", "question": question}


@cache
def _words(is_kept_apart: bool) -> tuple[Mapping[str, list[str]], re.Pattern[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    with WORDS.open(encoding="utf-8", newline="") as stream:
        for pair in csv.DictReader(stream):
            document = pair["document"].casefold()
            if is_held_out(document, HELD_OUT) == is_kept_apart:
                found[document].append(pair["everyday"])
    longest_first = sorted(found, key=len, reverse=True)
    return found, re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b", re.IGNORECASE)


def _replaced(words: Mapping[str, list[str]], chance: random.Random, match: re.Match[str]) -> str:
    if chance.random() >= REPLACED:
        return match[0]
    word = chance.choice(words[match[0].casefold()])
    return word[0].upper() + word[1:] if match[0][0].isupper() else word
