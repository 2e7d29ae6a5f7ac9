"""Markdown of an untrusted writer, made such that nothing in it is loaded, run or hides an address."""

from __future__ import annotations

import re
from collections.abc import Callable

# What carries an address or HTML begins with one of these pairs; each is parted by a space. Emphasis, lists, tables and code
# stay, and so do the marks of our own sources.
_PAIR = re.compile(r"<(?=[A-Za-z/!?])|!(?=\[)|\](?=[(:])")


def inert_markdown(text: str) -> str:
    r"""Return `text` without HTML, images, links and definitions of links in the sense of Markdown; their letters stay.

    Whether a sign is followed by a space depends on the next sign alone, so a stream can be made inert by parts. Addresses
    stay readable as they are.

    >>> inert_markdown("![x](https://example.org) <img src=x> a < b [Source 1](https://example.org)")
    '! [x] (https://example.org) < img src=x> a < b [Source 1] (https://example.org)'
    >>> inert_markdown("1. [Source 1]: https://example.org")
    '1. [Source 1] : https://example.org'
    """
    return _PAIR.sub(r"\g<0> ", text)


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
        self._last = ""  # sign of the text so far

    def add(self, part: str) -> None:
        """Take the next part."""
        text = self._last + part
        self._show(inert_markdown(text)[len(self._last) :])
        self._last = text[-1:]
