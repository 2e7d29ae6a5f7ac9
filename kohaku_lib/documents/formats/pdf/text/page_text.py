"""Extract the text of a page as positioned, upright lines."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from kohaku_lib.documents.formats.pdf.text.letter_spacing import closed_texts, has_letters_apart
from kohaku_lib.documents.formats.pdf.text.pieces import Word, may_contain_cells, split_at_gaps, words_by_line
from kohaku_lib.documents.formats.pdf.text.right_to_left_spans import order_right_to_left
from kohaku_lib.documents.formats.pdf.text.strikes import Strike, drop_struck_letters, without_struck_words

if TYPE_CHECKING:
    import pymupdf

_SUPERSCRIPT, _ITALIC, _BOLD = 1, 2, 16
_EXPONENT = re.compile(r"[-−+]?\d+\Z")
_BASE = re.compile(r"(?<![\d.,])(?:10|2)\Z")
_UNIT = re.compile(
    r"(?:\d\s*|/\s?|[·.]\s?)(?:[kcdmµ]?m|s|h|ft|in|yd|mi|k?g|mol|[Kk]?W|[KJNAVL])\Z"
)  # behind a number or another unit
_SUPERSCRIPTS = str.maketrans("0123456789-−+", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻⁺")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff\ufeff\u200b]")
_LEADER = re.compile(r"[.·…_]\s?[.·…_]")
_LEADERS = re.compile(r"\s*(?:[.·…_]\s?){5,}\s*")
_ORNAMENT = re.compile(r"(?:[^\w\s]|_)(?:\s*(?:[^\w\s]|_)){3,}\Z")
_BLANKS = re.compile(r"[^\S\n]+")
_UNMAPPED_BULLET = re.compile(r"\A[\ufffd\uf0a7\uf0b7\uf0d8\uf06e\uf076](?=\s|\Z)")  # of symbol fonts
_LONGEST_MARK = 3
_LEAST_MIXED = 0.08  # of a line's letters
_DOUBLED_QUOTES = (("‘‘", "“"), ("’’", "”"), ("``", "“"), ("''", "”"))
_SENTENCE_MARK = re.compile(r"[.,;:)”’\"]\Z")
_NOTHING = "\u200b"  # which `normalised_text` takes away
_OVERPRINT_PT = 1.6  # maximum offset of a text shadow


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in points, y downwards."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def height(self) -> float:
        """Return y1 - y0."""
        return self.y1 - self.y0

    @property
    def width(self) -> float:
        """Return x1 - x0."""
        return self.x1 - self.x0

    @property
    def area(self) -> float:
        """Return the area in square points."""
        return (self.x1 - self.x0) * (self.y1 - self.y0)

    def contains_centre(self, other: Box, slack: float = 0.0) -> bool:
        """Return whether the centre of `other` is inside, at most `slack` points beyond an edge.

        >>> Box(0, 0, 10, 10).contains_centre(Box(8, 0, 12, 4)), Box(0, 0, 10, 10).contains_centre(Box(9, 0, 13, 4))
        (True, False)
        """
        x, y = (other.x0 + other.x1) / 2, (other.y0 + other.y1) / 2
        return self.x0 - slack <= x <= self.x1 + slack and self.y0 - slack <= y <= self.y1 + slack

    def is_near(self, other: Box, gap: float = 0.0) -> bool:
        """Return whether both boxes are at most `gap` points apart in x and in y; a negative gap demands an overlap.

        >>> Box(0, 0, 10, 10).is_near(Box(12, 0, 20, 10), gap=2), Box(0, 0, 10, 10).is_near(Box(9, 0, 20, 10), gap=-2)
        (True, False)
        """
        across = self.x0 - gap <= other.x1 and other.x0 - gap <= self.x1
        return across and self.y0 - gap <= other.y1 and other.y0 - gap <= self.y1

    @property
    def mirrored(self) -> Box:
        """Return the box at the other side of x = 0, as a page that is read from the right is read in a mirror."""
        return Box(-self.x1, self.y0, -self.x0, self.y1)

    def __or__(self, other: Box) -> Box:
        return Box(
            self.x0 if self.x0 < other.x0 else other.x0,
            self.y0 if self.y0 < other.y0 else other.y0,
            self.x1 if self.x1 > other.x1 else other.x1,
            self.y1 if self.y1 > other.y1 else other.y1,
        )


@dataclass(frozen=True, slots=True)
class Line:
    """A piece of text on one baseline; `block` is the number of MuPDF's text block, -1 if there is none.

    `bold` and `italic` apply to most of its letters; `mixed` means that a good part is bold and another is not;
    `raised` that it begins with a superscript, as footnotes do.
    """

    text: str
    box: Box
    size: float
    bold: bool
    block: int
    italic: bool = False
    raised: bool = False
    mixed: bool = False


@dataclass(frozen=True, slots=True)
class Tick:
    """A box that is ticked or not, and the sign that stands for it."""

    box: Box
    sign: str

    @property
    def middle(self) -> float:
        """Return the x of its middle."""
        return (self.box.x0 + self.box.x1) / 2


@dataclass(frozen=True, slots=True)
class PageText:
    """The lines of a page in the main text direction, and `asides` in other directions; `number` is 1-based.

    `turn` is the rotation applied to make the lines upright (see `upright_box`); `rules` are the straight lines drawn
    on the page, empty until detected (see `page_rules`); `furniture` are the lines taken out as running heads, page
    numbers, line numbers and stamps (see `without_furniture`); `strikes` strike out words that the lines lack; `ticks` are
    the boxes whose states the lines say (see `with_tick_boxes`).
    """

    number: int
    width: float
    height: float
    lines: tuple[Line, ...]
    asides: tuple[Line, ...] = ()
    turn: int = 0
    rules: tuple[Box, ...] = ()
    furniture: tuple[Line, ...] = ()
    strikes: tuple[Strike, ...] = ()
    ticks: tuple[Tick, ...] = ()


def read_page_text(page: pymupdf.Page, number: int, strikes: tuple[Strike, ...] = ()) -> PageText:
    """Return the text of `page` without what is struck out, with boxes rotated so that most lines run from left to right."""
    source = text_source(page)
    blocks: Any = source.extractDICT()["blocks"]
    _close_words(blocks, source)
    drop_struck_letters(blocks, source, strikes)
    order_right_to_left(blocks, source)
    raw_lines = [
        (_turn_of(line["dir"]), line, index, place)
        for index, block in enumerate(blocks)
        for place, line in enumerate(block["lines"])
    ]
    turns = Counter[int]()
    for turn, line, _, _ in raw_lines:
        turns[turn] += sum(len(span["text"].strip()) for span in line["spans"])
    turn = max(turns, key=lambda key: (turns[key], -key)) if turns else 0
    size = page.cropbox.width, page.cropbox.height
    candidates = [
        (_line_of_spans(line, index, turn, size), own_turn, (index, place))
        for own_turn, line, index, place in raw_lines
    ]
    crowded = {key for line, own_turn, key in candidates if own_turn == turn == 0 and may_contain_cells(line.text)}
    words = words_by_line(without_struck_words(source.extractWORDS(), strikes, _NOTHING), crowded) if crowded else {}
    lines, asides = [], []
    for line, own_turn, key in candidates:
        if line.text not in {"", "..."} and not _ORNAMENT.match(line.text):
            (lines if own_turn == turn else asides).extend(_split_cells(line, words.get(key, ())))
    width, height = size if turn % 2 == 0 else size[::-1]
    return PageText(
        number, width, height, _without_overprints(lines), _without_overprints(asides), turn, strikes=strikes
    )


def text_source(page: pymupdf.Page) -> Any:
    """Return MuPDF's text page, with ligatures as letters."""
    import pymupdf

    return page.get_textpage(flags=pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP)


