"""Passages that share words with a question and do not answer it."""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Collection, Mapping

from kohaku_lib.index import tokenise
from kohaku_lib.settings import LexicalSettings

_COMMON = 0.05  # share of the texts from which on a word says nothing


class SharedWords:
    """An index of the words of some texts."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._texts_of: dict[str, list[str]] = defaultdict(list)
        for name, text in texts.items():
            for word in set(tokenise(text, LexicalSettings())):
                self._texts_of[word].append(name)

    def nearest(self, question: str, answer: str, without: Collection[str], count: int) -> list[str]:
        """Return the names of the `count` texts that share the rarest words with `question`, but not `answer`."""
        weights: dict[str, float] = defaultdict(float)
        for word in set(tokenise(question, LexicalSettings())):
            holders = self._texts_of.get(word, ())
            if 0 < len(holders) < _COMMON * len(self._texts):
                weight = math.log(len(self._texts) / len(holders))
                for name in holders:
                    weights[name] += weight
        for name in without:
            weights.pop(name, None)
        found = [
            name
            for name in heapq.nlargest(count + 10, weights, key=weights.__getitem__)
            if answer.lower() not in self._texts[name].lower()
        ]
        return found[:count]
