"""Rule-based recognition of names and figures in texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kohaku_lib.index.graph.entities import Mention
from kohaku_lib.index.graph.evidence import votes_of_form
from kohaku_lib.index.graph.name_words import OTHER, PRODUCT, TECHNICAL_TERM

# Kinds of spans whose type the document tells; the other kinds are types.
NAME, WORD, FIRST_WORD, ACRONYM, CODE = "NAME", "WORD", "FIRST_WORD", "ACRONYM", "CODE"
TYPE_UNTOLD = {NAME: OTHER, WORD: OTHER, FIRST_WORD: OTHER, ACRONYM: TECHNICAL_TERM, CODE: PRODUCT}


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a text that names something: its kind, a type or one of TYPE_UNTOLD, and its confidence, 0 to 1."""

    kind: str
    text: str
    start: int
    end: int
    confidence: float


def find_mentions(text: str) -> Iterator[Mention]:
    """Yield the mentions in `text`, from left to right, without overlap, with the types that they tell by themselves.

    >>> text = "In May 2021 training GPT-3 drew 1,287 MWh, 12% of all."
    >>> [(mention.entity_type, mention.text) for mention in find_mentions(text)]
    [('DATE', 'May 2021'), ('PRODUCT', 'GPT-3'), ('TECHNICAL_TERM', '1,287 MWh'), ('PERCENTAGE', '12%')]
    """
    for span in find_spans(text):
        if span.kind != FIRST_WORD:
            kind = type_by_form(span.text, TYPE_UNTOLD[span.kind]) if span.kind in TYPE_UNTOLD else span.kind
            yield Mention(kind, span.text, span.start, span.end, span.confidence)


def type_by_form(name: str, otherwise: str = OTHER) -> str:
    """Return the type that the words of a name tell; `otherwise` if they tell none.

    >>> type_by_form("Carnegie Mellon University"), type_by_form("New York"), type_by_form("Evolved Transformer")
    ('ORGANIZATION', 'LOCATION', 'OTHER')
    """
    return max(votes_of_form(name), key=lambda vote: vote[1], default=(otherwise, 0.0))[0]


def find_spans(text: str) -> Iterator[Span]:
    """Yield what names something in `text`, from left to right, without overlap.

    A capital at the beginning of a sentence may be that of any word: such a FIRST_WORD is a name only if the document
    tells so.
    """
    for found in _PATTERN.finditer(text):
        kind, confidence, _ = _RULES[int((found.lastgroup or "r0")[1:])]
        start, end = found.span()
        name = _AFTER_NAME.sub("", text[start:end])
        if len(name) >= _FEWEST_CHARS:
            yield Span(kind, name, start, start + len(name), confidence)


