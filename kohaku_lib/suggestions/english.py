"""Questions in English."""

from __future__ import annotations

import re

from kohaku_lib.index.graph.verbs import base_of, is_intransitive, is_participle
from kohaku_lib.suggestions.phrasing import Phrasing
from kohaku_lib.text.dates import MONTHS
from kohaku_lib.text.stop_words import stop_words
from kohaku_lib.text.units import is_unit
from kohaku_lib.text.word_lists import words


def question_of_sentence(sentence: str, text: str) -> str | None:
    """Return the question for the number or the date that a sentence states of its subject.

    >>> question_of_sentence("The room was rebuilt in March 2021.", "")
    'When was the room rebuilt?'
    >>> question_of_sentence("The blue kettle holds 1.7 litres.", ""), question_of_sentence("It holds 1.7 litres.", "")
    ('How many litres does the blue kettle hold?', None)
    """
    for pattern, ask in _SENTENCES:
        found = pattern.match(sentence)
        subject = _subject(found["subject"], text) if found is not None else None
        question = ask(found, subject) if found is not None and subject is not None else None
        if question is not None:
            return question
    return None


def question_of_label(label: str, text: str) -> str | None:
    """Return the question for what stands behind a label.

    >>> question_of_label("Delivery date", "the delivery date"), question_of_label("Jane Doe", "")
    ('What is the delivery date?', None)
    """
    name = _common_noun(label, text)
    return None if name is None else f"What is the {name}?"


def question_of_cell(row: str, column: str, text: str) -> str | None:
    """Return the question for a cell of a table.

    >>> question_of_cell("Gintaras-S", "Electricity", "less electricity"), question_of_cell("Sales", "2023", "")
    ('What is the electricity of Gintaras-S?', None)
    """
    name = _common_noun(column, text)
    return None if name is None else f"What is the {name} of {row}?"


def question_of_heading(heading: str, text: str) -> str | None:
    """Return the question about a heading that the text uses as a noun, which no instruction is.

    >>> question_of_heading("Machine room", "In the machine room it is warm."), question_of_heading("Wear gloves", "")
    ('What is said about the machine room?', None)
    """
    name = heading if heading.isupper() else heading[0].lower() + heading[1:]
    found = re.search(_AS_NOUN.format(re.escape(name)), text) or re.search(_AS_NOUN.format(re.escape(heading)), text)
    if found is None or heading.split(maxsplit=1)[0].lower() in stop_words("english"):
        return None
    article = f"{found['article']} " if found["article"] else ""
    return f"What is said about {article}{found['name']}?"


_AS_NOUN = r"\b(?:(?P<article>the|an?)|of|about|with|without|during|after) (?P<name>{})\b"
_NUMBER = r"(?:(?:about|around|approximately|nearly|almost|over|up to|at least|at most|only|exactly) )?\d+(?:[.,]\d+)*"
_MONEY = rf"(?:[€$£]\s?{_NUMBER}|{_NUMBER}\s?(?:€|EUR\b|USD\b|GBP\b|[Ee]uros?\b|[Dd]ollars?\b|[Pp]ounds?\b))"
_DATE = (
    rf"(?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?)?(?:{'|'.join(MONTHS)})\b|(?:1[0-9]|20)\d\d\b|\d\d?:\d\d|\d{{4}}-\d\d-\d\d"
    r"|\d{1,2} [ap]\.?m\b"
)
_SUBJECT = r"(?P<subject>[A-Z][^,.;:()?!|“”\"\n]{0,70}?(?:\.\d[^,.;:()?!|“”\"\n]{0,30}?)?)"
_MOST_WORDS = 9  # of a subject
_ARTICLES = words("the a an each every all")
_MEASURING = words("have cost weigh last need take draw consume emit measure require require offer provide serve seat")


def _age(found: re.Match[str], subject: str) -> str:
    return f"How {found['how']} {found['be']} {subject}?"


def _amount(found: re.Match[str], subject: str) -> str | None:
    unit = found.groupdict().get("unit")
    return f"What {found['be']} {subject}?" if unit is None or unit == "%" or is_unit(unit) else None


def _price(found: re.Match[str], subject: str) -> str | None:
    auxiliary = _auxiliary(found["verb"], subject)
    return f"How much {auxiliary[0]} {subject} {auxiliary[1]}?" if auxiliary else None


