"""Join the lines of text that a mail program broke (RFC 3676, `format=flowed`)."""

from __future__ import annotations

import re

_QUOTE_MARKS = re.compile(r">*")


def unwrap_flowed(text: str, *, joins: bool = False) -> str:
    r"""Return flowed text with its paragraphs in one line each; `joins` drops the blank at each break (`delsp=yes`).

    Lines of other depths of quotation are never joined, nor is the mark of a signature.

    >>> unwrap_flowed("It comes \non Monday.\n> When \n> is it?\n-- \nKari\n")
    'It comes on Monday.\n> When is it?\n-- \nKari'
    """
    lines: list[str] = []
    before = None  # the depth of the line that goes on
    for line in text.splitlines():
        depth = len(marks[0]) if (marks := _QUOTE_MARKS.match(line)) else 0
        words = line[depth:].removeprefix(" ")
        if before == depth and words != "-- ":
            lines[-1] += words
        else:
            lines.append(f"{'>' * depth} {words}" if depth else words)
        goes_on = words.endswith(" ") and words != "-- "
        before = depth if goes_on else None
        if goes_on and joins:
            lines[-1] = lines[-1][:-1]
    return "\n".join(lines)