_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
# Repeats are bounded so that text without blanks does not cause quadratic backtracking.
_NUMBER = r"\d+(?:,\d{3}){0,8}(?:\.\d+)?"
_YEAR = r"(?:1[0-9]|20)\d\d"
_SCALE = r"(?:\s?(?:thousand|million|billion|trillion|[kKMBT]n?)\b)?"
_UNIT = (
    r"(?:[kMGT]?Wh|[kMGT]?W|kilowatt-?hours?|megawatt-?hours?|watts?|joules?|[kMG]J|J|kg|g|tons?|tonnes?|lbs?|pounds?"
    r"|tCO2e?q?|kgCO2e?q?|gCO2e?q?|CO2e?q?|liters?|litres?|L|ml|gallons?|hours?|days?|minutes?|seconds?|ms|years?|km|miles?"
    r"|[GMTK]B(?:/s|ps)?|[GM]b/s|[GMTPE]?FLOPS?|GHz|MHz|nm|GPUs?|TPUs?|GPU[- ]hours?|parameters|tokens)"
)
_CAPITAL = "A-ZÀ-ÖØ-Þ" + "".join(sign for sign in map(chr, range(0x100, 0x180)) if sign.isupper())
_BLANK = r"[^\S\n]"  # table cells are on separate lines, so a name ends at the line end
_CALENDAR = (
    "January|February|March|April|May|June|July|August|September|October|November|December|Monday|Tuesday|Wednesday"
    "|Thursday|Friday|Saturday|Sunday"
)
_LETTERS = r"(?:[\w&-]|[’'](?!s\b)){1,60}"  # a name ends before a possessive "'s"
_WORD = (
    rf"(?!(?:{_CALENDAR})\b)(?:(?:People|Children|Women|Men|King|Queen|Saint)[’']s|(?:Ste?|Mt|Ft|Co|Bros)\.(?=\s)"
    rf"|[{_CAPITAL}]{_LETTERS}|[{_CAPITAL}]\.)"
)
_NO_NAME = (  # words that start a sentence or refer within the document rather than name something
    r"(?!(?:The|This|That|These|Those|We|Our|In|On|At|For|From|With|As|It|Its|An?|And|But|Or|If|When|While|To|Of|By"
    r"|He|She|His|Her|They|Their|There|After|Before|During|Since|Because|Both|Each|All|Many|Most|Some|Such|More|Another"
    r"|Given|Using|Based|Also|Finally|First|Second|Third|One|Two|Three|However|Although|Thus|Hence|Where|What|Which|Who"
    r"|How|Why|Whose|Is|Are|Was|Were|Did|Does|Do|True|False|Name|Figures?|Figs?|Tables?|Sections?|Appendix|Eq|Equations?"
    r"|Algorithms?|Chapters?|Note|Here|Not|No|Yes|Our|You|Your|My|Under|Over|Between|Among|Through|Despite|Additionally"
    r"|Furthermore|Moreover|According|Compared|Similarly|Therefore|Like|Unlike|Prior|Upon|Within|Without|Against|Toward"
    r"|Towards|Only|Just|Even|Still|Yet|So|Then|Now|Today|Later|Earlier|Recently|Currently|Born|Formerly|Originally"
    r"|Eventually|Initially|Let|Please|See|Via|Per|Around|About|Any|Every|Other|Several|Few|Nonetheless|Nevertheless"
    r"|Instead|Indeed|Until|Once|Following|Although|Whereas|Whether|Can|May|Be|Has|Have|Had|Fiscal|Inc|Corp|Ltd|"
    r"(?:King|Queen|Prince|Princess|Duke|Duchess|Bishop|President|Governor|Emperor)(?=\sof\b)|" + _CALENDAR + r")\b)"
)
_TITLE = "Archduke|Archduchess|Prince|Princess|King|Queen|Duke|Duchess|Count|Countess|Emperor|Empress|Lord|Lady|Saint"
_SUFFIX = r"(?:,?\s(?:(?:Inc|Corp|Ltd|Co|Jr|Sr)\b\.?|LLC\b|LLP\b|plc\b|GmbH\b|AG\b|B\.V\.|N\.V\.|S\.A\.))?"
_SMALL = r"(?:(?:of(?: the)?|for|the|van der|von der|de la|de los|de|van|von|la|del|da|das|der|di|do|dos|du|al|bin|ibn|&)\s)?"

_DATED = (  # a number of four digits is a year where one is said
    r"(?:(?<=since\s)|(?<=from\s)|(?<=until\s)|(?<=till\s)|(?<=before\s)|(?<=after\s)|(?<=during\s)|(?<=early\s)|(?<=late\s)"
    r"|(?<=mid-)|(?<=the\s)|(?<=\sa\s)|(?<=by\s)|(?<=to\s)|(?<=and\s)|(?<=or\s)|(?<=either\s)|(?<=\sof\s)|(?<=\()|(?<=\[)"
    r"|(?<=,\s)|(?<=[–-]\s)|(?<=[–-])|(?<=than\s)|(?<=circa\s))"
)

