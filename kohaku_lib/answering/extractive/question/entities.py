"""Names in a question."""

from __future__ import annotations

import re

from kohaku_lib.text.word_lists import words


def entities_of(text: str) -> tuple[str, ...]:
    """Return the names in `text`: capitalised words after the first, acronyms, words with digits, quoted terms.

    >>> entities_of("How much energy did the GShard-600B model and Amazon Web Services use in Iowa?")
    ('GShard-600B', 'Amazon Web Services', 'Iowa')
    """
    found = [match.group().strip() for match in _NAME.finditer(text)]
    found += [match.group(1) for match in _QUOTED.finditer(text)]
    return tuple(dict.fromkeys(name for name in map(_strip_opener, found) if name))


_NAME = re.compile(
    r"(?:\b[A-Z][\w.]*(?:[-’'/][\w.]+)*|\b[a-z]+[A-Z][\w-]*|\b[A-Za-z]+-?\d[\w.]*)(?:[ "
    r"-](?:[A-Z][\w]*(?:[-.][\w]+)*|\d[\w.]*[A-Z]\w*))*"
)
_QUOTED = re.compile(r"[\"“‘'](?=\w)([^\"”’']{3,60})[\"”’'](?!\w)")
_OPENERS = words(
    """What Which How Who Where When Why In On At As By For From According Under During Out Of To The A An True False Is Are Was
    Were Does Do Did Can Could If With Among Between Based Given I Approximately Compared Relative Per Over Across When
    While Since Name Using And Or Roughly About Not It This That These Those Both Each Every All Some Many Most New"""
)


def _strip_opener(name: str) -> str:
    first, _, rest = name.partition(" ")
    return _strip_opener(rest) if first in _OPENERS else name
