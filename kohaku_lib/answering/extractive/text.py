"""Words, stems and sentences with their places in the text, as the extractive reader sees them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from kohaku_lib.text.sentences import Span, sentence_spans, spans_between
from kohaku_lib.text.stems import stem
from kohaku_lib.text.stop_words import filler_words


def words(text: str) -> frozenset[str]:
    """Return the words of `text`, which blanks and line ends part.

    >>> sorted(words("most highest"))
    ['highest', 'most']
    """
    return frozenset(text.split())


COMPARATIVES = frozenset({"more", "most", "above", "below", "before", "after", "same"})


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a text: its stem, its surface, and where it stands."""

    stem: str
    surface: str
    start: int
    end: int


@lru_cache(maxsize=4096)
def tokens_of(text: str) -> tuple[Token, ...]:
    """Return the words and numbers of `text` in order, hyphenated words in parts.

    >>> [token.stem for token in tokens_of("GPT-3 consumed 1,287 MWh.")]
    ['gpt', '3', 'consum', '1287', 'mwh']
    """
    return tuple(_token(match) for match in _WORD.finditer(text))


def content_stems(text: str) -> list[str]:
    """Return the stems of `text` without stop words, in order, each once.

    >>> content_stems("What were the emissions of the model?")
    ['emiss', 'model']
    """
    return list(dict.fromkeys(token.stem for token in tokens_of(text) if carries_content(token.surface)))


def carries_content(word: str) -> bool:
    """Return whether `word` says something about what a text is about.

    >>> carries_content("energy"), carries_content("The"), carries_content("don’t")
    (True, False, False)
    """
    return word.lower().replace("’", "'") not in filler_words("english")


@lru_cache(maxsize=65536)
def term_of(word: str) -> str:
    """Return what stands for all forms of `word`: a number without commas, "co2" for every spelling, else the stem.

    >>> [term_of(word) for word in ("training", "trained", "studies", "GPUs", "news", "1,287", "tCO2e")]
    ['train', 'train', 'studi', 'gpu', 'news', '1287', 'co2']
    """
    singular = word[:-1] if _ACRONYMS.fullmatch(word) else word
    low = singular.lower().replace("’", "'").removesuffix("'s").replace("'", "")
    if _GAS.match(low):
        return "co2"
    return low.replace(",", "").rstrip(".") if low[:1].isdigit() else stem(low)


def statement_spans(text: str) -> list[Span]:
    """Return start and end of every sentence of `text`; a row of a table and an item of a list are sentences too.

    >>> text = "See Fig. 2 of Wu et al. for 3.5 MWh. It is large."
    >>> [text[start:end] for start, end in statement_spans(text)]
    ['See Fig. 2 of Wu et al. for 3.5 MWh.', 'It is large.']
    """
    lines = spans_between(text, _line_cuts(text))
    return [(start + first, start + last) for start, end in lines for first, last in sentence_spans(text[start:end])]


_WORD = re.compile(
    r"(?<!\w)(?:[kMG]?[gt])?CO\s?[2₂](?:\s?-?\s?(?:eq(?:uivalents?)?|e))?(?!\w)|\d+(?:,\d{3})+(?:\.\d+)?|\d+\.\d+|\d+(?=[xX][\dA-Z])|\d+[A-Za-z]*|"
    r"[A-Z]{3,}(?=[a-z]{3,})|FY(?=(?:19|20)\d\d)|(?!(?<=\d)[xX][\dA-Z])[^\W\d_]+(?:['’][^\W\d_]+)?(?:\d+(?=[xX]\d)|\d*)"
)
_GAS = re.compile(r"(?:[kmg]?[gt])?co\s?[2₂]")
_ACRONYMS = re.compile(r"[A-Z]{2,}s")  # Snowball leaves "gpus" as it is
_LINE_END = re.compile(r"[ \t]*\n\s*|[ \t]+(?=[•●])")


def _token(match: re.Match[str]) -> Token:
    return Token(term_of(match.group()), match.group(), match.start(), match.end())


def _line_cuts(text: str) -> list[int]:
    """Return where a new row or item begins; a line that the page broke goes on."""
    cuts: list[int] = []
    for match in _LINE_END.finditer(text):
        line = text[cuts[-1] if cuts else 0 : match.start()].rsplit("\n", 1)[-1]
        if "\n" in match.group() and _is_wrapped(line) and text[match.end() : match.end() + 1] not in "|•●":
            continue
        cuts.append(match.end())
    return cuts


def _is_wrapped(line: str) -> bool:
    """Say whether a line ends because the page did: long, wordy, and in the middle of a sentence."""
    words = line.split()
    numeric = sum(any(sign.isdigit() for sign in word) for word in words)
    return len(line) >= 45 and numeric * 4 < len(words) and line[-1] not in ".!?:;|"
