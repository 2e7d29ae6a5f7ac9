"""The layout blocks of a document in reading order."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal

from kohaku_lib.documents.formats.pdf.text.page_text import Box

CAPTION = re.compile(
    r"(?:Fig(?:ure|\.)?|FIG(?:URE|\.)?|Abb(?:ildung|\.)|Tab(?:le|elle|\.)|TABLE|Chart|Exhibit|Scheme|Listing|Algorithm|Plate)"
    r"\s+(?:[A-Z]?\d{1,3}(?:[.\-–]\d{1,3})?[a-z]?|[IVX]{1,5})\s*(?:[.:|–—-]|\s(?=[A-Z(\[])|\Z)"
)
FIGURE_CAPTION = re.compile(r"(?:Fig|FIG|Abb|Chart|Scheme|Plate|Exhibit)")
DIVISION = re.compile(
    r"(Part|Chapter|Appendix|Kapitel|Teil|Item|Article|Note|Section|Schedule)\s+(?:\d|[A-Z]\b|[IVX]+\b)", re.I
)
TABLE_CAPTION = re.compile(r"(?:Tab|TAB)")


@dataclass(frozen=True, slots=True)
class Place:
    """The position of a line of a block: the offset of its first character in the block's text, its page and box."""

    offset: int
    page: int
    box: Box


@dataclass(slots=True)
class Block:
    """A paragraph, heading, table or image; `region` is the document-wide number of its column.

    `places` contains the lines of a paragraph or heading in order; it is empty for tables and images.
    """

    kind: Literal["text", "heading", "table", "image"]
    text: str
    page: int
    box: Box
    size: float = 0.0
    bold: bool = False
    lines: int = 1
    region: int = 0
    level: int = 0
    metadata: dict[str, Any] = field(default_factory=dict)
    places: list[Place] = field(default_factory=list)
    italic: bool = False
    raised: bool = False  # begins with a superscript

    @property
    def is_caption(self) -> bool:
        """Return whether the text begins like a caption: "Figure 3: ...", "Table II. ..."."""
        return self.kind == "text" and CAPTION.match(self.text) is not None