def _count(found: re.Match[str], subject: str) -> str | None:
    auxiliary = _auxiliary(found["verb"], subject)
    noun, adjective = found["unit"], found["adjective"] or ""
    is_counted = (noun.endswith("s") and noun not in stop_words("english")) or (is_unit(noun) and not adjective)
    if auxiliary is None or not is_counted or adjective.strip() in stop_words("english"):
        return None
    return f"How many {adjective}{noun} {auxiliary[0]} {subject} {auxiliary[1]}?"


def _passive_date(found: re.Match[str], subject: str) -> str | None:
    if not is_participle(found["participle"].removeprefix("re")) or found["rest"].rpartition(" ")[2] in stop_words(
        "english"
    ):
        return None
    return f"When {found['be']} {subject} {found['participle']}{found['rest']}?"


def _active_date(found: re.Match[str], subject: str) -> str | None:
    auxiliary = _auxiliary(found["verb"], subject)
    if auxiliary is None or not (is_intransitive(auxiliary[1]) or auxiliary[1] in ("open", "close")):
        return None
    return f"When {auxiliary[0]} {subject} {auxiliary[1]}?"


_SENTENCES = (
    (
        re.compile(
            rf"{_SUBJECT} (?P<be>is|was|are|were) {_NUMBER} [\w ]{{2,20}} (?P<how>old|long|high|wide|deep|tall)\b"
        ),
        _age,
    ),
    (re.compile(rf"{_SUBJECT} (?P<be>is|was|are|were) {_MONEY}"), _amount),
    (re.compile(rf"{_SUBJECT} (?P<be>is|was|are|were) {_NUMBER}\s?(?P<unit>[^\W\d]+|%)(?=[.,;]| a | per |$)"), _amount),
    (re.compile(rf"{_SUBJECT} (?P<verb>costs?) {_MONEY}"), _price),
    (
        re.compile(
            rf"{_SUBJECT} (?P<verb>[a-z]+) {_NUMBER} (?:(?:million|billion|thousand) )?(?P<adjective>[a-z-]+ )??"
            r"(?P<unit>[^\W\d]+)"
        ),
        _count,
    ),
    (
        re.compile(
            rf"{_SUBJECT} (?P<be>was|were) (?P<participle>[a-z]+)(?P<rest>(?: [\w'’-]+){{0,4}}?) (?:in|on|at|since) (?:{_DATE})"
        ),
        _passive_date,
    ),
    (re.compile(rf"{_SUBJECT} (?P<verb>[a-z]+) (?:in|on|at) (?:{_DATE})"), _active_date),
)


def _subject(subject: str, text: str) -> str | None:
    """Return the subject of a sentence as it stands within one; None for what stands for something else, or is none."""
    first, *others = subject.split()
    stops = stop_words("english")
    if len(others) >= _MOST_WORDS or (first.lower() in stops and first.lower() not in _ARTICLES):
        return None
    last = (others or [first])[-1].lower()
    if last in stops or last.endswith("ly") or last in _ARTICLES:
        return None
    if first.lower() in _ARTICLES or re.search(rf"(?<!\w){re.escape(first.lower())}(?!\w)", text) is not None:
        return " ".join([first.lower(), *others])
    # a capital that only stands where a sentence begins tells nothing
    is_name = not first[1:].islower() or re.search(rf"[\w,] {re.escape(first)}\b", text) is not None
    return subject if is_name else None


def _auxiliary(verb: str, subject: str) -> tuple[str, str] | None:
    """Return the form of "do" and the infinitive by which a verb is asked; None for an unknown verb, and a doubtful number."""
    base = _IRREGULAR.get(verb) or _measuring_base(verb) or base_of(verb)
    if base is None or base in ("be", "do"):
        return None
    if verb == base:
        return ("do", base) if re.search(r"[^s]s$", subject) else None
    return ("does" if verb.endswith("s") else "did"), base


_IRREGULAR = {"has": "have", "had": "have", "took": "take", "takes": "take", "drew": "draw"}


def _measuring_base(verb: str) -> str | None:
    forms = (verb, verb.removesuffix("s"), verb.removesuffix("ed"), verb.removesuffix("d"))
    return next((form for form in forms if form in _MEASURING), None)


def _common_noun(label: str, text: str) -> str | None:
    """Return a label as it stands in a sentence; None for a name, a plural and what is no noun phrase."""
    name = label[0].lower() + label[1:]
    first = name.split()[0]
    is_known = re.search(rf"(?<!\w){re.escape(first)}(?!\w)", text) is not None
    is_noun = name.islower() and name.replace(" ", "").isalpha() and first not in stop_words("english")
    return name if is_known and is_noun and not name.endswith("s") else None


ENGLISH = Phrasing(question_of_sentence, question_of_label, question_of_cell, question_of_heading)
