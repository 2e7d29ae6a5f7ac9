"""Rule-based recognition of names and figures in texts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kohaku_lib.index.graph.entities import Mention

_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
# Repeats are bounded so that text without blanks does not cause quadratic backtracking.
_NUMBER = r"\d+(?:,\d{3}){0,8}(?:\.\d+)?"
_SCALE = r"(?:\s?(?:thousand|million|billion|trillion|[kKMBT]n?)\b)?"
_UNIT = (
    r"(?:[kMGT]?Wh|[kMGT]?W|kilowatt-?hours?|megawatt-?hours?|watts?|joules?|[kMG]J|J|kg|g|tons?|tonnes?|lbs?|pounds?"
    r"|tCO2e?q?|kgCO2e?q?|gCO2e?q?|CO2e?q?|liters?|litres?|L|ml|gallons?|hours?|days?|minutes?|seconds?|ms|years?|km|miles?"
    r"|[GMTK]B(?:/s|ps)?|[GM]b/s|[GMTPE]?FLOPS?|GHz|MHz|nm|GPUs?|TPUs?|GPU[- ]hours?|parameters|tokens)"
)
_CAPITAL = "A-ZÀ-ÖØ-Þ"
_BLANK = r"[^\S\n]"  # table cells are on separate lines, so a name ends at the line end
_CALENDAR = (
    "January|February|March|April|May|June|July|August|September|October|November|December|Monday|Tuesday|Wednesday"
    "|Thursday|Friday|Saturday|Sunday"
)
_WORD = rf"(?!(?:{_CALENDAR})\b)(?:[{_CAPITAL}][\w’'&-]{{1,60}}|[{_CAPITAL}]\.)"
_NO_NAME = (  # words that start a sentence or refer within the document rather than name something
    r"(?!(?:The|This|That|These|Those|We|Our|In|On|At|For|From|With|As|It|Its|An?|And|But|Or|If|When|While|To|Of|By"
    r"|He|She|His|Her|They|Their|There|After|Before|During|Since|Because|Both|Each|All|Many|Most|Some|Such|More|Another"
    r"|Given|Using|Based|Also|Finally|First|Second|Third|One|Two|Three|However|Although|Thus|Hence|Where|What|Which|Who"
    r"|How|Why|Whose|Is|Are|Was|Were|Did|Does|Do|True|False|Name|Figures?|Figs?|Tables?|Sections?|Appendix|Eq|Equations?"
    r"|Algorithms?|Chapters?|Note|Here|Not|No|Yes|Our|You|Your|My|Under|Over|Between|Among|Through|Despite|Additionally"
    r"|Furthermore|Moreover|According|Compared|Similarly|Therefore|" + _CALENDAR + r")\b)"
)
_SMALL = r"(?:(?:of(?: the)?|for|the|de|van|von|la|del|da|&)\s)?"

# The first matching pattern wins, so narrow ones come first.
_RULES = (
    ("MONEY", 0.9, rf"(?:US|CA|AU)?[$€£¥]\s?{_NUMBER}{_SCALE}|{_NUMBER}{_SCALE}\s(?:dollars|euros|USD|EUR)\b"),
    ("PERCENTAGE", 0.95, rf"{_NUMBER}\s?(?:%|percent\b|per cent\b)"),
    ("DATE", 0.9, rf"(?:\d{{1,2}}\s)?{_MONTH}\s(?:\d{{1,2}},?\s)?(?:19|20)\d\d\b|(?:19|20)\d\d-[01]\d-[0-3]\d\b"),
    (
        "REGULATION",
        0.8,
        rf"{_NO_NAME}(?:{_WORD}{_BLANK}){{1,5}}(?:Act|Directive|Regulation|Treaty|Agreement)\b|GDPR\b|HIPAA\b",
    ),
    ("CLAUSE", 0.8, r"(?:Article|Clause|Annex|Recital)\s(?:\d+(?:\.\d+)*|[IVX]+)(?:\(\w\))*|Section\s\d+(?:\(\w\))+"),
    ("TECHNICAL_TERM", 0.8, rf"{_NUMBER}{_SCALE}\s?{_UNIT}(?![\w])"),
    ("PRODUCT", 0.8, r"(?=[a-z]*[A-Z])[A-Za-z]+-?\d+(?:\.\d+)?[A-Za-z]*(?:-[A-Za-z\d.]+)*"),
    ("PRODUCT", 0.7, r"[A-Z][a-z]*[A-Z][A-Za-z]*(?:-\d+(?:\.\d+)?[A-Za-z]*)+"),
    (
        "ORGANIZATION",
        0.8,
        rf"{_NO_NAME}(?:{_WORD}{_BLANK}){{1,4}}(?:Inc|Corp|Corporation|Ltd|LLC|GmbH|Company|Agency|Commission|Department"
        rf"|Foundation)\b|(?:{_NO_NAME}(?:{_WORD}{_BLANK}){{1,3}}University|University\sof|Institute\sof|Department\sof"
        rf"|Ministry\sof)(?:{_BLANK}{_WORD}){{0,3}}",
    ),
    ("PERSON", 0.7, rf"(?:Dr|Mr|Mrs|Ms|Prof)\.\s(?:{_WORD}\s?){{1,3}}|{_WORD}(?=\set\sal\.)"),
    ("TITLE_CASE", 0.6, rf"{_NO_NAME}{_WORD}(?:{_BLANK}{_SMALL}{_WORD}){{1,4}}"),
    ("TECHNICAL_TERM", 0.7, r"[A-Z]{2,}s?(?:/[A-Z]{2,})*(?!\w)"),
    ("DATE", 0.6, r"(?<=[Ii]n\s)(?:19|20)\d\d"),
    (
        "SINGLE",
        0.5,
        rf"(?<=[a-z,;][ ])(?!I\b){_NO_NAME}[{_CAPITAL}][\w’'&-]{{2,60}}|(?<=[\"“‘])[{_CAPITAL}]\w{{2,60}}(?=[\"”’])",
    ),
)
_START = rf"(?<![\w$€£/.-])(?=[\d$€£¥{_CAPITAL}]|[a-z]{{1,3}}[A-Z])"
_PATTERN = re.compile(
    rf"{_START}(?:" + "|".join(rf"(?P<r{at}>{pattern})" for at, (_, _, pattern) in enumerate(_RULES)) + ")"
)
_PLACES = re.compile(
    "united states|united kingdom|european union|europe|asia|africa|america|north america|south america|china|"
    "india|germany|france|canada|australia|brazil|japan|california|virginia|oregon|iowa|texas|washington|"
    "new york|new zealand|england|scotland|wales|ireland|italy|spain|russia|netherlands|sweden|norway|denmark|"
    "finland|poland|mexico|london|paris|berlin|tokyo|beijing|singapore|south korea|taiwan|israel|switzerland|"
    "austria|belgium|u\\.s\\.|arizona|georgia|nevada|ohio|illinois|chicago|boston|seattle|florida|massachusetts|"
    "san francisco|los angeles|hong kong",
    re.IGNORECASE,
)
_HEADS = {  # the type of a name by its last word
    "LOCATION": "Valley River City County Island Mountains Sea Ocean Lake States Republic Province Bay Peninsula",
    "ORGANIZATION": "Research Labs Lab Cloud University College Institute Foundation Association Society Union Company "
    "Group Bank League Club Party Council Committee Ministry Department Records Google Amazon Microsoft Meta OpenAI "
    "NVIDIA Intel",
    "TECHNICAL_TERM": "Learning Network Networks Model Models Processing Energy Power Carbon Data Training Inference "
    "Attention Effectiveness Emission Emissions Intelligence GPU GPUs TPU TPUs Computing Footprint Intensity",
}
_TYPE_BY_HEAD = {word: kind for kind, words in _HEADS.items() for word in words.split()}
_PEOPLE = re.compile(r"(?:,|,? and|;)\s")
_FEWEST_CHARS = 2


def find_mentions(text: str) -> Iterator[Mention]:
    """Yield the mentions in `text`, from left to right, without overlap.

    >>> text = "In May 2021 training GPT-3 drew 1,287 MWh, 12% of all."
    >>> [(mention.entity_type, mention.text) for mention in find_mentions(text)]
    [('DATE', 'May 2021'), ('PRODUCT', 'GPT-3'), ('TECHNICAL_TERM', '1,287 MWh'), ('PERCENTAGE', '12%')]
    """
    for found in _PATTERN.finditer(text):
        kind, confidence, _ = _RULES[int((found.lastgroup or "r0")[1:])]
        start, end = found.span()
        name = text[start:end].rstrip()
        if name.endswith(("'s", "’s")):
            name = name[:-2]
        if kind in ("TITLE_CASE", "SINGLE"):
            kind = name_type(name)
        if len(name) >= _FEWEST_CHARS:
            yield Mention(kind, name, start, start + len(name), confidence)


def name_type(name: str) -> str:
    """Return the type of a name in Title Case by its last word or a short list of places; else OTHER.

    >>> name_type("Carnegie Mellon University"), name_type("New York"), name_type("Evolved Transformer")
    ('ORGANIZATION', 'LOCATION', 'OTHER')
    """
    if _PLACES.fullmatch(name):
        return "LOCATION"
    return _TYPE_BY_HEAD.get(name.rsplit(maxsplit=1)[-1], "OTHER")
