"""Numbers with decimal commas, as most of Europe writes them, in the spelling with decimal points."""

from __future__ import annotations

import re
from collections.abc import Iterable


def has_decimal_commas(text: str) -> bool:
    """Return whether a text writes numbers with decimal commas: one of them does, or its words are German.

    >>> [has_decimal_commas(text) for text in ("1.234,56 €", "Es wurden 1.286 Reisen für das Jahr gezählt", "1,286 km")]
    [True, True, False]
    """
    if _SURE.search(text):
        return True
    return len({word.lower() for word in _GERMAN.findall(text)}) > 1 and not _ENGLISH_NUMBER.search(text)


def writes_decimal_commas(texts: Iterable[str]) -> bool:
    """Return whether the texts of one document write numbers with decimal commas: most of it is German, or only commas are.

    >>> writes_decimal_commas(["Das Tor ist für die Halle.", "Es kostet 16,50"]), writes_decimal_commas(["1,286 km; 3,5"])
    (True, False)
    """
    text = "\n".join(texts)
    if _ENGLISH_NUMBER.search(text):
        return False
    is_german = len(_GERMAN.findall(text)) > _LEAST_GERMAN * len(_WORD.findall(text))
    return is_german or bool(_SURE.search(text)) or bool(_COMMA.search(text) and not _POINT.search(text))


def with_decimal_points(text: str) -> str:
    """Return a text that writes numbers with decimal commas in the other way, without separators of thousands.

    >>> with_decimal_points("412.750,40 € für 1.286 Reisen, je 5,6 km; Version 1.2.3, Seite 1,2,3")
    '412750.40 € für 1286 Reisen, je 5.6 km; Version 1.2.3, Seite 1,2,3'
    >>> with_decimal_points("1 250,50 zł")
    '1250.50 zł'
    """
    return _NUMBER.sub(lambda match: _SEPARATORS.sub("", match[0]).replace(",", "."), text)


_NUMBER = re.compile(
    r"(?<![\w.,])(?<!\d\s)(?:\d{1,3}(?:[ \u00a0]\d{3})+,\d+|\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+,\d+)(?![.,]?\d)"
)
_SEPARATORS = re.compile(r"[. \u00a0]")  # of thousands
_SURE = re.compile(r"(?<![\w.,])(?:\d{1,3}(?:\.\d{3})+,\d+|\d+,\d{1,2}\s?(?:€|EUR|%|[kK]?[mgWh]{1,3}\b|Euro))")
_ENGLISH_NUMBER = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![.,]?\d)")
_COMMA, _POINT = (
    re.compile(r"(?<![\w.,[])\d+,\d{1,2}(?![\w.,]|\s?\])"),
    re.compile(r"(?<![\w.,])\d+\.\d{1,2}(?![\w.,])"),
)
_WORD = re.compile(r"[^\W\d_]+")
_LEAST_GERMAN = 0.06  # of the words of a German document; of an English one less than 0.01
_GERMAN = re.compile(
    r"\b(?:der|die|das|dem|den|und|für|wird|werden|wurde|wurden|nicht|keine?|je|pro|von|vom|im|zum|zur|ist|sind|bei|mit|auf"
    r"|wie|viele?|Jahr|Euro)\b",
    re.IGNORECASE,
)
