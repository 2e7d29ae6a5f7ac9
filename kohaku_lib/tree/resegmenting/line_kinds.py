"""Classification of printed lines: running text, heading, caption, table row, list item or footnote."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from enum import Enum

from kohaku_lib.tree.resegmenting.line_forms import BULLET, CAPTION, TERMINATED, full_widths, is_numeric, numeric_share
from kohaku_lib.tree.resegmenting.page_lines import PageLine

_FOOTNOTE = re.compile(r"^(?:\d{1,2}(?=[A-Z][a-z]|https?:|www\.)|\d{1,2} https?:|[∗†‡§¶] ?[A-Z])")
_LONGEST_HEADING = 90  # characters; longer lines are text
_NUMBERED = re.compile(
    r"^(?P<appendix>Appendix )?(?P<label>\d{1,2}|[A-Z]|[IVX]{1,5})(?P<deeper>(?:\.\d{1,2}){0,3})[.:)]? (?P<title>[A-Z“\"].*)$"
)
_KEYWORD = re.compile(
    r"^(?:abstract|introduction|background|related works?|methods?|methodology|results|discussion|conclusions?|limitations"
    r"|references|bibliography|acknowledge?ments?|appendix(?: [a-z])?|summary|executive summary|contents|preface):?$",
    re.I,
)
_NAMES = re.compile(r"(?:^|[\s,])[A-Z]\. |,.*,.*,|, [A-Z]\.|\bet al\b|\band$|[,&-]$")
_SYMBOLS = re.compile(r"[@=|;∝×→\[\]•]")
_SMALL_WORDS = frozenset(
    ("a an and as at by for from in into of on or our per the to vs via with without").split()  # noqa: SIM905
)


class Kind(Enum):
    """The kind of a printed line."""

    BODY = "body"
    HEADING = "heading"
    CAPTION = "caption"
    ROW = "row"
    ITEM = "item"
    FOOTNOTE = "footnote"


def line_kinds(lines: Sequence[PageLine]) -> list[Kind]:
    """Return the kind of every line of a document, judged by its form and its neighbours.

    >>> lines = [PageLine(text, 2) for text in ("1 Results", "The model was trained for 24 days on the whole of the data",
    ...     "and used 1,287 MWh.", "Table 3: Energy by model.", "GPT-3 1,287 552", "Gopher 1,066 380", "OPT 324 75")]
    >>> [kind.value for kind in line_kinds(lines)]
    ['heading', 'body', 'body', 'caption', 'row', 'row', 'row']
    """
    widths = full_widths(lines)
    kinds = [_own_kind(line) for line in lines]
    for at in heading_rows(lines, widths):
        if kinds[at] in (Kind.BODY, Kind.ITEM):
            kinds[at] = Kind.HEADING
    _mark_rows(lines, widths, kinds)
    return kinds


def heading_rows(lines: Sequence[PageLine], widths: Sequence[float]) -> list[int]:
    """Return the indices of the `lines` that are headings, where a full line has `widths` characters.

    Headings are usual words such as "References", numbered titles whose numbers go on from the last one, lines in
    capitals, and titles in Title Case between whole sentences that occur once. Each must lead on to text, a list
    or a deeper heading.

    >>> lines = [PageLine("1 Introduction", 1), PageLine("Models grow year by year and so does their hunger", 1),
    ...     PageLine("for power.", 2), PageLine("Our Approach", 2), PageLine("We measure the power that training draws.", 2)]
    >>> heading_rows(lines, [50.0] * 5)
    [0, 3]
    """
    repeats = Counter(line.text for line in lines)
    rows: list[int] = []
    last = 0
    for at, line in enumerate(lines):
        if not _may_be_heading(line.text) or not _leads_on(lines, widths, at):
            continue
        numbered = _NUMBERED.match(line.text)
        if numbered and _is_numbered_heading(numbered, lines, widths, at, last):
            rows.append(at)
            last = int(numbered["label"]) if numbered["label"].isdigit() else last
        elif not numbered and _is_plain_heading(lines, widths, at, repeats):
            rows.append(at)
    return rows


def is_strong_row(text: str, width: float) -> bool:
    """Return whether `text` looks like a row of figures on a page whose full lines have `width` characters.

    >>> is_strong_row("Gopher 1,066 380", 60.0), is_strong_row("and used 1,287 MWh.", 60.0)
    (True, False)
    """
    words = text.split()
    if numeric_share(text) >= 0.34 and (len(words) > 1 or len(text) < 8) and text[-1] not in ".,;":
        return True
    return is_numeric(words[-1]) and text[-1] not in ".,;)" and len(text) < 0.75 * width and len(words) <= 8


def _own_kind(line: PageLine) -> Kind:
    if CAPTION.match(line.text):
        return Kind.CAPTION
    if _FOOTNOTE.match(line.text):
        return Kind.FOOTNOTE
    return Kind.ITEM if BULLET.match(line.text) else Kind.BODY


def _mark_rows(lines: Sequence[PageLine], widths: Sequence[float], kinds: list[Kind]) -> None:
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and kinds[end] in (Kind.BODY, Kind.FOOTNOTE) and _is_rowlike(lines, widths, end):
            end += 1
        if end - at >= 3 and _is_table(lines[at:end]):
            kinds[at:end] = [Kind.ROW] * (end - at)
        at = max(end, at + 1)


def _is_rowlike(lines: Sequence[PageLine], widths: Sequence[float], at: int) -> bool:
    text = lines[at].text
    if is_strong_row(text, widths[at]) or (_ends_in_figure(lines, at) and _beside_figures(lines, at)):
        return True
    words = text.split()
    if len(text) > 0.5 * widths[at] or text[-1] in ".,;-" or len(words) > 6:
        return False
    flows = text[0].islower() and at > 0 and len(lines[at - 1].text) >= 0.6 * widths[at]
    return not flows


def _ends_in_figure(lines: Sequence[PageLine], at: int) -> bool:
    text = lines[at].text
    return is_numeric(text.split()[-1]) and text[-1] not in ".,;)" and len(text.split()) <= 8


def _beside_figures(lines: Sequence[PageLine], at: int) -> bool:
    return any(0 <= near < len(lines) and _ends_in_figure(lines, near) for near in (at - 1, at + 1))


def _is_table(run: Sequence[PageLine]) -> bool:
    strong = sum(is_strong_row(line.text, 60.0) for line in run)
    words = sum(len(line.text.split()) for line in run)
    return strong >= max(1, len(run) // 6) or words <= 3 * len(run)


def _may_be_heading(text: str) -> bool:
    return len(text) <= _LONGEST_HEADING and text[-1] not in ".,;-" and not _SYMBOLS.search(text)


def _leads_on(lines: Sequence[PageLine], widths: Sequence[float], at: int) -> bool:
    """Return whether running text, a list or a deeper heading follows line `at`."""
    if at + 1 == len(lines) or lines[at + 1].text[0].islower():
        return False
    after = lines[at + 1].text
    numbered = _NUMBERED.match(after)
    deeper = numbered is not None and bool(numbered["deeper"]) and after[-1] != "."
    return deeper or len(after) >= 0.55 * widths[at + 1] or bool(BULLET.match(after) or CAPTION.match(after))


def _is_numbered_heading(
    match: re.Match[str], lines: Sequence[PageLine], widths: Sequence[float], at: int, last: int
) -> bool:
    label, title = match["label"], match["title"]
    if _NAMES.search(title) or not re.search(r"[^\W\d_]{2}", title) or numeric_share(title) >= 0.3:
        return False
    if label.isdigit() and not (last <= int(label) <= last + 2):
        return False
    if match["appendix"] or _is_titled(title):
        return True
    return len(lines[at].text) < 0.9 * widths[at] and _follows_end(lines, at)


def _is_plain_heading(lines: Sequence[PageLine], widths: Sequence[float], at: int, repeats: Counter[str]) -> bool:
    text = lines[at].text
    if _KEYWORD.match(text):
        return text[0].isupper()
    if repeats[text] > 1 or BULLET.match(text):
        return False
    return _is_capitals(text) or _is_lone_title(lines, widths, at)


def _is_capitals(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    return len(letters) >= 5 and sum(map(str.isupper, letters)) >= 0.9 * len(letters) and numeric_share(text) < 0.3


def _is_lone_title(lines: Sequence[PageLine], widths: Sequence[float], at: int) -> bool:
    text = lines[at].text
    if lines[at].page == lines[0].page or len(text) > 0.8 * widths[at] or re.search(r"[\d:,/]", text):
        return False
    leads_to_word = at + 1 < len(lines) and not lines[at + 1].text[0].isdigit()
    return len(text) >= 4 and text[0].isupper() and leads_to_word and _is_titled(text) and _follows_end(lines, at)


def _is_titled(title: str) -> bool:
    words = re.findall(r"[^\W\d_][\w’'-]*", title)
    main = [word for word in words if word.lower() not in _SMALL_WORDS]
    return 0 < len(words) <= 12 and bool(main) and all(word[0].isupper() for word in main)


def _follows_end(lines: Sequence[PageLine], at: int) -> bool:
    """Return whether line `at` follows the end of a sentence, a heading or a page."""
    if at == 0 or lines[at - 1].page != lines[at].page:
        return True
    before = lines[at - 1].text
    return bool(TERMINATED.search(before) or _KEYWORD.match(before) or _NUMBERED.match(before))
