"""Abbreviations, whose full stop does not end a sentence, by language."""

from __future__ import annotations

import re
from functools import cache

_EVERYWHERE = (
    r"al|Figs?|FIGS?|Tabs?|Eqs?|Eqns?|Secs?|Sects?|Refs?|Vol|Nos?|Ch|Chap|App|Alg|Thm|Prop|Def|Ex|Approx|approx|ca|cf"
    r"|e\.?g|i\.?e|vs|viz|resp|w\.r\.t|pp?|Drs?|Mrs?|Ms|[Pp]rof|St|Jr|Sr|Inc|Ltd|Corp|Co|Dept|Univ|U\.S|U\.K|E\.U|D\.C"
    r"|a\.k\.a|incl|excl"
)
# Without those that often end a sentence (usw., etc., ecc.); single letters are parts of "z. B.", "p. ej.".
_OF_LANGUAGE = {
    "cs": r"např|tj|obr|tab|str|tzv|prof|dr|č|čl",
    "da": r"f\.eks|bl\.a|dvs|kap|fig|tab|nr|s|jf",
    "de": r"bzw|vgl|Abb|Nr|Abs|Art|Fa|Str|S|z|B|d|h|u|a|i|evtl|ggf|inkl|zzgl|Hrn?|Fr|Kap|Bd|Jh|Dipl|Ing|sog|gem|Mio|Mrd",
    "es": r"Sra|Srta|Sres|Dra|D|Dña|EE|UU|págs?|figs?|arts?|ej|Avda|av|núm|n|tel|aprox|cap|Uds?",
    "fr": r"M|MM|Mmes?|Mlles?|figs?|tab|art|env|av|bd|n|janv|févr|avr|juil|sept|oct|nov|déc|ex|chap|éd|Ste|tél",
    "it": r"sigg?|sig\.ra|dott|dr|ing|avv|on|pagg?|figg?|tab|artt?|es|v|cap|n",
    "nl": r"dhr|mevr|mw|ir|ing|blz|fig|tab|bijv|bv|nr|art|o\.a|d\.w\.z|vgl",
    "no": r"f\.eks|bl\.a|dvs|kap|fig|tab|nr|s|jf",
    "pl": r"np|rys|tab|str|zob|por|mgr|inż|ul|nr|tzn|tj|św|im|m\.in|ok|godz|wg",
    "pt": r"Sra|Dra|Profa|págs?|figs?|arts?|ex|av|núm|n|cap|aprox|Exmo",
    "ru": r"гг?|рис|табл|стр|см|ср|т|е|д|пп?|ул|им|проф|акад|руб|тыс|млн|млрд|гл",
    "sv": r"t\.ex|bl\.a|dvs|kap|fig|tab|nr|s|jfr",
    "tr": r"Doç|bkz|örn|No|Sn|Av",
    "hi": r"डॉ|श्री|प्रो|सं",
}
_BEFORE = r"(?:^|[\s(\[{\"“„«‘'’/-])"
_CLOSERS = r"[)\]”“\"»’]*"
_INITIAL = re.compile(rf"(?:^|[\s(\[.-])[A-ZÀ-ÖØ-ÞΑ-ΩА-ЯЁ]\.{_CLOSERS}$")
_UNIT = re.compile(r"[\w,)]\s[~≈]?\d[\d.,]*\s[WVKC]\.$")  # "draws 300 W.", not "[...]. 14 W. McCulloch"
_ORDINAL = re.compile(r"\b(?:[Ii]m|[Aa]m|[Vv]om|[Zz]um|[Dd](?:er|es|em|en|ie|as)|[Ss]eit|[Bb]is|[Aa]b|und) \d{1,2}\.$")


def ends_in_abbreviation(left: str, language: str) -> bool:
    """Return whether `left` ends in an initial or an abbreviation of `language` (an ISO 639-1 code).

    The abbreviations of English and of science apply to every language.

    >>> ends_in_abbreviation("as reported by Wu et al.", "en"), ends_in_abbreviation("siehe Abb.", "de")
    (True, True)
    >>> ends_in_abbreviation("It is old.", "en")
    False
    """
    is_ordinal = language == "de" and _ORDINAL.search(left)
    is_initial = _INITIAL.search(left) and not _UNIT.search(left)
    return bool(is_ordinal or is_initial or _pattern(language).search(left))


@cache
def _pattern(language: str) -> re.Pattern[str]:
    own = _OF_LANGUAGE.get(language)
    either = f"{_EVERYWHERE}|(?i:{own})" if own else _EVERYWHERE
    return re.compile(rf"{_BEFORE}(?:{either})\.{_CLOSERS}$")
