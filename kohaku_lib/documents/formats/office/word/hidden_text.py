"""Take the hidden text out of Word files: what is marked so itself, or by its style."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kohaku_lib.documents.formats.office.word.word_file import MATH, WORD, child_of, value_of

_FIELD = frozenset((f"{WORD}rPr", f"{WORD}fldChar", f"{WORD}instrText"))  # begins and ends of fields must stay paired
_OFF = frozenset(("0", "false", "off"))


def remove_hidden_text(part: Any, styles: Any) -> list[str]:
    """Remove the hidden text and rows of a part of a Word file, and return the text, a line for each stretch.

    `styles` is the root of the styles, None without them. A paragraph of which the end is hidden too goes whole.

    >>> from lxml import etree
    >>> runs = "<w:r><w:t>In May.</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>Perhaps.</w:t></w:r>"
    >>> part = etree.fromstring(f'<w:body xmlns:w="{WORD.strip("{}")}"><w:p>{runs}</w:p></w:body>')
    >>> remove_hidden_text(part, None), "".join(part.itertext())
    (['Perhaps.'], 'In May.')
    """
    hiding = _Hiding(styles)
    texts: list[str] = []
    for row in list(part.iter(f"{WORD}tr")):
        if _stated(row, "trPr/hidden") and row.getparent() is not None:
            texts.append(" ".join(filter(None, map(_text_of, row.iter(f"{WORD}p")))))
            row.getparent().remove(row)
    for paragraph in list(part.iter(f"{WORD}p")):
        texts += _removed_stretches(paragraph, hiding)
        is_over = hiding.hides_end(paragraph) and child_of(paragraph, "pPr/sectPr") is None
        if is_over and paragraph.getparent() is not None and not _is_shown(paragraph):
            paragraph.getparent().remove(paragraph)
    return [" ".join(text.split()) for text in texts if text.strip()]


def unshown_notes(document: Any, notes: Any, kind: str) -> list[str]:
    """Return the texts of a part of foot- or endnotes to which the document does not refer, as where it hides the mark.

    `kind` is "footnote" or "endnote".
    """
    shown = {mark.get(f"{WORD}id") for mark in document.iter(f"{WORD}{kind}Reference")}
    left = (note for note in notes.iter(f"{WORD}{kind}") if note.get(f"{WORD}id") not in shown)
    texts = (" ".join(map(_text_of, note.iter(f"{WORD}p"))) for note in left)
    return [" ".join(text.split()) for text in texts if text.strip()]


class _Hiding:
    """Tells what a Word file hides: a mark decides, else the styles of paragraph and text, of which one undoes the other."""

    def __init__(self, styles: Any) -> None:
        found = [] if styles is None else list(styles.iter(f"{WORD}style"))
        self._style = {style.get(f"{WORD}styleId"): style for style in found}
        self._is_default = styles is not None and bool(_stated(styles, "docDefaults/rPrDefault/rPr/vanish"))
        usual = (style for style in found if style.get(f"{WORD}type") == "paragraph" and style.get(f"{WORD}default"))
        self._usual = next((style.get(f"{WORD}styleId") for style in usual), None)

    def hides(self, run: Any, paragraph: Any) -> bool:
        return self._is_hidden(_stated(run, "rPr/vanish"), value_of(run, "rPr/rStyle"), paragraph)

    def hides_end(self, paragraph: Any) -> bool:
        return self._is_hidden(_stated(paragraph, "pPr/rPr/vanish"), value_of(paragraph, "pPr/rPr/rStyle"), paragraph)

    def _is_hidden(self, stated: bool | None, character_style: str | None, paragraph: Any) -> bool:
        if stated is not None:
            return stated
        by_paragraph = self._by_style(value_of(paragraph, "pPr/pStyle") or self._usual)
        return (by_paragraph != self._by_style(character_style)) or self._is_default

    def _by_style(self, name: str | None) -> bool:
        """Return whether a style hides its text, itself or by the nearest style that it is based on."""
        seen: set[str] = set()
        while name in self._style and name not in seen:
            seen.add(name)
            stated = _stated(self._style[name], "rPr/vanish")
            if stated is not None:
                return stated
            name = value_of(self._style[name], "basedOn")
        return False


def _stated(element: Any, path: str) -> bool | None:
    """Return whether the switch at a path is on, None if it is not there."""
    found = child_of(element, path)
    return None if found is None else (found.get(f"{WORD}val") or "1").lower() not in _OFF


def _removed_stretches(paragraph: Any, hiding: _Hiding) -> Iterator[str]:
    """Remove the hidden text of a paragraph and yield it; runs one after another are a stretch."""
    stretch = ""
    for run in list(_runs(paragraph)):
        content = [child for child in run if child.tag not in _FIELD]
        if not content:
            continue
        if not hiding.hides(run, paragraph):
            yield stretch
            stretch = ""
            continue
        stretch += _text_of(run)
        for child in content:
            run.remove(child)
    yield stretch


def _runs(paragraph: Any) -> Iterator[Any]:
    """Yield the runs of a paragraph, but for those of paragraphs within it, such as in text boxes."""
    for run in paragraph.iter(f"{WORD}r"):
        if next(run.iterancestors(f"{WORD}p"), None) is paragraph:
            yield run


def _is_shown(paragraph: Any) -> bool:
    """Return whether a run or a formula of a paragraph is left."""
    is_left = any(child.tag not in _FIELD for run in _runs(paragraph) for child in run)
    return is_left or next(paragraph.iter(f"{MATH}oMath"), None) is not None


def _text_of(element: Any) -> str:
    words = {f"{WORD}tab": " ", f"{WORD}br": " ", f"{WORD}cr": " "}
    return "".join(
        (one.text or "") if one.tag == f"{WORD}t" else words[one.tag]
        for one in element.iter(f"{WORD}t", *words)
        if one.getparent().tag == f"{WORD}r"
    )
