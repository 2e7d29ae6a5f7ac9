"""Question analysis: the kind of answer, the unit, the terms, the options."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from kohaku_lib.answering.extractive.numbers.stated_scale import stated_scale
from kohaku_lib.answering.extractive.numbers.units import parse_unit
from kohaku_lib.answering.extractive.question.asked_unit import asks_for_ratio, states_unit, unit_in, unit_stems
from kohaku_lib.answering.extractive.text import content_stems
from kohaku_lib.tables import Question
from kohaku_lib.text.units import Unit
from kohaku_lib.values import is_claim, strip_claim_prefix

Kind = Literal["claim", "number", "year", "choice", "name"]
_AMONG = re.compile(
    r"\b(?:among|out of)\s+((?:[^,?]{2,41},)*[^,?]{2,41}?,?\s+(?:and|or)\s+[^,?]{2,40}?)(?=\s+(?:for|"
    r"in|on|has|is|was|had|did|does|when|with|according)\b|,|\?|$)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class QuestionForm:
    """An analysed question; `text` of a claim is the bare claim, `bound` is the requested bound of a range."""

    kind: Kind
    text: str
    stems: tuple[str, ...]
    unit: Unit | None
    unit_stems: frozenset[str]
    options: tuple[str, ...] = ()
    bound: Literal["low", "high", "range", ""] = ""
    operation: Literal["difference", "ratio", ""] = ""


def read_question(question: Question) -> QuestionForm:
    """Return the form of `question` by lexical rules; its `unit` takes precedence over one named in the text.

    >>> form = read_question(Question("q1", "How many papers from ACL targeted efficiency?", "papers"))
    >>> form.kind, form.unit.measure
    ('number', 'noun:paper')
    >>> int(read_question(Question("q3", "How many parameters does it have, in millions?")).unit.size)
    1000000
    >>> read_question(Question("q2", "True or False: New data centers rely on air cooling.")).kind
    'claim'
    """
    text = _TRUE_THAT.sub("", strip_claim_prefix(question.text).strip())
    unit = parse_unit(question.unit) if question.unit else None
    kind = _answer_kind(question.text, text, unit)
    if kind == "number" and unit is None:
        unit = _in_asked_scale(unit_in(text), text)
    return QuestionForm(
        kind=kind,
        text=text,
        stems=tuple(content_stems(text)),
        unit=unit if kind == "number" else None,
        unit_stems=unit_stems(question, unit) if kind == "number" else frozenset(),
        options=options_in(text) if kind == "choice" else (),
        bound=_bound(text),
        operation=_operation(text) if kind == "number" else "",
    )


def _in_asked_scale(unit: Unit | None, text: str) -> Unit | None:
    """Return a unit in the scale that a question asks for: "how many parameters, in millions?"."""
    scale = stated_scale(text)
    if scale is None or unit is None:
        return unit
    return scale if scale.measure else replace(unit, size=unit.size * scale.size)


_YES_NO = re.compile(
    r"^\s*(?!was (?:kostete?n?|ist|sind|war|waren|wird|werden|hat|haben|muss|darf|kann|soll|macht|gibt)\b)"
    r"(?:is|are|was|were|do|does|did|can|could|has|have|had|should|will|would|must|may"
    r"|ist|sind|war|waren|kann|können|könnte|darf|dürfen|hat|haben|hatte|hatten|wird|werden|wurde|wurden|muss|müssen|soll"
    r"|gibt es|gab es|stimmt es)\b(?!.*\b(?:or|oder)\b.*\?)",
    re.IGNORECASE,
)


_TRUE_THAT = re.compile(
    r"^\s*(?:is it (?:true|right|correct)(?:,? that|:)|(?:stimmt es|ist es (?:wahr|richtig)),? dass)\s+", re.IGNORECASE
)


_COUNT = re.compile(
    r"\bhow (?:many|much|long|far|large|big|high|fast|old)\b|"
    r"\bwhat (?:does|do|did|will|would) [^?]+ cost\b|\bwas kostete?n?\b|['’]s? (?:price|cost|fee|rent|salary|budget|weight)\?|"
    r"\bwie (?:viele?|hoch|lange|groß|weit|schwer|alt|teuer)\b|\bwhat (?:\w+ )?(?:percentage|percent|"
    r"fraction|proportion|share|ratio|factor|multiple)\b|"
    r"\b(?:what|which) (?:\w+ ){0,2}?(?:score|value|coefficient|size|price|cost|speed|accuracy|number|level|pue|wue|rank|ratio|"
    r"rate|budget|length|width|height|depth|weight|temperature|capacity|throughput|latency|population|amount)"
    r"(?= (?:does|do|did|is|was|were|are|has|have|had|can|could|will|would)\b|\?)|"
    r"\b(?:below|above|from|at|to) (?:what|which) (?:number|value)\b|\bwhat amount of\b|\bpopulation of what\b|"
    r"\bby what (?:percent|factor|multiple)|\bhow (?:\w+ ){1,2}times\b|"
    r"\bwhat (?:is|was|were|are) the (?:\w+[ -]){0,4}(?:number|amount|cost|price|size|rate|value|ratio|count|coefficient|"
    r"total|average|mean|median|percentage|"
    r"temperature|speedup|score|pue|wue|emissions|consumption|difference|range|increase|decrease|reduction|"
    r"accuracy|latency|throughput|"
    r"capacity|budget|duration|intensity|footprint)\b",
    re.IGNORECASE,
)


_NAME_ASKED = re.compile(
    r"^\s*what (?:is|was|are|were) the (?:\w+ )?(?:name|term|title|acronym|reason|cause|purpose)\b|"
    r"\b(?:phone|telephone|mobile|fax|contact|emergency|invoice|order|account|customer|member(?:ship)?|reference|serial|"
    r"part|model|policy|case|ticket|tax|vat|id|room|flight|platform|gate|passport|licen[cs]e|registration|contract|"
    r"article|item|batch|lot|version|house|bank|booking|patient|staff) number\b|\bwie ?viel uhr\b|"
    r"^\s*what (?:is|was) (?:the|his|her|its|their|my|our) (?!(?:total|average|mean|median|max\w*|min\w*|larg\w+|small\w*"
    r"|high\w*|low\w*|overall|exact|approximate|final|whole|annual|winning|greatest|least|sample)\b)"
    r"(?:[\w-]+ ){1,2}number\b(?! of)|"
    r"\b(?:what|which) number (?:do|does|should|can|to|must|would) (?:\w+ ){0,2}?(?:call|dial|ring|phone|text)\b",
    re.IGNORECASE,
)


_YEAR_ASKED = re.compile(
    r"\b(?:in )?(?:what|which) year\b|\bby when\b|^when\b|^(?:seit |ab |bis )?wann\b|\bwelchem jahr\b", re.IGNORECASE
)


_CHOICE = re.compile(
    r"\bwhich (?:of|one of|among|between)\b|^(?:which|what|who|between|among)\b[^?]*[:,][^?]*\bor\b|"
    r"\bwhich\b[^?]*\bor\b[^?]*\?|\b(?:which|what)\b[^?]*\b(?:among|out of)\b[^?,]*,",
    re.IGNORECASE,
)


_UPPER_BOUND = re.compile(
    r"(?<!\bat )(?<!\bat the )(?<!\bat its )\b(?:maximum|max|at most|up to|highest|upper|largest|peak|greatest|most)\b",
    re.IGNORECASE,
)


_LOWER_BOUND = re.compile(
    r"(?<!\bat )(?<!\bat the )(?<!\bat its )\b(?:minimum|min|at least|lowest|lower(?: \w+){0,2} bound|smallest|least)\b",
    re.IGNORECASE,
)


_RANGE = re.compile(
    r"\b(?:ranges?|interval|(?:in|with)?between (?:which|what)|from (?:what|which)\b[^?]*\bto (?:what|which)|"
    r"lower and upper|minimum and maximum)\b",
    re.IGNORECASE,
)


_DIFFERENCE = re.compile(
    r"\b(?:difference (?:between|in)|how (?:many|much) (?:more|fewer|less)|by how (?:much|many))\b", re.IGNORECASE
)


_RATIO = re.compile(r"\bratio (?:of|between)\b", re.IGNORECASE)


def _answer_kind(full_text: str, text: str, unit: Unit | None) -> Kind:
    if is_claim(full_text) or _TRUE_THAT.match(full_text):
        return "claim"
    if unit is not None:
        return "year" if unit.measure in {"noun:year", "months"} and _YEAR_ASKED.search(text) else "number"
    return _kind_without_unit(text)


def _kind_without_unit(text: str) -> Kind:
    if _NAME_ASKED.search(text):
        return "name"
    if _YES_NO.match(text):
        return "claim"
    if _YEAR_ASKED.search(text):
        return "year"
    if _COUNT.search(text) or states_unit(text):
        return "number"
    return "choice" if _CHOICE.search(text) and len(options_in(text)) > 1 else "name"


def _bound(text: str) -> Literal["low", "high", "range", ""]:
    if _RANGE.search(text):
        return "range"
    if _UPPER_BOUND.search(text):
        return "high"
    return "low" if _LOWER_BOUND.search(text) else ""


def _operation(text: str) -> Literal["difference", "ratio", ""]:
    if asks_for_ratio(text) or _RATIO.search(text):
        return "ratio"
    return "difference" if _DIFFERENCE.search(text) else ""


def options_in(text: str) -> tuple[str, ...]:
    """Return the alternatives of "…: A, B, or C?" or "which …, A or B?", () if there are none.

    >>> options_in("Which is larger, the mole or the pier?")
    ('mole', 'pier')
    """
    tail = text.rstrip("?. ")
    among = _AMONG.search(tail)
    if among is not None:
        tail = among.group(1)
    elif ":" in tail:
        tail = tail.rsplit(":", 1)[1]
    elif "," in tail:
        rest = tail.partition(",")[2]
        tail = rest if re.search(r"\bor\b", rest) else tail
    parts = [
        re.sub(r"^the\s+", "", part.strip(" ,\"'“”"), flags=re.IGNORECASE)
        for part in re.split(
            r",\s*(?:or|and)\s+|,|\s+(?:or|and)\s+(?:the\s+)?" if among else r",\s*(?:or|and)\s+|,|\s+or\s+(?:the\s+)?",
            tail,
        )
    ]
    listed = among is not None or re.search(r"\bor\b", tail)
    return tuple(part for part in parts if part and len(part.split()) <= 6) if listed else ()
