"""Text boxes of RTF files, and where a group of RTF ends."""

from __future__ import annotations

import re

_SHAPE = re.compile(r"\{\\shp(?:grp)?(?![a-z])|\{\\\*\\do(?![a-z])")
_TEXT_OF_SHAPE = re.compile(r"\{\\shptxt(?![a-z]) ?")
_TEXT_OF_OLD_SHAPE = re.compile(r"\{\\dptxbxtext(?![a-z]) ?")  # of Word 95; newer versions write both
_END_OF_PARAGRAPH = re.compile(r"\\par(?![a-z]) ?")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)


def with_text_boxes(text: str) -> str:
    r"""Return RTF with the texts of shapes behind the paragraphs that they are anchored in.

    >>> print(with_text_boxes(r"{\rtf1 One{\shp{\*\shpinst{\shptxt Box}}} two.\par Three.}"))
    {\rtf1 One two.\par {\pard\plain Box\par}Three.}
    """
    pieces, texts = _pieces_and_texts(text)
    shown, waiting = [pieces[0]], ""
    for number, (piece, one) in enumerate(zip(pieces[1:], texts, strict=True), start=1):
        waiting += one
        par = _END_OF_PARAGRAPH.search(piece)
        if par is None and number < len(texts):
            shown.append(piece)
            continue
        place = par.end() if par else max(0, piece.rfind("}"))
        shown += [piece[:place], "" if par else "\\par ", waiting, piece[place:]]
        waiting = ""
    return "".join(shown)


def end_of_group(text: str, start: int) -> int:
    """Return where the group ends that is open at `start`, -1 if it does not.

    >>> end_of_group("{a{b}c}d", 1)
    6
    """
    depth = 1
    for brace in _BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return brace.start()
    return -1


def _pieces_and_texts(text: str) -> tuple[list[str], list[str]]:
    """Return what stands around the shapes with text, and between each two pieces the text of the shape."""
    pieces, texts, kept, done = list[str](), list[str](), 0, 0
    for shape in _SHAPE.finditer(text):
        if shape.start() < done:
            continue  # within the shape before
        done = end_of_group(text, shape.end()) + 1
        if not done:
            break
        own = text[shape.end() : done - 1]
        found = _groups(_TEXT_OF_SHAPE, own) or _groups(_TEXT_OF_OLD_SHAPE, own)
        if found:
            pieces.append(text[kept : shape.start()])
            texts.append("".join(f"{{\\pard\\plain {one}\\par}}" for one in found))
            kept = done
    return [*pieces, text[kept:]], texts


def _groups(start: re.Pattern[str], text: str) -> list[str]:
    groups, done = list[str](), 0
    for found in start.finditer(text):
        if found.start() < done:
            continue
        done = end_of_group(text, found.end())
        if done < 0:
            break
        groups.append(text[found.end() : done])
    return groups