def upright_box(box: tuple[float, float, float, float], turn: int, size: tuple[float, float]) -> Box:
    """Return `box` on the page rotated by `turn` quarter turns; `size` is the original width and height.

    `turn` is the text direction: 0 right, 1 up, 2 left, 3 down.

    >>> upright_box((10, 20, 30, 25), 1, (100, 200))
    Box(x0=175, y0=10, x1=180, y1=30)
    """
    x0, y0, x1, y1 = box
    width, height = size
    if turn == 1:
        return Box(height - y1, x0, height - y0, x1)
    if turn == 2:
        return Box(width - x1, height - y1, width - x0, height - y0)
    if turn == 3:
        return Box(y0, width - x1, y1, width - x0)
    return Box(x0, y0, x1, y1)


def page_box(box: Box, page: PageText) -> list[float]:
    """Return `box` in PyMuPDF's page coordinates, rounded to a tenth of a point."""
    if not page.turn:
        return [round(value, 1) for value in (box.x0, box.y0, box.x1, box.y1)]
    back = upright_box((box.x0, box.y0, box.x1, box.y1), (4 - page.turn) % 4, (page.width, page.height))
    return [round(value, 1) for value in (back.x0, back.y0, back.x1, back.y1)]


def normalised_text(text: str) -> str:
    r"""Return `text` NFC-normalised, without control characters, with white space collapsed and trimmed.

    Pairs of single quotation marks become double ones.

    >>> normalised_text("an ‘‘a\x00mber\u00a0 \t room’’")
    'an “amber room”'
    """
    for pair, sign in _DOUBLED_QUOTES:
        text = text.replace(pair, sign)
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    return _BLANKS.sub(" ", _CONTROL.sub("", unicodedata.normalize("NFC", text))).strip()