# The first matching pattern wins, so narrow ones come first.
_RULES = (
    ("MONEY", 0.9, rf"(?:US|CA|AU)?[$€£¥]\s?{_NUMBER}{_SCALE}|{_NUMBER}{_SCALE}\s(?:dollars|euros|USD|EUR)\b"),
    ("PERCENTAGE", 0.95, rf"{_NUMBER}\s?(?:%|percent\b|per cent\b)"),
    (
        "DATE",
        0.9,
        rf"(?:\d{{1,2}}\s)?{_MONTH}\s(?:\d{{1,2}},?\s)?{_YEAR}\b"
        rf"|(?:19|20)\d\d-[01]\d-[0-3]\d\b|(?:[Ss]pring|[Ss]ummer|[Aa]utumn|[Ff]all|[Ww]inter|[Ff]iscal)\s{_YEAR}\b"
        rf"|\d{{1,2}}\s{_MONTH}(?=\W|$)|{_MONTH}\s\d{{1,2}}(?![\d.%])|(?<=\sand\s)\d{{1,2}},?\s{_YEAR}\b",
    ),
    (
        "REGULATION",
        0.8,
        rf"{_NO_NAME}(?:{_WORD}{_BLANK}){{1,5}}(?:Act|Directive|Regulation|Treaty|Agreement|Constitution|Accord|Protocol"
        rf"|Convention|Charter|Code)\b|GDPR\b|HIPAA\b|(?:Bill|Code|Treaty|Declaration)\sof\s{_WORD}|Regulation\s[A-Z]-?[A-Z]*\b",
    ),
    (
        "CLAUSE",
        0.8,
        r"(?:Article|Clause|Annex|Recital|Rule|Schedule)\s(?:\d+(?:[.-]\d+)*|[IVX]+\b)(?:\(\w\))*|Section\s\d+(?:\(\w\))+"
        r"|Section\s\d{3,}\b|Item\s\d+\.\d+|(?:First|Second|Third|Fourth|Fifth|Sixth|[A-Z][a-z]+teenth)\sAmendment\b"
        r"|(?:[A-Z][a-z]{2,20}\s){1,3}Clause\b",
    ),
    ("TECHNICAL_TERM", 0.8, rf"{_NUMBER}{_SCALE}\s?{_UNIT}(?![\w])"),
    ("ACRONYM", 0.8, r"(?:CO2|CH4|N2O|SO2|H2O|NO2)(?:e|eq)?(?![\w-])"),
    ("CODE", 0.8, r"[A-Z][a-z]*[A-Z][A-Za-z]*\s\d+(?:\.\d+)?[BM]\b"),
    ("CODE", 0.8, r"(?<![\[,])(?=[a-z]*[A-Z])[A-Za-z]+-?\d+(?:\.\d+)?[A-Za-z]*(?:-[A-Za-z\d.]+)*(?:/\d+)*"),
    ("CODE", 0.7, r"[A-Z][a-z]+-[A-Z]{1,3}(?![\w-])"),
    ("CODE", 0.7, r"[A-Z][a-z]*[A-Z][A-Za-z]*(?:-\d+(?:\.\d+)?[A-Za-z]*)+"),
    ("LOCATION", 0.8, r"U\.[SK]\.(?:A\.)?"),
    (
        "ORGANIZATION",
        0.8,
        rf"(?:University\sof|Institute\sof|Department\sof|Ministry\sof)(?:{_BLANK}{_WORD}){{1,3}}"
        rf"|{_NO_NAME}{_WORD}(?:{_BLANK}(?:&\s)?{_WORD}){{0,4}}(?:,|\s&)?\s(?:Inc|Corp|Ltd|LLC|GmbH|plc|AG|B\.V|N\.V|Co)\b\.?",
    ),
    ("NAME", 0.6, rf"(?:{_TITLE})(?:{_BLANK}{_WORD}){{1,4}}(?=\sof\b)"),
    ("PERSON", 0.7, rf"(?:Dr|Mr|Mrs|Ms|Prof)\.\s(?:{_WORD}\s?){{1,3}}|{_WORD}(?=\set\sal\.)"),
    ("NAME", 0.6, rf"{_NO_NAME}{_WORD}(?:{_BLANK}{_SMALL}{_WORD}){{1,4}}{_SUFFIX}"),
    ("ACRONYM", 0.7, r"[A-Z]{2,}s?(?:/[A-Z]{2,})*(?!\w)(?:-[A-Z]+\b)?"),
    (
        "DATE",
        0.6,
        rf"(?<=[Ii]n\s)(?:{_YEAR}\b|(?:{_CALENDAR})(?=\W|$))|{_DATED}{_YEAR}(?![\w,.-]{{0,20}}\d)(?!\s[a-z]{{2,20}}[^us]s\b)(?=\W|$)",
    ),
    (
        "WORD",
        0.5,
        rf"(?<=[a-z\d,;)(–][ (])(?!I\b){_NO_NAME}[{_CAPITAL}](?:[\w&-]|[’'](?!s\b)){{2,60}}"
        rf"|(?<=[\"“‘(])(?!I\b){_NO_NAME}[{_CAPITAL}]\w{{2,60}}(?=[\"”’,);. ])",
    ),
    ("FIRST_WORD", 0.5, rf"{_NO_NAME}[{_CAPITAL}](?:[\w&-]|[’'](?!s\b)){{2,60}}"),
)
_START = rf"(?<![\w$€£/.-])(?=[\d$€£¥{_CAPITAL}]|[a-z]{{1,3}}[A-Z]|(?:spring|summer|autumn|fall|winter|fiscal)\s\d)"
_PATTERN = re.compile(
    rf"{_START}(?:" + "|".join(rf"(?P<r{at}>{pattern})" for at, (_, _, pattern) in enumerate(_RULES)) + ")"
)
_AFTER_NAME = re.compile(r"(?:[’']s|[’'`]+|-[a-z]{3,20}(?:ed|ing|like|style))?\s*$")
_FEWEST_CHARS = 2
