"""What an acronym stands for, where a snippet spells it out."""

from __future__ import annotations

import re

from kohaku_lib.answering.reader.evidence import Evidence
from kohaku_lib.answering.reader.finding import Finding
from kohaku_lib.answering.reader.question import QuestionForm
from kohaku_lib.index.graph.acronyms import find_definitions


def find_expansion(form: QuestionForm, evidence: Evidence) -> Finding | None:
    """Return the words that the asked acronym stands for; None for another question, or where nothing spells it out."""
    match = _ASKED.search(form.text)
    if match is None:
        return None
    acronym = match.group(1) or match.group(2)
    for sentence in evidence.sentences:
        for found in find_definitions(sentence.text):
            if found.acronym == acronym.removesuffix("s"):
                support = sentence.support
                return Finding(found.long_form, sentence.text, (sentence.document_id,), 0.9, support, support)
    return None


_ASKED = re.compile(
    r"\bdoes (?:the (?:acronym|abbreviation|term) )?[\"“']?([A-Z][\w./-]*)[\"”']? stand for\b|"
    r"\b(?:full (?:name|form)|expansion|meaning) of (?:the (?:acronym|abbreviation) )?[\"“']?([A-Z][A-Z\w./-]*)"
)
