"""A chat model's yes or no → the probability of a yes."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from kohaku_lib.text.json_replies import strip_thinking

SAID_YES, SAID_NO, SAID_BOTH, SAID_NEITHER = 0.9, 0.1, 0.6, 0.5

_WORD = re.compile(r"[a-z]+")


def yes_probability(text: str, first_token: Mapping[str, float] | None) -> float:
    """Return P(yes) / (P(yes) + P(no)) over the candidates of the first token, each a log probability.

    Spellings of a word ("Yes", " yes") count together. Where neither word is among the candidates, or there are none,
    the words of the reply decide: 0.9 or 0.1 by the first one; 0.6 where that is neither and both come later, 0.9 or
    0.1 where one does; 0.5 where none does.

    >>> round(yes_probability("Yes", {"Yes": -0.223, "No": -1.609, " yes": -3.0}), 3)
    0.809
    >>> yes_probability("No, it is about rice.", None), yes_probability("Perhaps.", {"Perhaps": -0.1})
    (0.1, 0.5)
    """
    yes, no = (_mass(first_token or {}, word) for word in ("yes", "no"))
    return yes / (yes + no) if yes + no > 0 else _by_words(text)


def _mass(candidates: Mapping[str, float], word: str) -> float:
    return sum(
        math.exp(min(odds, 0.0)) for token, odds in candidates.items() if token.strip(" \n\t\"'*.,▁Ġ").lower() == word
    )


def _by_words(text: str) -> float:
    words = _WORD.findall(strip_thinking(text).lower())
    if words[:1] == ["yes"]:
        return SAID_YES
    if words[:1] == ["no"]:
        return SAID_NO
    said = {word for word in words if word in ("yes", "no")}
    return {2: SAID_BOTH, 0: SAID_NEITHER}.get(len(said)) or (SAID_YES if said == {"yes"} else SAID_NO)
