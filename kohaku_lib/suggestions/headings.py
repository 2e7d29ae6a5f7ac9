"""Headings that name a subject."""

from __future__ import annotations

import re

_NUMBERING = re.compile(r"^(?:(?:\d+(?:\.\d+)*\.?|[IVX]+\.|[A-Z]\.)\s+)+")
_UNWANTED = re.compile(
    r"\b(?:references?|contents|acknowledge?ments?|bibliography|appendix|index|introduction|summary|overview|conclusions?"
    r"|abstract|untitled|notes?|quoted|inhalt(?:sverzeichnis)?|einleitung|zusammenfassung|überblick|fazit|anhang|literatur"
    r"|vorwort|hinweise?|unbenannt|microsoft)\b",
    re.IGNORECASE,
)
_LONGEST, _SHORTEST = 70, 6  # characters


def clean_heading(title: str) -> str | None:
    """Return the last part of a path of headings without its number; None if it names no topic.

    What has a digit left, such as "Page 1" and "Sheet1", counts rather than names.

    >>> clean_heading("4 RESULTS / 4.1 Building our models"), clean_heading("References"), clean_heading("Slide 3")
    ('Building our models', None, None)
    """
    heading = _NUMBERING.sub("", title.rpartition(" / ")[2].strip() + " ").strip()
    is_topic = _SHORTEST <= len(heading) <= _LONGEST and not _UNWANTED.search(heading) and heading[-1] not in ".,:;"
    return heading if is_topic and any(map(str.isalpha, heading)) and not any(map(str.isdigit, heading)) else None


def asked_heading(title: str) -> str | None:
    """Return the last part of a path of headings if it is a question itself, without its number.

    >>> asked_heading("FAQ / 3. How do I reset it?"), asked_heading("Why?")
    ('How do I reset it?', None)
    """
    heading = _NUMBERING.sub("", title.rpartition(" / ")[2].strip() + " ").strip()
    return (
        heading
        if heading.endswith("?") and len(heading.split()) >= _FEWEST_WORDS and len(heading) <= _LONGEST
        else None
    )


_FEWEST_WORDS = 3
