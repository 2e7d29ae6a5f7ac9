"""Tokens, stems and sentences with their positions, as the built-in reader uses them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from kohaku_lib.text.equal_signs import with_equal_signs
from kohaku_lib.text.sentences import Span, sentence_spans, spans_between
from kohaku_lib.text.stems import stem
from kohaku_lib.text.stop_words import filler_words, stop_words

COMPARATIVES = frozenset({"more", "most", "above", "below", "before", "after", "same"})


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a text: its stem, its surface form and its character span."""

    stem: str
    surface: str
    start: int
    end: int


@lru_cache(maxsize=4096)
def tokens_of(text: str) -> tuple[Token, ...]:
    """Return the words and numbers of `text` in order; hyphenated words are split.

    >>> [token.stem for token in tokens_of("GPT-3 consumed 1,287 MWh.")]
    ['gpt', '3', 'consum', '1287', 'mwh']
    """
    return tuple(_token(match) for match in _WORD.finditer(with_equal_signs(text)))


def content_stems(text: str) -> list[str]:
    """Return the distinct stems of `text` without stop words, in order.

    >>> content_stems("What were the emissions of the model?")
    ['emiss', 'model']
    """
    return list(dict.fromkeys(token.stem for token in tokens_of(text) if carries_content(token.surface)))


def carries_content(word: str) -> bool:
    """Return whether `word` is a content word.

    >>> carries_content("energy"), carries_content("The"), carries_content("don’t")
    (True, False, False)
    """
    return word.lower().replace("’", "'") not in filler_words("english")


def is_akin(stem: str, other: str) -> bool:
    """Return whether one stem begins with the other.

    >>> is_akin("own", "owner"), is_akin("1", "12")
    (True, False)
    """
    short, long = sorted((stem, other), key=len)
    return long == short or (len(short) >= _LEAST_AKIN and long.startswith(short) and short.isalpha())


@lru_cache(maxsize=65536)
def term_of(word: str) -> str:
    """Return the normalised form of `word`: a number without commas, "co2" for all its spellings, otherwise the stem.

    >>> [term_of(word) for word in ("training", "trained", "studies", "GPUs", "news", "1,287", "tCO2e")]
    ['train', 'train', 'studi', 'gpu', 'news', '1287', 'co2']
    """
    singular = word[:-1] if _ACRONYMS.fullmatch(word) else word
    low = singular.lower().replace("’", "'").removesuffix("'s").replace("'", "")
    if _GAS.match(low):
        return "co2"
    return low.replace(",", "").rstrip(".") if low[:1].isdigit() else stem(low)


def statement_spans(text: str) -> list[Span]:
    """Return the span of every sentence of `text`, German or English; table rows and list items count as sentences.

    >>> text = "See Fig. 2 of Wu et al. for 3.5 MWh. It is large."
    >>> [text[start:end] for start, end in statement_spans(text)]
    ['See Fig. 2 of Wu et al. for 3.5 MWh.', 'It is large.']
    >>> text = "Die 3. Sitzung war im Mai, vgl. Nr. 7. Sie war kurz."
    >>> [text[start:end] for start, end in statement_spans(text)]
    ['Die 3. Sitzung war im Mai, vgl. Nr. 7.', 'Sie war kurz.']
    """
    lines, language = spans_between(text, _line_cuts(text)), "de" if _is_german(text) else "en"
    return [
        (start + first, start + last)
        for start, end in lines
        for first, last in sentence_spans(text[start:end], language)
    ]


def _is_german(text: str) -> bool:
    """Return whether more words of a text are stop words of German alone than of English alone."""
    german, english = stop_words("german"), stop_words("english")
    words = _LOWER_WORD.findall(text.lower())
    return sum(word in german for word in words) > sum(word in english for word in words)


_WORD = re.compile(
    r"(?<!\w)(?:[kMG]?[gt])?CO\s?[2₂](?:\s?-?\s?(?:eq(?:uivalents?)?|e))?(?!\w)|\d+(?:,\d{3})+(?:\.\d+)?|\d+\.\d+|\d+(?=[xX][\dA-Z])|\d+[A-Za-z]*|"
    r"[A-Z]{3,}(?=[a-z]{3,})|FY(?=(?:19|20)\d\d)|(?!(?<=\d)[xX][\dA-Z])[^\W\d_]+(?:['’][^\W\d_]+)?(?:\d+(?=[xX]\d)|\d*)"
)
_GAS = re.compile(r"(?:[kmg]?[gt])?co\s?[2₂]")
_LOWER_WORD = re.compile(r"[^\W\d_]+")
_LEAST_AKIN = 3  # letters
_ACRONYMS = re.compile(r"[A-Z]{2,}s")  # Snowball does not stem "gpus"
_LINE_END = re.compile(r"[ \t]*\n\s*|[ \t]+(?=[•●])")


def _token(match: re.Match[str]) -> Token:
    return Token(term_of(match.group()), match.group(), match.start(), match.end())


def _line_cuts(text: str) -> list[int]:
    """Return the start of every row or item; wrapped lines are not split."""
    cuts: list[int] = []
    for match in _LINE_END.finditer(text):
        line = text[cuts[-1] if cuts else 0 : match.start()].rsplit("\n", 1)[-1]
        if "\n" in match.group() and _is_wrapped(line) and text[match.end() : match.end() + 1] not in "|•●":
            continue
        cuts.append(match.end())
    return cuts


def _is_wrapped(line: str) -> bool:
    """Return whether a line ends because of the page width: long, mostly words, and mid-sentence."""
    words = line.split()
    numeric = sum(any(sign.isdigit() for sign in word) for word in words)
    return len(line) >= 45 and numeric * 4 < len(words) and line[-1] not in ".!?:;|"
