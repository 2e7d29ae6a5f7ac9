"""Read the comments of Word files."""

from __future__ import annotations

from textwrap import shorten
from typing import Any

from kohaku_lib.documents.formats.office.word.word_file import WORD, WordFile

_MOST_CHARS = 200  # of the words that a comment is on


def comments_of(file: WordFile) -> list[str]:
    """Return each comment with its author and the words of the document that it is on."""
    comments = file.part("comments")
    if comments is None:
        return []
    subjects = _subjects(file.document)
    lines = []
    for comment in comments.iterchildren(f"{WORD}comment"):
        text = " ".join(" ".join(_text_of(one) for one in comment.iter(f"{WORD}p")).split())
        author = (comment.get(f"{WORD}author") or "").strip() or "Unknown"
        subject = shorten(subjects.get(comment.get(f"{WORD}id"), ""), _MOST_CHARS, placeholder=" …")
        if text:
            lines.append(f'{author} on "{subject}": {text}' if subject else f"{author}: {text}")
    return lines


def _text_of(element: Any) -> str:
    return "".join(text.text or "" for text in element.iter(f"{WORD}t"))


def _subjects(document: Any) -> dict[str, str]:
    """Return by comment the text between the start and the end of its range."""
    subjects: dict[str, str] = {}
    opened: set[str] = set()
    for element in document.iter(*(WORD + name for name in ("commentRangeStart", "commentRangeEnd", "t", "p"))):
        name = element.tag.removeprefix(WORD)
        if name == "commentRangeStart":
            opened.add(element.get(f"{WORD}id"))
        elif name == "commentRangeEnd":
            opened.discard(element.get(f"{WORD}id"))
        else:
            for one in opened:
                subject = subjects.get(one, "")
                if len(subject) < _MOST_CHARS:
                    subjects[one] = subject + (" " if name == "p" else element.text or "")
    return subjects
