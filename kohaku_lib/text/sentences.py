"""Sentence segmentation."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from itertools import pairwise

Span = tuple[int, int]


def sentence_spans(text: str, language: str | None = None) -> list[Span]:
    """Return the offsets (start, end) of the sentences of `text`, in order, without surrounding whitespace.

    Args:
        text: Any text. A blank one has no sentence; one without a boundary is one sentence.
        language: Its ISO 639-1 code; English by default.

    The boundaries are those of sentencex, except after abbreviations and initials, inside numbers and before a
    lower-case continuation, plus those after a footnote mark and between the items of a list. Thai and Lao, which mark
    no end but leave a blank there, are cut at double blanks and at the first blank after 100 characters.

    >>> text = "Wu et al. (2021) use 3.5 kWh, cf. Fig. 2. See No. 5 of the list. No. It is less."
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['Wu et al. (2021) use 3.5 kWh, cf. Fig. 2.', 'See No. 5 of the list.', 'No.', 'It is less.']
    """
    language = language or "en"
    candidates = {*_sentencex_cuts(text, language), *(more.end() for more in _MORE_CUTS.finditer(text))}
    has_case = _has_case(text)
    cuts = (cut for cut in candidates if _is_boundary(text, cut, language, has_case))
    return spans_between(text, [*cuts, *_item_cuts(text), *_blank_cuts(text)])


def spans_between(text: str, cuts: Iterable[int]) -> list[Span]:
    """Return the offsets of the parts between `cuts`, without surrounding whitespace; blank parts are omitted.

    >>> spans_between("one two", [4])
    [(0, 3), (4, 7)]
    """
    edges = sorted({0, *cuts, len(text)})
    pieces = [(start + len(piece) - len(piece.lstrip()), piece.strip()) for start, piece in _text_between(text, edges)]
    return [(start, start + len(piece)) for start, piece in pieces if piece]


def ends_in_abbreviation(left: str, language: str) -> bool:
    """Return whether `left` ends in an initial or an abbreviation of `language` (an ISO 639-1 code).

    The abbreviations of English and of science apply to every language.

    >>> ends_in_abbreviation("as reported by Wu et al.", "en"), ends_in_abbreviation("siehe Abb.", "de")
    (True, True)
    >>> ends_in_abbreviation("It is old.", "en")
    False
    """
    is_ordinal = language == "de" and _GERMAN_ORDINAL.search(left)
    is_initial = _INITIAL.search(left) and not _ENDS_IN_UNIT.search(left)
    return bool(is_ordinal or is_initial or _abbreviation_pattern(language).search(left))


_WINDOW = 10_000  # characters that are split at once

_END_MARKS = ".!?…。！？｡।॥؟۔։።"
_CLOSING = "\"'”“’»›)\\]}*†‡」』）】"
_ENDS_SENTENCE = re.compile(rf"[{_END_MARKS}](?:[{_CLOSING}\d]|\s?»|\[\d+(?:[,–-] ?\d+)*\])*$")
_CONTINUES = frozenset(",;:)]}%")
# Boundaries that sentencex misses: at a footnote mark, a closing bracket or a unit around the full stop.
_NOTE = r"\[\d+(?:[,–-] ?\d+)*\]|\d{1,2}(?:[,–]\d{1,2})*"
_MORE_CUTS = re.compile(
    rf"(?:[^\W\d_]{{4}}[.!?](?:{_NOTE}|[)”“]|\s»)|\d ?(?:[kmc]?[gml]|[kMGT]?(?:Wh?|Hz|B))\.)\s+(?=[^\W\d_a-z])|……(?=\w)"
)
_ITEM = re.compile(r"\n[^\S\n]*(?=(?:[-*•▪◦–]|\d{1,3}[.)]|\(\w\))[^\S\n]+\S)")
_THAI_OR_LAO = r"[\u0e00-\u0eff]"
_THAI_BLANK = re.compile(rf"(?<={_THAI_OR_LAO})[^\S\n]+(?={_THAI_OR_LAO})")
_LONG_SENTENCE, _SHORT_SENTENCE = 100, 20  # characters before a single and before a double blank that ends a sentence
_CAPITALS_BEFORE, _CAPITALS = re.compile(r"(?<!\w)[A-Z]+\.$"), re.compile(r"[A-Z]+(?![a-z])")  # "ML.ENERGY"
_ANSWER_NO = re.compile(r"(?:^|\s)No\.$")  # no abbreviation of "number" where no number follows

# Abbreviations do not end a sentence with their full stop.
_COMMON_ABBREVIATIONS = (
    r"al|Figs?|FIGS?|Tabs?|Eqs?|Eqns?|Secs?|Sects?|Refs?|Vol|Nos?|Ch|Chap|App|Alg|Thm|Prop|Def|Ex|Approx|approx|ca|cf"
    r"|e\.?g|i\.?e|vs|viz|resp|w\.r\.t|pp?|Drs?|Mrs?|Ms|[Pp]rof|St|Jr|Sr|Inc|Ltd|Corp|Co|Dept|Univ|U\.S|U\.K|E\.U|D\.C"
    r"|a\.k\.a|incl|excl"
)
# Excludes those that often end a sentence (usw., etc., ecc.); single letters are parts of "z. B.", "p. ej.".
_ABBREVIATIONS_BY_LANGUAGE = {
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
_BEFORE_ABBREVIATION = r"(?:^|[\s(\[{\"“„«‘'’/-])"
_CLOSERS = r"[)\]”“\"»’]*"
_INITIAL = re.compile(rf"(?:^|[\s(\[.-])[A-ZÀ-ÖØ-ÞΑ-ΩА-ЯЁ]\.{_CLOSERS}$")
_ENDS_IN_UNIT = re.compile(r"[\w,)]\s[~≈]?\d[\d.,]*\s[WVKC]\.$")  # "draws 300 W.", not "[...]. 14 W. McCulloch"
_GERMAN_ORDINAL = re.compile(
    r"\b(?:[Ii]m|[Aa]m|[Vv]om|[Zz]u[mr]|[Bb]eim|[Dd](?:er|es|em|en|ie|as)|[Dd]iese[mnrs]?|[Jj]ede[mnrs]?|[Ee]ine?[mnrs]?"
    r"|(?:[MmDdSs]ein|[Ii]hr|[Uu]nse?r|[Ee]ue?r)(?:e[mnrs]?)?|[Ss]eit|[Bb]is|[Aa]b|und) \d{1,2}\.$"
)


def _sentencex_cuts(text: str, language: str) -> list[int]:
    """Return the boundaries of sentencex, in windows: its time is quadratic in the length of a text without blanks."""
    from sentencex.sentencex import get_sentence_boundaries

    cuts: list[int] = []
    start = 0
    while start < len(text):
        end = _window_end(text, start)
        cuts.extend(start + boundary["end_index"] for boundary in get_sentence_boundaries(language, text[start:end]))
        start = end
    return cuts


def _window_end(text: str, start: int) -> int:
    """Return the end of the window from `start`: after a line, a full stop of Chinese or Japanese, or a word."""
    reach = start + _WINDOW
    if reach >= len(text):
        return len(text)
    ends = (text.rfind(mark, start + _WINDOW // 2, reach) + len(mark) for mark in ("\n", "。", " "))
    return next((end for end in ends if end > start + 1), reach)


def _item_cuts(text: str) -> list[int]:
    """Return the offsets of the items of a list; none for a single item, unless it begins the text."""
    cuts = [item.end() for item in _ITEM.finditer(text)]
    return cuts if len(cuts) > 1 or _ITEM.match("\n" + text[:40].lstrip()) else []


def _blank_cuts(text: str) -> list[int]:
    """Return the blanks of Thai and Lao text that are taken for ends of sentences; shorter ones part clauses and names."""
    cuts = [0]
    for blank in _THAI_BLANK.finditer(text):
        least = _SHORT_SENTENCE if len(blank[0]) > 1 else _LONG_SENTENCE
        if blank.start() - cuts[-1] >= least:
            cuts.append(blank.end())
    return cuts


def _has_case(text: str) -> bool:
    """Return whether `text` uses capitals; some texts are in lower case throughout."""
    sample = text[:20_000]
    lower = sum(map(str.islower, sample))
    return lower < 200 or sum(map(str.isupper, sample)) * 200 >= lower


def _is_boundary(text: str, cut: int, language: str, has_case: bool) -> bool:
    before, right = text[max(0, cut - 40) : cut], text[cut : cut + 40].lstrip()
    left = before.rstrip()
    if "\n\n" in before[len(left) :] + text[cut : cut + 2]:
        return True
    if (has_case and right[:1].islower()) or right[:1] in _CONTINUES or not _ends_sentence(left, language):
        return False
    if not text[cut - 1].isspace() and _is_inside(left, right, is_glued=not text[cut : cut + 1].isspace()):
        return False
    if language == "en" and _ANSWER_NO.search(left):
        return not right[:1].isdigit()
    return not ends_in_abbreviation(left, language)


def _is_inside(left: str, right: str, *, is_glued: bool) -> bool:
    """Return whether the mark between `left` and `right` is inside a quotation, a number or a name with a dot."""
    if left[-1] in "」』" and right[:1] in ("と", "っ"):  # "...," she said
        return True
    if left[-2:-1].isdigit() and right[:1].isdigit():
        return True
    return is_glued and bool(_CAPITALS.match(right) and _CAPITALS_BEFORE.search(left))


def _ends_sentence(left: str, language: str) -> bool:
    return bool(_ENDS_SENTENCE.search(left)) or (language == "el" and left.endswith(";"))


@cache
def _abbreviation_pattern(language: str) -> re.Pattern[str]:
    of_language = _ABBREVIATIONS_BY_LANGUAGE.get(language)
    either = f"{_COMMON_ABBREVIATIONS}|(?i:{of_language})" if of_language else _COMMON_ABBREVIATIONS
    return re.compile(rf"{_BEFORE_ABBREVIATION}(?:{either})\.{_CLOSERS}$")


def _text_between(text: str, edges: list[int]) -> list[tuple[int, str]]:
    return [(start, text[start:end]) for start, end in pairwise(edges)]
