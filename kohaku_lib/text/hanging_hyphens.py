"""Hyphens that stand for the rest of a word: the first one of "Haupt- und Nebeneingang", of "pre- and post-war"."""

from __future__ import annotations

import re


def hangs(left: str, line: str) -> bool:
    """Return whether the hyphen between `left` and the `line` after it hangs, so that a blank follows it.

    German conjunctions are no syllable that a word is broken before; English ones are ("brig-and", "auth-or"), so there
    `left` must be a prefix, or the next word have a hyphen, too.

    >>> hangs("Haupt", "und Nebeneingang"), hangs("pre", "and postwar"), hangs("water", "or wind-driven")
    (True, True, True)
    >>> hangs("man", "or house"), hangs("Haupt", "eingang")
    (False, False)
    """
    if _GERMAN.match(line) or _BEFORE_COMPOUND.match(line):
        return True
    return _ENGLISH.match(line) is not None and left.lower() in _PREFIXES


_GERMAN = re.compile(r"(?:und|oder|sowie|bzw|beziehungsweise)\b", re.IGNORECASE)
_ENGLISH = re.compile(r"(?:and|or|to|nor)\b", re.IGNORECASE)
_BEFORE_COMPOUND = re.compile(r"(?:and|or|to|nor) (?:\w+ )?\w+-\w", re.IGNORECASE)
_PREFIXES = frozenset(
    {
        "pre",
        "post",
        "sub",
        "super",
        "over",
        "under",
        "inter",
        "intra",
        "extra",
        "micro",
        "macro",
        "nano",
        "mono",
        "multi",
        "bi",
    }
    | {"tri", "semi", "non", "pro", "anti", "hypo", "hyper", "endo", "exo", "homo", "hetero", "upper", "lower"}
)
