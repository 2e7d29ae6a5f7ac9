"""What an acronym stands for, where a snippet spells it out."""

from __future__ import annotations

import re

from kohaku_lib.answering.reader.evidence import Evidence
from kohaku_lib.answering.reader.finding import Finding
from kohaku_lib.answering.reader.question import QuestionForm


def find_expansion(form: QuestionForm, evidence: Evidence) -> Finding | None:
    """Return the words that the asked acronym stands for; None for another question, or where nothing spells it out."""
    match = _ASKED.search(form.text)
    if match is None:
        return None
    acronym = match.group(1) or match.group(2)
    for sentence in evidence.sentences:
        words = expansion_of(acronym, sentence.text)
        if words is not None:
            return Finding(words, sentence.text, (sentence.document_id,), 0.9, sentence.support, sentence.support)
    return None


def expansion_of(acronym: str, text: str) -> str | None:
    """Return the words before "(ACRONYM)" or in "ACRONYM (...)" that begin with its letters, in order.

    >>> expansion_of("PUE", "The power usage effectiveness (PUE) fell.")
    'power usage effectiveness'
    >>> expansion_of("ERF", "an ERF (energy reuse factor)"), expansion_of("ERF", "the ERF of 10%")
    ('energy reuse factor', None)
    """
    letters = [sign.lower() for sign in acronym if sign.isupper() or sign.isdigit()]
    name = re.escape(acronym)
    before = re.search(rf"([^().;:]+?)\s*\(\s*[\"“]?{name}s?\b", text)
    if before is not None:
        words = _ending_with(letters, before.group(1))
        if words is not None:
            return words
    after = re.search(rf"(?<!\w){name}s?\s*\(([^()]+)\)", text)
    return _ending_with(letters, after.group(1)) if after is not None else None


_ASKED = re.compile(
    r"\bdoes (?:the (?:acronym|abbreviation|term) )?[\"“']?([A-Z][\w./-]*)[\"”']? stand for\b|"
    r"\b(?:full (?:name|form)|expansion|meaning) of (?:the (?:acronym|abbreviation) )?[\"“']?([A-Z][A-Z\w./-]*)"
)
_SMALL = frozenset({"of", "for", "and", "the", "in", "on", "to", "by", "with"})


def _ending_with(letters: list[str], text: str) -> str | None:
    """Return the shortest ending of `text` whose words begin with `letters`; small words may stand between."""
    words = re.findall(r"[^\s-]+-?", text)
    left, place = len(letters), len(words)
    while left and place:
        place -= 1
        initial = words[place][0].lower()
        if initial == letters[left - 1]:
            left -= 1
        elif words[place].lower() not in _SMALL:
            return None
    if left or not letters:
        return None
    joined = " ".join(words[place:]).replace("- ", "-")
    return joined.strip(' ,"“”')
