"""The alternatives that a question names."""

from __future__ import annotations

import re


def options_in(text: str) -> tuple[str, ...]:
    """Return the alternatives of "…: A, B, or C?" or "which …, A or B?"; () where the question names none.

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


_AMONG = re.compile(
    r"\b(?:among|out of)\s+((?:[^,?]{2,41},)*[^,?]{2,41}?,?\s+(?:and|or)\s+[^,?]{2,40}?)(?=\s+(?:for|"
    r"in|on|has|is|was|had|did|does|when|with|according)\b|,|\?|$)",
    re.IGNORECASE,
)
