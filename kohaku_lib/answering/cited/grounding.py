"""The claims of a content and the share of them that the sources they cite support."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from kohaku_lib.answering.coverage.content_words import content_stems, numbers
from kohaku_lib.text.sentences import sentence_spans
from kohaku_lib.text.units import SCALES

CITATION = re.compile(r"\[Source (\d+)\]")
LEAST_SHARE = 0.6  # of the content words of a claim that must occur in what it cites


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of a content with its offsets there, the numbers of the sources it cites, and whether these support it."""

    text: str
    cited: tuple[int, ...]
    supported: bool
    start: int = 0
    end: int = 0

    @property
    def bare(self) -> str:
        """The sentence without its citations."""
        return " ".join(CITATION.sub("", self.text).split()).replace(" .", ".")


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
    for start, end in _sentences(content):
        piece = content[start:end]
        cited = tuple(dict.fromkeys(int(number) for number in CITATION.findall(piece)))
        shown = [texts[number - 1] for number in cited if 0 < number <= len(texts)] if cited else texts
        if is_claim(piece):
            claims.append(Claim(piece, cited, is_supported(piece, " \n".join(shown)), start, end))
    return tuple(claims)


def is_claim(piece: str) -> bool:
    """Return whether a sentence says something: it is no heading, and has a number or a word with content."""
    bare = CITATION.sub("", piece)
    return not piece.startswith("#") and bool(_words(bare) or numbers(bare))


def is_supported(piece: str, source: str) -> bool:
    """Return whether `source` has every number of a sentence and three fifths of its content words."""
    bare = CITATION.sub("", piece)
    words = _words(bare)
    shared = content_stems(source).keys() & words
    return numbers(bare) <= numbers(source) and len(shared) >= LEAST_SHARE * len(words)


def complete_sentences(content: str) -> str:
    """Return the start of a growing content up to its last sentence, which may not be complete.

    >>> complete_sentences("It is old [Source 1]. It weighs 4 kg [Source")
    'It is old [Source 1].'
    """
    starts = [start for start, _ in _sentences(content)]
    return content[: starts[-1]].rstrip() if starts else ""


def grounding(claims: Sequence[Claim]) -> float:
    """Return the share of `claims` that are supported, 0 to 1; 0 if there are none."""
    return sum(claim.supported for claim in claims) / len(claims) if claims else 0.0


def _words(bare: str) -> Collection[str]:
    return {one for one in content_stems(bare) if one not in SCALES and not any(map(str.isdigit, one))}


def _sentences(content: str) -> Iterator[tuple[int, int]]:
    """Yield the offsets of the sentences of `content`; citations after a full stop belong to the sentence before it."""
    line_start = 0
    for line in content.splitlines(keepends=True):
        mark = _ITEM_MARK.match(line)
        start = mark.end() if mark else 0
        moved = _STOP_BEFORE_CITATIONS.sub(r"\2\1", line[start:])  # as long as before: the offsets stay
        yield from ((line_start + start + first, line_start + start + last) for first, last in sentence_spans(moved))
        line_start += len(line)


_ITEM_MARK = re.compile(r"\s*(?:[-*>•]\s*|\d{1,2}[.)]\s+)+")
_STOP_BEFORE_CITATIONS = re.compile(r"([.!?])(\s*(?:\[Source \d+\]\s*?)+)")
