"""The words of a text that carry its content."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from types import MappingProxyType

from kohaku_lib.text.stems import stem
from kohaku_lib.text.stop_words import filler_words
from kohaku_lib.text.tokens import tokens
from kohaku_lib.text.units import SCALES

_NUMBER = re.compile(rf"(\d+(?:[.,]\d+)*)(?:\s({'|'.join(SCALES)})\b)?", re.IGNORECASE)


@lru_cache(maxsize=8192)
def content_stems(text: str) -> Mapping[str, str]:
    """Return the stems of the content words of `text`, each with its first word, in order.

    They are kept, as questions find the same passages again.

    >>> dict(content_stems("How many accelerators were used for the training?"))
    {'acceler': 'accelerators', 'train': 'training'}
    """
    empty = filler_words("english")
    found: dict[str, str] = {}
    for word in tokens(text):
        if word not in empty and (len(word) > 1 or word.isdigit()):
            found.setdefault(stem(word), word)
    return MappingProxyType(found)


@lru_cache(maxsize=8192)
def numbers(text: str) -> frozenset[str]:
    """Return the numbers of `text` without separators of thousands, whatever follows them; "1.2 million" is 1200000.

    >>> sorted(numbers("In 2023 it used 41,800 kWh, 1.5 % more, for 1.2 million euros."))
    ['1.5', '1200000', '2023', '41800']
    """
    return frozenset(_plain(*found.groups()) for found in _NUMBER.finditer(text))


def _plain(number: str, scale: str | None) -> str:
    plain = re.sub(r",(?=\d{3}(?:\D|$))", "", number)
    if scale is None or not re.fullmatch(r"\d+(?:\.\d+)?", plain):
        return plain
    return format((Decimal(plain) * Decimal(SCALES[scale.lower()])).normalize(), "f")
