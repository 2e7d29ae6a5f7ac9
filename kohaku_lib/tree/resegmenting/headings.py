"""Which printed lines are headings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from kohaku_lib.tree.resegmenting.line_forms import BULLET, CAPTION, TERMINATED, numeric_share
from kohaku_lib.tree.resegmenting.page_lines import Line

_LONGEST = 90  # characters; longer lines are text
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


def heading_rows(lines: Sequence[Line], widths: Sequence[float]) -> list[int]:
    """Return the indices of the `lines` that are headings, where a full line has `widths` characters.

    Headings are usual words such as "References", numbered titles whose numbers go on from the last one, lines in
    capitals, and titles in Title Case between whole sentences that occur once. Each must lead on to text, a list
    or a deeper heading.

    >>> lines = [Line("1 Introduction", 1), Line("Models grow year by year and so does their hunger", 1),
    ...     Line("for power.", 2), Line("Our Approach", 2), Line("We measure the power that training draws.", 2)]
    >>> heading_rows(lines, [50.0] * 5)
    [0, 3]
    """
    repeats = Counter(line.text for line in lines)
    found: list[int] = []
    last = 0
    for at, line in enumerate(lines):
        if not _may_be_heading(line.text) or not _leads_on(lines, widths, at):
            continue
        numbered = _NUMBERED.match(line.text)
        if numbered and _is_numbered_heading(numbered, lines, widths, at, last):
            found.append(at)
            last = int(numbered["label"]) if numbered["label"].isdigit() else last
        elif not numbered and _is_plain_heading(lines, widths, at, repeats):
            found.append(at)
    return found


def _may_be_heading(text: str) -> bool:
    return len(text) <= _LONGEST and text[-1] not in ".,;-" and not _SYMBOLS.search(text)


def _leads_on(lines: Sequence[Line], widths: Sequence[float], at: int) -> bool:
    """Return whether running text, a list or a deeper heading follows line `at`."""
    if at + 1 == len(lines) or lines[at + 1].text[0].islower():
        return False
    after = lines[at + 1].text
    numbered = _NUMBERED.match(after)
    deeper = numbered is not None and bool(numbered["deeper"]) and after[-1] != "."
    return deeper or len(after) >= 0.55 * widths[at + 1] or bool(BULLET.match(after) or CAPTION.match(after))


def _is_numbered_heading(
    found: re.Match[str], lines: Sequence[Line], widths: Sequence[float], at: int, last: int
) -> bool:
    label, title = found["label"], found["title"]
    if _NAMES.search(title) or not re.search(r"[^\W\d_]{2}", title) or numeric_share(title) >= 0.3:
        return False
    if label.isdigit() and not (last <= int(label) <= last + 2):
        return False
    if found["appendix"] or _is_titled(title):
        return True
    return len(lines[at].text) < 0.9 * widths[at] and _follows_end(lines, at)


def _is_plain_heading(lines: Sequence[Line], widths: Sequence[float], at: int, repeats: Counter[str]) -> bool:
    text = lines[at].text
    if _KEYWORD.match(text):
        return text[0].isupper()
    if repeats[text] > 1 or BULLET.match(text):
        return False
    return _is_capitals(text) or _is_lone_title(lines, widths, at)


def _is_capitals(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    return len(letters) >= 5 and sum(map(str.isupper, letters)) >= 0.9 * len(letters) and numeric_share(text) < 0.3


def _is_lone_title(lines: Sequence[Line], widths: Sequence[float], at: int) -> bool:
    text = lines[at].text
    if lines[at].page == lines[0].page or len(text) > 0.8 * widths[at] or re.search(r"[\d:,/]", text):
        return False
    leads_to_word = at + 1 < len(lines) and not lines[at + 1].text[0].isdigit()
    return len(text) >= 4 and text[0].isupper() and leads_to_word and _is_titled(text) and _follows_end(lines, at)


def _is_titled(title: str) -> bool:
    words = re.findall(r"[^\W\d_][\w’'-]*", title)
    main = [word for word in words if word.lower() not in _SMALL_WORDS]
    return 0 < len(words) <= 12 and bool(main) and all(word[0].isupper() for word in main)


def _follows_end(lines: Sequence[Line], at: int) -> bool:
    """Return whether line `at` follows the end of a sentence, a heading or a page."""
    if at == 0 or lines[at - 1].page != lines[at].page:
        return True
    before = lines[at - 1].text
    return bool(TERMINATED.search(before) or _KEYWORD.match(before) or _NUMBERED.match(before))
