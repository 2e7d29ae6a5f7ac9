"""Numbers in words up to a hundred, in English and German, and words for multiples."""

from __future__ import annotations

import re

_ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = ("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_TENS = ("ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "hundred")
_GERMAN_ONES = ("zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun")
_GERMAN_TEENS = ("elf", "zwölf", "dreizehn", "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn")
_GERMAN_TENS = (
    "zehn",
    "zwanzig",
    "dreißig",
    "vierzig",
    "fünfzig",
    "sechzig",
    "siebzig",
    "achtzig",
    "neunzig",
    "hundert",
)
WORD_VALUES: dict[str, float] = {
    **{word: value for value, word in enumerate(_ONES, 1)},
    **{word: value for value, word in enumerate(_GERMAN_ONES, 2)},
    **{word: value for names in (_TEENS, _GERMAN_TEENS) for value, word in enumerate(names, 11)},
    **{word: 10 * tens for names in (_TENS, _GERMAN_TENS) for tens, word in enumerate(names, 1)},
    **{
        f"{ten}-{one}": 10 * tens + ones for tens, ten in enumerate(_TENS[1:-1], 2) for ones, one in enumerate(_ONES, 1)
    },
    **{
        f"{one}und{ten}": 10 * tens + ones
        for tens, ten in enumerate(_GERMAN_TENS[1:-1], 2)
        for ones, one in enumerate(("ein", *_GERMAN_ONES), 1)
    },
    "dreissig": 30,
    "einhundert": 100,
    **{f"{one} and a half": ones + 0.5 for ones, one in enumerate(_ONES, 1)},
    **{f"{one}einhalb": ones + 0.5 for ones, one in enumerate(("ein", *_GERMAN_ONES), 1)},
    "anderthalb": 1.5,
}
NUMBER_WORD = re.compile(
    rf"\b({'|'.join(sorted(WORD_VALUES, key=len, reverse=True))}|"
    r"twice|double[sd]?|doubling|thrice|triple[sd]?|tripling|quadrupl\w+|tenfold)\b",
    re.IGNORECASE,
)
MULTIPLIER_PREFIXES = {"twi": 2.0, "dou": 2.0, "thr": 3.0, "tri": 3.0, "qua": 4.0, "ten": 10.0}
