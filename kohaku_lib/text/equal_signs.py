"""Signs that stand for one another: hyphens, spaces, quotation marks, digits of all scripts, and full-width forms."""

from __future__ import annotations

import re
import unicodedata

import regex


def with_equal_signs(text: str) -> str:
    r"""Return `text` with the usual sign for each that looks like it, one for one: every offset stays.

    Spaces within a number, which separate thousands, become no-break spaces, all others blanks. Dashes stay: they are signs
    of their own.

    >>> with_equal_signs("6\u20118 hours, “F\u201016”, ２０２４, ٣٫٥, 12\u202f500 EUR")
    '6-8 hours, "F-16", 2024, 3.5, 12\xa0500 EUR'
    """
    if text.isascii():
        return text
    plain = text.translate(_SIGNS)
    return _NO_THOUSANDS.sub(" ", plain) if _NO_BREAK in plain else plain


def equal_question(text: str) -> str:
    r"""Return a question in equal signs, each letter in one character with its accent.

    >>> equal_question("Is “Zu\u0308rich” open？")
    'Is "Zürich" open?'
    """
    return with_equal_signs(unicodedata.normalize("NFC", text))


def equal_words(text: str) -> str:
    r"""Return the words of `text` as they are compared: equal signs, NFKC, lower case, no optional signs above letters.

    Left out are signs that nobody sees, and the vowels of Arabic and Hebrew; the vowels of Indic scripts stay, without
    which words are others.

    >>> equal_words("Ｋｏｈａｋｕ ﾌﾟﾘﾝﾀｰ"), equal_words("إعارةِ الكُتُبِ"), equal_words("co\u00adöperate")
    ('kohaku プリンター', 'إعارة الكتب', 'coöperate')
    """
    if text.isascii():
        return text.lower()
    composed = unicodedata.normalize("NFKC", _UNSEEN.sub("", with_equal_signs(text))).lower()
    return _OPTIONAL_MARKS.sub("", composed).replace(_NO_BREAK, " ")


def equal_letter(sign: str) -> str:
    r"""Return the letters of one character without accents, as a text may have its accents as characters of their own.

    >>> [equal_letter(sign) for sign in ("Ü", "\u0308", "ﬁ", "‑")]
    ['u', '', 'fi', '-']
    """
    return _OPTIONAL_MARKS.sub("", unicodedata.normalize("NFKD", equal_words(sign)))


_NO_BREAK = "\u00a0"
_NO_THOUSANDS = re.compile(rf"(?<!\d){_NO_BREAK}|{_NO_BREAK}(?!\d\d\d)")
_UNSEEN = re.compile("[\u00ad\u200b\u200d-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u0640]")  # the last lengthens a letter
_OPTIONAL_MARKS = regex.compile(r"(?V1)[\p{M}&&[\p{Script=Inherited}\p{Script=Arabic}\p{Script=Hebrew}]]")
_USUAL = {
    "-": "\u2010\u2011\u2043\ufe63\uff0d",
    _NO_BREAK: "\u2007\u2008\u2009\u200a\u202f",
    "'": "\u2018\u2019\u201a\u201b\uff07",
    '"': "\u201c\u201d\u201e\u201f«»\uff02",
    "/": "\u2044\u2215",
    ".": "\u066b",
    ",": "\u060c\u066c",
    ";": "\u061b",
    "?": "\u061f",
    "%": "\u066a",
    "\u064a": "\u06cc",  # yeh and kaf, as Arabic and Persian keyboards have them
    "\u0643": "\u06a9",
}


class _Signs(dict[int, int]):
    """The usual sign of each character, found when it is first met."""

    def __missing__(self, code: int) -> int:
        usual = self[code] = ord(_usual_sign(chr(code)))
        return usual


def _usual_sign(sign: str) -> str:
    """Return the digit, blank or half-width form that a sign stands for, else the sign itself."""
    category = unicodedata.category(sign)
    if category == "Nd":
        return str(unicodedata.digit(sign))
    if category == "Zs" and sign != _NO_BREAK:
        return " "
    form = unicodedata.normalize("NFKC", sign) if "\uff00" <= sign <= "\uffef" else sign
    return form if len(form) == 1 else sign


_SIGNS = _Signs({ord(sign): ord(usual) for usual, signs in _USUAL.items() for sign in signs})