def _close_words(blocks: Any, source: Any) -> None:
    """Replace, in place, the texts of lines whose letters are apart by those of `closed_texts`."""
    apart = [
        (index, place)
        for index, block in enumerate(blocks)
        for place, line in enumerate(block["lines"])
        if has_letters_apart("".join(span["text"] for span in line["spans"]))
    ]
    detailed: Any = source.extractRAWDICT()["blocks"] if apart else ()
    for index, place in apart:
        texts = closed_texts(detailed[index]["lines"][place])
        for span, text in zip(blocks[index]["lines"][place]["spans"], texts, strict=True):
            span["text"] = text


def _turn_of(direction: tuple[float, float]) -> int:
    x, y = direction
    if abs(x) >= abs(y):
        return 0 if x > 0 else 2
    return 1 if y < 0 else 3


def _without_overprints(lines: list[Line]) -> tuple[Line, ...]:
    """Return the lines without duplicates printed in the same place as a shadow or for weight."""
    lines_by_cell: dict[tuple[str, int], list[Line]] = {}
    distinct: list[Line] = []
    for line in lines:
        # vertical neighbours may be in an adjacent cell of the grid
        cell = int(line.box.y0 // (2 * _OVERPRINT_PT))
        near = [other for step in (-1, 0, 1) for other in lines_by_cell.get((line.text, cell + step), ())]
        if not any(_is_overprint(line.box.x0, line.box.y0, other.box.x0, other.box.y0) for other in near):
            lines_by_cell.setdefault((line.text, cell), []).append(line)
            distinct.append(line)
    return tuple(distinct)


def _is_overprint(x: float, y: float, other_x: float, other_y: float) -> bool:
    return abs(x - other_x) < _OVERPRINT_PT and abs(y - other_y) < _OVERPRINT_PT


def _line_of_spans(raw: dict[str, Any], block: int, turn: int, size: tuple[float, float]) -> Line:
    spans = [span for span in raw["spans"] if span["text"].strip()]
    text = normalised_text(_span_text(raw["spans"]))
    if _LEADER.search(text):
        text = _LEADERS.sub(" ... ", text).strip()
    text = _UNMAPPED_BULLET.sub("•", text)
    weight = bold = italic = 0
    sizes: dict[float, int] = {}
    for span in spans:
        letters, flags, size_pt = len(span["text"].strip()), span["flags"], round(span["size"], 1)
        weight += letters
        bold += letters if flags & _BOLD or _is_bold(span["font"]) else 0
        italic += letters if flags & _ITALIC else 0
        sizes[size_pt] = sizes.get(size_pt, 0) + letters
    main = max(sizes, key=lambda key: (sizes[key], key)) if sizes else 0.0
    box = upright_box(raw["bbox"], turn, size)
    mixed = bool(spans) and _LEAST_MIXED * weight <= bold <= (1 - _LEAST_MIXED) * weight
    return Line(text, box, main, bold * 2 > weight, block, italic * 2 > weight, _is_raised(spans), mixed)


def _is_raised(spans: list[dict[str, Any]]) -> bool:
    return bool(spans) and bool(spans[0]["flags"] & _SUPERSCRIPT) and len(spans[0]["text"].strip()) <= _LONGEST_MARK


def _split_cells(line: Line, words: Sequence[Word]) -> list[Line]:
    """Return the line, split if it contains the numbers of several columns."""
    if len(words) < 2:
        return [line]
    cut = list(split_at_gaps(words, line.size))
    if len(cut) == 1:
        return [line]
    return [replace(line, text=normalised_text(text), box=Box(x0, y0, x1, y1)) for x0, y0, x1, y1, text in cut]


@cache
def _is_bold(font: str) -> bool:
    name = font.lower()
    return "bold" in name or "black" in name or "heavy" in name


def _span_text(spans: list[dict[str, Any]]) -> str:
    """Return the text of spans; a superscript number after 10 or 2 becomes an exponent, 10^6 instead of 106.

    Behind another number it is the mark of a note and stays raised (250⁹ instead of 2509).
    Behind a unit it is its power (m² instead of m2). A superscript after the end of a sentence or clause is a note reference
    and separated by a space ("end. 1").
    """
    text = ""
    for index, span in enumerate(spans):
        if index and _is_shadow(span, spans[index - 1]):
            continue
        piece = span["text"]
        raised = span["flags"] & _SUPERSCRIPT and _EXPONENT.match(piece.strip())
        if raised and _BASE.search(text):
            piece = f"^{piece.strip()}"
        elif raised and (text[-1:].isdigit() or _UNIT.search(text)):
            piece = piece.strip().translate(_SUPERSCRIPTS)
        elif raised and _SENTENCE_MARK.search(text):
            piece = f" {piece}"
        text += piece
    return text


def _is_shadow(span: dict[str, Any], before: dict[str, Any]) -> bool:
    same = span["text"] == before["text"] and not span["text"].isspace()
    return same and _is_overprint(*span["bbox"][:2], *before["bbox"][:2])
