"""What stands around the text of RTF: text boxes, comments, headers and footers."""

from __future__ import annotations

import re
from collections.abc import Callable

from kohaku_lib.documents.formats.office.page_numbers import PAGE_NUMBER, without_page_numbers
from kohaku_lib.documents.formats.text.rtf_groups import groups_of

_RUNNING = re.compile(r"\{\\(header|footer)([lrf]?)(?![a-z]) ?")
_SHOWN = {"": "", "l": r"\\facingp(?![a-z])", "r": "", "f": r"\\titlepg(?![a-z])"}  # by whose word pages have them
_PAGE = re.compile(r"\\(?:chpgn|sectnum|chdate|chtime)(?![a-z]) ?")
_FIELD = re.compile(r"\{\\field(?![a-z])")
_OF_PAGE = re.compile(r"\\fldinst\b[^}]{0,300}?\b(?:PAGE|NUMPAGES|SECTIONPAGES)\b")
_COMMENT = re.compile(r"\{\\\*\\(atnauthor|annotation)(?![a-z]) ?")
_SHAPE = re.compile(r"\{\\shp(?![a-z])|\{\\\*\\do(?![a-z])")
_BOX = re.compile(r"\{\\shptxt(?![a-z]) ?")
_OLD_BOX = re.compile(r"\{\\dptxbxtext(?![a-z]) ?")  # of Word 95; later versions write both
_END = re.compile(r"\\[\\{}]|[{}]|\\(par|cell|row|sect)(?![a-z])")


def running_texts(text: str, plain: Callable[[str], str]) -> list[tuple[str, str]]:
    """Return the kind, "header" or "footer", and text of each that pages show, each text once and without page numbers.

    `plain` makes text of a part of the file.
    """
    found: dict[str, str] = {}
    shown = {kind for kind, word in _SHOWN.items() if re.search(word, text)}
    for begin, end in groups_of(text, _RUNNING):
        if begin[2] not in shown:
            continue
        part = _PAGE.sub(f"{{}}{PAGE_NUMBER}", _without_page_fields(text[begin.end() : end]))
        lines = (
            " ".join(filter(None, map(without_page_numbers, line.split("\t")))) for line in plain(part).split("\n")
        )
        found.setdefault("\n".join(filter(None, lines)), begin[1])
    return [(kind, words) for words, kind in found.items() if words]


def comments_of(text: str, plain: Callable[[str], str]) -> list[str]:
    """Return each comment with its author."""
    comments: list[str] = []
    author = ""
    for begin, end in groups_of(text, _COMMENT):
        words = " ".join(plain(text[begin.end() : end]).split())
        if begin[1] == "atnauthor":
            author = words
        elif words:
            comments.append(f"{author or 'Unknown'}: {words}")
    return comments


def with_text_boxes(text: str) -> str:
    """Write the text of each text box behind the paragraph that it is anchored in, within a cell at its end."""
    pieces: list[str] = []
    done = 0
    after: re.Match[str] | None = None
    is_last = False  # no paragraph ends behind the shapes
    for begin, end in groups_of(text, _SHAPE):
        shape = text[begin.start() : end + 1]
        found = [*groups_of(shape, _BOX)] or [*groups_of(shape, _OLD_BOX)]
        boxes = "".join(rf"{shape[box.end() : close]}\par " for box, close in found)
        if not is_last and (after is None or after.start() < end):
            after = _end_of_paragraph(text, end + 1)
            is_last = after is None
        if boxes:
            is_ended = after is not None and after[1] == "par"
            place = max(done, text.rfind("}")) if after is None else after.end() if is_ended else after.start()
            pieces += [text[done:place], f"{{{boxes}}}" if is_ended else rf"\par {{{boxes}}}"]
            done = place
    return "".join([*pieces, text[done:]])


def _end_of_paragraph(text: str, start: int) -> re.Match[str] | None:
    """Return what ends the paragraph at `start`, not one in a group within it, such as a note."""
    depth = 0
    for found in _END.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if found[1] and depth <= 0:
            return found
    return None


def _without_page_fields(text: str) -> str:
    pieces: list[str] = []
    done = 0
    for begin, end in groups_of(text, _FIELD):
        if _OF_PAGE.search(text[begin.start() : end]):
            pieces += [text[done : begin.start()], f"{{}}{PAGE_NUMBER}"]
            done = end + 1
    return "".join([*pieces, text[done:]])
