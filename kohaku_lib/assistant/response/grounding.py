"""The claims of a content and the share of them that the sources they cite support."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kohaku_lib.answering.coverage.content_words import content_stems, numbers
from kohaku_lib.text.sentences import sentence_spans
from kohaku_lib.text.units import SCALES

CITATION = re.compile(r"\[Source (\d+)\]")
LEAST_SHARE = 0.6  # of the content words of a claim that must occur in what it cites
_ITEM_MARK = re.compile(r"^(?:[-*>•]\s*|\d{1,2}[.)]\s+)+")
_TRAILING = re.compile(r"\s*(?:\[Source \d+\]\s*)+")


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of a content, the numbers of the sources it cites, and whether these support it."""

    text: str
    cited: tuple[int, ...]
    supported: bool


def judge_claims(content: str, texts: Sequence[str]) -> tuple[Claim, ...]:
    """Return the claims of `content`, each judged by the source texts it cites, or by all of them if it cites none.

    A claim is supported if every number of it occurs there and three fifths of its content words do. Headings and
    sentences without content words are no claims.

    >>> judge_claims("It used 41,800 kWh [Source 1].", ["In 2023 the workshop used 41,800 kWh."])[0].supported
    True
    >>> judge_claims("It used 42,000 kWh [Source 1].", ["In 2023 the workshop used 41,800 kWh."])[0].supported
    False
    """
    claims = []
    for piece in _pieces(content):
        bare = CITATION.sub("", piece)
        words = {one for one in content_stems(bare) if one not in SCALES and not any(map(str.isdigit, one))}
        cited = tuple(dict.fromkeys(int(number) for number in CITATION.findall(piece)))
        if (words or numbers(bare)) and not piece.startswith("#"):
            shown = [texts[number - 1] for number in cited if 0 < number <= len(texts)] if cited else texts
            claims.append(Claim(piece, cited, _is_supported(bare, words, " \n".join(shown))))
    return tuple(claims)


def grounding(claims: Sequence[Claim]) -> float:
    """Return the share of `claims` that are supported, 0 to 1; 0 if there are none."""
    return sum(claim.supported for claim in claims) / len(claims) if claims else 0.0


def _is_supported(piece: str, words: Collection[str], source: str) -> bool:
    shared = content_stems(source).keys() & words
    return numbers(piece) <= numbers(source) and len(shared) >= LEAST_SHARE * len(words)


def _pieces(content: str) -> list[str]:
    """Return the sentences of `content`; citations after a full stop belong to the sentence before it."""
    moved = re.sub(rf"([.!?])({_TRAILING.pattern})", r"\2\1 ", content)
    lines = [_ITEM_MARK.sub("", line.strip()) for line in moved.splitlines() if line.strip()]
    return [line[start:end].strip() for line in lines for start, end in sentence_spans(line)]
