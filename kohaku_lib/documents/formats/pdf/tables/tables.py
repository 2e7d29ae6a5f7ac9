"""The table model, and predicates for numeric cells."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from kohaku_lib.documents.formats.pdf.text.page_text import Box

_NUMBER = re.compile(
    r"(?:[~≈<>≤≥±+\-−–—\ufffd(]|US\$|[$€£¥\s])*\d[\d,.]*(?: \d{3})*(?:\s*(?:[%)xX×*†‡]|[a-z]{1,3}\b|\^\d+|\s*±\s*[\d.]+))*\Z"
    r"|(?:[$€£¥]\s*)?[—–−-]{1,2}\s*%?\)?\Z|(?:N/?A|n/?a|N\.M\.|nm|NM|✓|✗|×|Yes|No)\Z"
)
_YEAR = re.compile(r"(?:FY)?\s*(?:19|20)\d\d[*A-Z]?\Z")
STRAY_SIGN = re.compile(r"(.*\S)\s+((?:US)?[$€£¥])\Z")
_LONGEST_NUMBER = 24


@dataclass(frozen=True, slots=True)
class PageTable:
    """The cells of a table by row, with rows of equal length, and its box.

    The first row is the header, with empty cells if the table has none. `row_boxes` has one box per row, or is empty if
    they are unknown. `edges` are the x of the rules between its columns, empty if none are drawn.
    """

    rows: tuple[tuple[str, ...], ...]
    box: Box
    row_boxes: tuple[Box, ...] = ()
    title: str = ""  # from its own first row
    edges: tuple[float, ...] = ()
    has_bold_head: bool = False  # in bold above rows that are not

    @property
    def mirrored(self) -> PageTable:
        """Return the table that was read in a mirror where it stands, its columns in the order of reading."""
        edges = tuple(-x for x in reversed(self.edges))
        return replace(
            self, box=self.box.mirrored, row_boxes=tuple(row.mirrored for row in self.row_boxes), edges=edges
        )


def is_number(text: str) -> bool:
    """Return whether a cell contains a single number or a placeholder for one.

    >>> [is_number(cell) for cell in ("$ 1,690", "(3.2)%", "—", "2022", "N/A", "12 31", "Total")]
    [True, True, True, True, True, False, False]
    """
    text = without_sign(text)
    return len(text) <= _LONGEST_NUMBER and _NUMBER.match(text) is not None


def is_amount(text: str) -> bool:
    """Return whether a cell contains a number other than a year.

    >>> is_amount("2022"), is_amount("2,022")
    (False, True)
    """
    return is_number(text) and _YEAR.match(text) is None


def without_sign(text: str) -> str:
    """Return a cell without a trailing currency sign, which belongs to the next cell.

    >>> without_sign("1,690 $")
    '1,690'
    """
    match = STRAY_SIGN.match(text)
    return match[1] if match else text
