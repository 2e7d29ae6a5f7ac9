"""Take the struck-out text out of HTML elements."""

from __future__ import annotations

import re
from typing import Any

from kohaku_lib.documents.formats.html.text import inline_text, is_element, is_hidden, tag_of
from kohaku_lib.documents.formats.shared.struck_text import remainder

STRUCK = "data-kohaku-struck"  # of an element whose text was struck out and is gone
_TAGS = frozenset(("s", "del", "strike"))
_STYLE = re.compile(r"text-decoration(?:-line)?\s*:[^;]*line-through", re.IGNORECASE)


def take_struck_text(root: Any) -> list[str]:
    """Empty the struck-out elements below `root` and return their texts; the elements stay, so that cells keep their place.

    >>> from lxml import html
    >>> page = html.fromstring("<p>It costs<s> 7 EUR </s>11 EUR.</p>")
    >>> take_struck_text(page), inline_text(page)
    (['7 EUR'], 'It costs 11 EUR.')
    """
    texts: list[str] = []
    for element in [one for one in root.iter() if is_element(one) and _is_struck(one)]:
        if element is not root and not any(above is root for above in element.iterancestors()):
            continue  # within one that is gone
        if any(map(is_hidden, (element, *element.iterancestors()))):
            continue
        text, tail = inline_text(element), element.tail
        texts.append(" ".join(text.split()))
        del element[:]
        element.set(STRUCK, "true")
        element.text = remainder(text, tail or "")
    return [text for text in texts if text]


def is_emptied(element: Any) -> bool:
    """Return whether text was taken out of an element or of one within it."""
    return bool(element.get(STRUCK)) or element.find(f".//*[@{STRUCK}]") is not None


def _is_struck(element: Any) -> bool:
    return tag_of(element) in _TAGS or bool(_STYLE.search(element.get("style") or ""))
