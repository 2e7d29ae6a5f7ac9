"""What each printed line of a document is: running text, heading, caption, row of a table, list item or footnote."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum

from kohaku_lib.tree.page_lines import Line

TERMINATED = re.compile(r"[.!?:][\"'”’»)\]]*(?: ?\d{1,3})?$")

_CAPTION = re.compile(
    r"^(?:Supplementary |Extended Data )?(?:Table|Figure|Fig\.?|Tab\.|TABLE|FIGURE|FIG\.?|Algorithm|Listing|Exhibit|Box)"
    r" ?(?:[A-Z]\.?)?(?:\d+(?:\.\d+)*|[IVX]+)(?:[a-z])? ?(?:[:.|—–]|$|(?=[A-Z]))"
)
_BULLET = re.compile(r"^(?:[•◦▪‣●■►➢✓∙·]|[-–*] |\((?:[a-z]|[ivx]{1,4}|\d{1,2})\) |\d{1,2}[.)] |\[\d{1,3}\] )")
_FOOTNOTE = re.compile(r"^(?:\d{1,2}(?=[A-Z][a-z]|https?:|www\.)|\d{1,2} https?:|[∗†‡§¶] ?[A-Z])")
_NUMBERED = re.compile(r"^(?:Appendix )?(?:\d{1,2}|[A-Z]|[IVX]{1,5})(?:\.\d{1,2}){0,3}[.:)]? (?P<title>[A-Z“\"].*)$")
_KEYWORD = re.compile(
    r"^(?:abstract|introduction|background|related work|methods?|methodology|results|discussion|conclusions?|limitations"
    r"|references|bibliography|acknowledge?ments?|appendix(?: [A-Z])?|summary|executive summary|contents|preface)[.:]?$",
    re.I,
)
_SMALL_WORDS = frozenset(
    ["a", "an", "and", "as", "at", "by", "for", "from", "in", "into", "of", "on", "or", "our", "per", "the", "to"]
    + ["vs", "via", "with"]
)


class Kind(Enum):
    """What a line is."""

    BODY = "body"
    HEADING = "heading"
    CAPTION = "caption"
    ROW = "row"
    ITEM = "item"
    FOOTNOTE = "footnote"


def line_kinds(lines: Sequence[Line]) -> list[Kind]:
    """Return the kind of every line of a document, judged by its form and its neighbours.

    >>> lines = [Line(text, 2) for text in ("3 Results", "The model was trained for 24 days on the whole of the data",
    ...     "and used 1,287 MWh.", "Table 3: Energy by model.", "GPT-3 1,287 552", "Gopher 1,066 380", "OPT 324 75")]
    >>> [kind.value for kind in line_kinds(lines)]
    ['heading', 'body', 'body', 'caption', 'row', 'row', 'row']
    """
    widths = _widths(lines)
    kinds = [_own_kind(line) for line in lines]
    for at in range(len(lines)):
        if kinds[at] in (Kind.BODY, Kind.ITEM) and _is_heading(lines, widths, at):
            kinds[at] = Kind.HEADING
    _mark_rows(lines, widths, kinds)
    return kinds


def _own_kind(line: Line) -> Kind:
    if _CAPTION.match(line.text):
        return Kind.CAPTION
    if _FOOTNOTE.match(line.text):
        return Kind.FOOTNOTE
    return Kind.ITEM if _BULLET.match(line.text) else Kind.BODY


def _widths(lines: Sequence[Line]) -> list[float]:
    """Return, per line, the usual length of a full line of its page (of the document on a page of few lines)."""
    lengths_by_page: dict[int, list[int]] = {}
    for line in lines:
        if len(line.text) >= 20:
            lengths_by_page.setdefault(line.page, []).append(len(line.text))
    every = sorted(length for lengths in lengths_by_page.values() for length in lengths) or [60]
    usual = every[int(len(every) * 0.7)]
    widths = {
        page: sorted(lengths)[int(len(lengths) * 0.7)] for page, lengths in lengths_by_page.items() if len(lengths) >= 8
    }
    return [float(widths.get(line.page, usual)) for line in lines]


def _is_heading(lines: Sequence[Line], widths: Sequence[float], at: int) -> bool:
    text = lines[at].text
    if len(text) > 90 or (text[-1] in ".,;:" and not _KEYWORD.match(text)) or not _leads_on(lines, widths, at):
        return False
    if _KEYWORD.match(text):
        return True
    numbered = _NUMBERED.match(text)
    if numbered:
        return _is_titled(numbered["title"]) or len(text) < 0.7 * widths[at]
    return _is_capitals(text) or _is_lone_title(lines, widths, at)


def _leads_on(lines: Sequence[Line], widths: Sequence[float], at: int) -> bool:
    """Return whether running text, a list or a deeper heading follows line `at`."""
    if at + 1 == len(lines):
        return False
    after = lines[at + 1].text
    if after[:1].islower():
        return False
    deeper = _NUMBERED.match(after) and "." in after.split(" ")[0] and after[-1] != "."
    return bool(deeper) or len(after) >= 0.55 * widths[at + 1] or bool(_BULLET.match(after))


def _is_titled(title: str) -> bool:
    words = re.findall(r"[^\W\d_][\w’'-]*", title)
    main = [word for word in words if word.lower() not in _SMALL_WORDS]
    return 0 < len(words) <= 12 and bool(main) and all(word[0].isupper() for word in main)


def _is_capitals(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    return len(letters) >= 5 and sum(map(str.isupper, letters)) >= 0.9 * len(letters) and numeric_share(text) < 0.3


def _is_lone_title(lines: Sequence[Line], widths: Sequence[float], at: int) -> bool:
    text = lines[at].text
    if lines[at].page == lines[0].page or len(text) > 0.8 * widths[at] or re.search(r"[\d@=|,;/]", text):
        return False
    starts = at == 0 or lines[at - 1].page != lines[at].page or TERMINATED.search(lines[at - 1].text)
    return bool(starts) and _is_titled(text) and len(text) >= 4


def numeric_share(text: str) -> float:
    """Return the share of the words of `text` that are mostly digits; years in a citation do not count.

    >>> numeric_share("GPT-3 1,287 552"), numeric_share("as shown (Wu et al., 2021)")
    (0.6666666666666666, 0.0)
    """
    words = text.split()
    return sum(map(_is_numeric, words)) / max(1, len(words))


def _is_numeric(word: str) -> bool:
    if re.fullmatch(r"\(?(?:19|20)\d\d[a-z]?[);,.]+", word):
        return False
    return sum(map(str.isdigit, word)) >= 0.4 * len(word)


def _mark_rows(lines: Sequence[Line], widths: Sequence[float], kinds: list[Kind]) -> None:
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and kinds[end] in (Kind.BODY, Kind.FOOTNOTE) and _is_rowlike(lines, widths, end):
            end += 1
        if end - at >= 3 and _is_table(lines[at:end]):
            kinds[at:end] = [Kind.ROW] * (end - at)
        at = max(end, at + 1)


def _is_rowlike(lines: Sequence[Line], widths: Sequence[float], at: int) -> bool:
    text = lines[at].text
    if is_strong_row(text, widths[at]):
        return True
    words = text.split()
    if len(text) > 0.5 * widths[at] or text[-1] in ".,;-" or len(words) > 6:
        return False
    flows = text[0].islower() and at > 0 and len(lines[at - 1].text) >= 0.6 * widths[at]
    return not flows


def is_strong_row(text: str, width: float) -> bool:
    """Return whether `text` looks like a row of figures in a page whose full lines hold `width` characters.

    >>> is_strong_row("Gopher 1,066 380", 60.0), is_strong_row("and used 1,287 MWh.", 60.0)
    (True, False)
    """
    words = text.split()
    if numeric_share(text) >= 0.34 and (len(words) > 1 or len(text) < 8) and text[-1] not in ".,;":
        return True
    return _is_numeric(words[-1]) and text[-1] not in ".,;)" and len(text) < 0.75 * width and len(words) <= 8


def _is_table(run: Sequence[Line]) -> bool:
    strong = sum(is_strong_row(line.text, 60.0) for line in run)
    words = sum(len(line.text.split()) for line in run)
    return strong >= max(1, len(run) // 6) or words <= 3 * len(run)
