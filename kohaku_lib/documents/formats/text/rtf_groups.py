"""Find the groups of RTF: what stands between two braces that belong together."""

from __future__ import annotations

import re
from collections.abc import Iterator

_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)


def groups_of(text: str, begin: re.Pattern[str]) -> Iterator[tuple[re.Match[str], int]]:
    r"""Yield each group that begins as the pattern says, and where its closing brace stands; none within another.

    >>> [(found[0], end) for found, end in groups_of(r"{\b a{\b b}} {\b c}", re.compile(r"\{\\b "))]
    [('{\\b ', 11), ('{\\b ', 18)]
    """
    done = 0
    for found in begin.finditer(text):
        if found.start() < done:
            continue
        done = end_of_group(text, found.end())
        if done < 0:
            return
        yield found, done


def end_of_group(text: str, start: int) -> int:
    """Return where the group ends that is open at `start`, -1 if it does not."""
    depth = 1
    for brace in _BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return brace.start()
    return -1
