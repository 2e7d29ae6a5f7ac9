"""Hidden and struck-out text of RTF files."""

from __future__ import annotations

import re

HIDDEN, STRUCK = frozenset(("v",)), frozenset(("strike", "striked"))  # control words that switch it on
_TOKEN = re.compile(r"\\([a-z]{1,32})(-?\d{1,10})? ?|\\'[0-9a-f]{2}|\\.|[{}]|[^\\{}]+", re.IGNORECASE | re.DOTALL)
_SHOWN_ASIDE = frozenset(
    {"footnote", "header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf"}
)
_NEW_LINE = "\\line "


def without_marked_text(text: str, marks: frozenset[str] = HIDDEN) -> tuple[str, str]:
    r"""Return RTF without the text that one of the `marks` hides or strikes out, and that as RTF, a line for each stretch.

    >>> shown, hidden = without_marked_text(r"{\rtf1 One {\v two }three.\par}")
    >>> print(shown, hidden.strip())
    {\rtf1 One {\v }three.\par} two \line
    """
    from striprtf.striprtf import destinations

    if not any(f"\\{mark}" in text for mark in marks):
        return text, ""
    shown, hidden = list[str](), list[str]()
    outer: list[tuple[bool, bool]] = []
    is_hidden, is_aside = False, False  # asides, such as the table of styles, are no text of the document
    for token in _TOKEN.finditer(text):
        word = token[1]
        if token[0] == "{":
            outer.append((is_hidden, is_aside))
        elif token[0] == "}":
            is_hidden, is_aside = outer.pop() if outer else (False, False)
        elif word in marks or word == "plain":
            is_hidden = word in marks and token[2] != "0"
        elif token[0] == "\\*" or (word in destinations and word not in _SHOWN_ASIDE):
            is_aside = True
        elif is_hidden and not is_aside and (word is None or word == "u"):
            hidden.append(token[0])
            if marks is STRUCK and word is None and token[0].endswith(" "):
                shown.append(" ")
            continue
        if hidden and (not is_hidden or word in {"par", "line"}) and hidden[-1] != _NEW_LINE:
            hidden.append(_NEW_LINE)
        shown.append(token[0])
    return "".join(shown), "".join(hidden)
