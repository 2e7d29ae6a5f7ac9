"""Questions in German, in which the subject keeps the article that it has in the document."""

from __future__ import annotations

import re

from kohaku_lib.suggestions.phrasing import Phrasing
from kohaku_lib.text.word_lists import words


def question_of_sentence(sentence: str, _text: str) -> str | None:
    """Return the question for the number or the date that a sentence states of its subject.

    >>> question_of_sentence("Die Kündigungsfrist beträgt drei Monate.", "")
    'Wie lang ist die Kündigungsfrist?'
    >>> question_of_sentence("Das Museum wurde 1998 gegründet.", ""), question_of_sentence("Sie kostet 4 Euro.", "")
    ('Wann wurde das Museum gegründet?', None)
    """
    for pattern, ask in _SENTENCES:
        found = pattern.match(sentence)
        if found is None or not _is_noun(found["subject"].rpartition(" ")[2]):
            continue
        article, _, rest = found["subject"].partition(" ")
        question = ask(found, f"{article.lower()} {rest}")
        if question is not None:
            return question
    return None


def question_of_label(label: str, _text: str) -> str | None:
    """Return the question for what stands behind a label.

    >>> question_of_label("Liefertermin", "")
    'Was steht bei „Liefertermin“?'
    """
    return f"Was steht bei „{label}“?"


def question_of_cell(row: str, column: str, _text: str) -> str | None:
    """Return the question for a cell of a table.

    >>> question_of_cell("Absätze", "Preis", "")
    'Was steht bei „Absätze“ unter „Preis“?'
    """
    return f"Was steht bei „{row}“ unter „{column}“?"


def question_of_heading(heading: str, text: str) -> str | None:
    """Return the question about a heading that the text uses as a noun, which no instruction is.

    >>> question_of_heading("Wartung", "Bei der Wartung"), question_of_heading("Knopf drücken", "den Knopf drücken")
    ('Was steht zum Thema „Wartung“?', None)
    """
    is_used = re.search(rf"\b(?:{_ARTICLES}|zu[mr]|vom|beim|im) {re.escape(heading)}\b", text) is not None
    return f"Was steht zum Thema „{heading}“?" if is_used and _is_noun(heading.rpartition(" ")[2]) else None


_ARTICLES = "der|die|das|den|dem|des|ein|eine|einer|einem|einen"
_ABOUT = (
    r"(?:(?:rund|etwa|ca\.|circa|bis zu|maximal|mindestens|höchstens|knapp|derzeit|jährlich|monatlich|täglich|nur) )?"
)
_FIGURE = r"\d+(?:[.,]\d+)*"
_NUMBER = rf"{_ABOUT}(?:{_FIGURE}|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf)"
_MONTHS = "Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember"
_DATE = (
    rf"(?:\d\d?\.\s?(?:{_MONTHS}|\d\d?\.(?:\s?\d{{2,4}})?)(?:\s\d{{4}})?|(?:{_MONTHS})(?:\s\d{{4}})?|(?:1[0-9]|20)\d\d"
    r"|\d\d?(?:[.:]\d\d)? Uhr)"
)
_SUBJECT = r"(?P<subject>(?:Der|Die|Das|Ein|Eine)(?: [^\s,.;:()?!|„“\"]+){1,7}?)"
_END = r"(?=[.,;]|$)"
_TIMES = words(
    "Tag Tage Tagen Woche Wochen Monat Monate Jahr Jahre Stunde Stunden Minute Minuten Sekunden Meter Kilometer km cm m"
)
_SHARES = words("Euro EUR € % Prozent Grad °C")
_UNCOUNTED = _SHARES | words("Uhr")


def _size(found: re.Match[str], subject: str) -> str:
    unit = found["unit"]
    how = "lang" if unit in _TIMES else "hoch" if unit in _SHARES else "groß"
    return f"Wie {how} {_OF_SIZE[found['verb']]} {subject}?"


_OF_SIZE = {"beträgt": "ist", "betrug": "war", "betragen": "sind", "betrugen": "waren"}


def _measure(found: re.Match[str], subject: str) -> str:
    how = "Wie lange" if found["verb"].startswith("dauer") else "Wie viel"
    return f"{how} {found['verb']} {subject}?"


def _extent(found: re.Match[str], subject: str) -> str:
    return f"Wie {found['how']} {found['verb']} {subject}?"


def _count(found: re.Match[str], subject: str) -> str | None:
    last = (found["tail"] or found["unit"]).split()[-1]
    if found["unit"] in _UNCOUNTED or found["number"] == "1" or not (_is_noun(last) or last[0].isdigit()):
        return None
    return f"Wie viele {found['unit']} {found['verb']} {subject}?"


def _passive_date(found: re.Match[str], subject: str) -> str:
    return f"Wann {found['verb']} {subject} {found['rest']}?"


def _active_date(found: re.Match[str], subject: str) -> str:
    return f"Wann {found['verb']} {subject}{found['rest']}?"


_SENTENCES = (
    (
        re.compile(rf"{_SUBJECT} (?P<verb>beträgt|betrug|betragen|betrugen) {_NUMBER}\s?(?P<unit>[^\W\d]+|%|€|°C)"),
        _size,
    ),
    (
        re.compile(rf"{_SUBJECT} (?P<verb>kostete?n?t?|dauer(?:t|n|te|ten)|wieg(?:t|en)) {_NUMBER}[^,;]*?{_END}"),
        _measure,
    ),
    (
        re.compile(
            rf"{_SUBJECT} (?P<verb>ist|sind|war|waren) {_NUMBER} [^\W\d]+ (?P<how>lang|hoch|breit|tief|groß|schwer|alt|dick)"
            rf"{_END}"
        ),
        _extent,
    ),
    (
        re.compile(
            rf"{_SUBJECT} (?P<verb>wurden?) (?:im Jahre? |im |am |in )?{_DATE} (?P<rest>(?:[^\s.;,]+ ){{0,5}}[a-zäöüß]+(?:t|en))"
            rf"{_END}"
        ),
        _passive_date,
    ),
    (
        re.compile(
            rf"{_SUBJECT} (?P<verb>[a-zäöüß]+(?:t|en|te|ten)|ist|sind|war|waren) (?:am|um|im) {_DATE}(?P<rest>(?: statt)?){_END}"
        ),
        _active_date,
    ),
    (
        re.compile(
            rf"{_SUBJECT} (?P<verb>(?!mit |seit |neben |gegen |unten |zwischen |wegen |bestens )[a-zäöüß]+(?:t|en)) {_ABOUT}"
            rf"(?P<number>{_FIGURE}) (?P<unit>[A-ZÄÖÜ][\wäöüß-]+|kW|kWh|km|kg|cm|mm|m|l)"
            rf"(?P<tail>(?: (?:pro|je|im|in|auf|für|mit|bei|aus|von) [^.;,]*)?){_END}"
        ),
        _count,
    ),
)


def _is_noun(word: str) -> bool:
    """Return whether a word can end a noun phrase: a noun, a name or a number."""
    return not word[0].islower()


GERMAN = Phrasing(question_of_sentence, question_of_label, question_of_cell, question_of_heading)
