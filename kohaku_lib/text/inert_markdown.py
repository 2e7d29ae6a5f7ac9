"""Markdown of an untrusted writer, made such that nothing in it is loaded, run or hides an address."""

from __future__ import annotations

import re
from collections.abc import Callable

# What carries an address or HTML begins with one of these pairs; each is parted by a space. Emphasis, lists, tables and code
# stay, and so do the marks of our own sources.
_PAIR = re.compile(r"<(?=[A-Za-z/!?])|!(?=\[)|\](?=\()|\](?=:)")
_OWN_MARK = re.compile(r"[^\s>*+.)\\\[\]-][^\n\[\]\\]*\[Source \d+\Z")  # within a sentence: defines no link


def inert_markdown(text: str) -> str:
    r"""Return `text` without HTML, images, links and definitions of links in the sense of Markdown; their letters stay.

    What is made of the begin of a text is the begin of what is made of the text, so a stream can be made inert by parts.
    Addresses stay readable as they are.

    >>> inert_markdown("![x](https://example.org) <img src=x> a < b [Source 1](https://example.org)")
    '! [x] (https://example.org) < img src=x> a < b [Source 1] (https://example.org)'
    >>> inert_markdown("By [Source 1]: 4 kg.\n[1]: https://example.org")
    'By [Source 1]: 4 kg.\n[1] : https://example.org'
    """

    def parted(pair: re.Match[str]) -> str:
        if text.startswith("]:", pair.start()) and _OWN_MARK.search(text[: pair.start()].rpartition("\n")[2]):
            return pair[0]
        return f"{pair[0]} "

    return _PAIR.sub(parted, text)


class InertStream:
    r"""Passes on the parts of a text to `show`, made inert.

    >>> stream = InertStream(print)
    >>> stream.add("See [the form]")
    See [the form]
    >>> stream.add("(https://example.org)")
     (https://example.org)
    """

    def __init__(self, show: Callable[[str], object]) -> None:
        self._show = show
        self._line = ""  # as far as it came; what becomes of a sign depends on its line alone

    def add(self, part: str) -> None:
        """Take the next part."""
        shown, text = len(inert_markdown(self._line)), self._line + part
        self._line = text.rpartition("\n")[2]
        self._show(inert_markdown(text)[shown:])
