"""Take the hidden and the struck-out text out of Word files: what is marked so itself, or by its style."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kohaku_lib.documents.formats.office.word.word_file import MATH, WORD, child_of, value_of
from kohaku_lib.documents.formats.shared.struck_text import remainder

_FIELD = frozenset((f"{WORD}rPr", f"{WORD}fldChar", f"{WORD}instrText"))  # begins and ends of fields must stay paired
_WORDS = frozenset(  # what a line goes through, unlike pictures and text boxes
    WORD + name for name in ("t", "tab", "br", "cr", "sym", "noBreakHyphen", "footnoteReference", "endnoteReference")
)
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
    hiding = _Marking(styles, "vanish")
    texts: list[str] = []
    for row in list(part.iter(f"{WORD}tr")):
        if _stated(row, "trPr/hidden") and row.getparent() is not None:
            texts.append(" ".join(filter(None, map(_text_of, row.iter(f"{WORD}p")))))
            row.getparent().remove(row)
    for paragraph in list(part.iter(f"{WORD}p")):
        texts += _removed_stretches(paragraph, hiding)
        is_over = hiding.marks_end(paragraph) and child_of(paragraph, "pPr/sectPr") is None
        if is_over and paragraph.getparent() is not None and not _is_shown(paragraph):
            paragraph.getparent().remove(paragraph)
    return [" ".join(text.split()) for text in texts if text.strip()]


def remove_struck_text(part: Any, styles: Any) -> list[str]:
    """Remove the struck-out text of a part of a Word file, and return it, a line for each stretch; paragraphs stay.

    `styles` is the root of the styles, None without them.
    """
    striking = [_Marking(styles, name) for name in ("strike", "dstrike")]
    texts = (text for paragraph in list(part.iter(f"{WORD}p")) for text in _struck_stretches(paragraph, striking))
    return [" ".join(text.split()) for text in texts if text.strip()]


def unshown_notes(document: Any, notes: Any, kind: str) -> list[str]:
    """Return the texts of a part of foot- or endnotes to which the document does not refer, as where it hides the mark.

    `kind` is "footnote" or "endnote".
    """
    shown = {mark.get(f"{WORD}id") for mark in document.iter(f"{WORD}{kind}Reference")}
    left = (note for note in notes.iter(f"{WORD}{kind}") if note.get(f"{WORD}id") not in shown)
    texts = (" ".join(map(_text_of, note.iter(f"{WORD}p"))) for note in left)
    return [" ".join(text.split()) for text in texts if text.strip()]


class _Marking:
    """Tells what is marked, as by "vanish": itself, else by the styles of paragraph and text, of which one undoes the other."""

    def __init__(self, styles: Any, name: str) -> None:
        self._name = name
        found = [] if styles is None else list(styles.iter(f"{WORD}style"))
        self._style = {style.get(f"{WORD}styleId"): style for style in found}
        self._is_default = styles is not None and bool(_stated(styles, f"docDefaults/rPrDefault/rPr/{name}"))
        usual = (style for style in found if style.get(f"{WORD}type") == "paragraph" and style.get(f"{WORD}default"))
        self._usual = next((style.get(f"{WORD}styleId") for style in usual), None)

    def marks(self, run: Any, paragraph: Any) -> bool:
        return self._is_marked(_stated(run, f"rPr/{self._name}"), value_of(run, "rPr/rStyle"), paragraph)

    def marks_end(self, paragraph: Any) -> bool:
        stated = _stated(paragraph, f"pPr/rPr/{self._name}")
        return self._is_marked(stated, value_of(paragraph, "pPr/rPr/rStyle"), paragraph)

    def _is_marked(self, stated: bool | None, character_style: str | None, paragraph: Any) -> bool:
        if stated is not None:
            return stated
        by_paragraph = self._by_style(value_of(paragraph, "pPr/pStyle") or self._usual)
        return (by_paragraph != self._by_style(character_style)) or self._is_default

    def _by_style(self, name: str | None) -> bool:
        """Return whether a style marks its text, itself or by the nearest style that it is based on."""
        seen: set[str] = set()
        while name in self._style and name not in seen:
            seen.add(name)
            stated = _stated(self._style[name], f"rPr/{self._name}")
            if stated is not None:
                return stated
            name = value_of(self._style[name], "basedOn")
        return False


def _stated(element: Any, path: str) -> bool | None:
    """Return whether the switch at a path is on, None if it is not there."""
    found = child_of(element, path)
    return None if found is None else (found.get(f"{WORD}val") or "1").lower() not in _OFF


def _removed_stretches(paragraph: Any, hiding: _Marking) -> Iterator[str]:
    """Remove the hidden text of a paragraph and yield it; runs one after another are a stretch."""
    stretch = ""
    for run in list(_runs(paragraph)):
        content = [child for child in run if child.tag not in _FIELD]
        if not content:
            continue
        if not hiding.marks(run, paragraph):
            yield stretch
            stretch = ""
            continue
        stretch += _text_of(run)
        for child in content:
            run.remove(child)
    yield stretch


def _struck_stretches(paragraph: Any, striking: Sequence[_Marking]) -> Iterator[str]:
    """Remove the struck-out words of a paragraph and yield them; runs one after another are a stretch."""
    stretch: list[Any] = []
    for run in (*_runs(paragraph), None):
        words = [] if run is None else [child for child in run if child.tag in _WORDS]
        if words and any(one.marks(run, paragraph) for one in striking):
            stretch += words
        elif (words or run is None) and stretch:
            text = "".join(map(_text_of, stretch))
            kept = _blank(remainder(text, "".join(map(_text_of, words))))
            stretch[0].getparent().replace(stretch[0], kept)
            for word in stretch[1:]:
                word.getparent().remove(word)
            stretch = []
            yield text


def _blank(text: str) -> Any:
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    element = etree.Element(f"{WORD}t")
    element.text = text
    return element


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
