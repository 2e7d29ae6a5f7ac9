"""The printed lines of a document whose paragraphs are whole pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kohaku_lib.tables import DocumentPayload, ParagraphPayload, SectionPayload
from kohaku_lib.tree.page_boxes import page_of
from kohaku_lib.tree.page_starts import page_starts

Pages = list[list["PageLine"]]

_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\xad": "-", "‐": "-", "‑": "-"}
)
_STAMP = re.compile(r"^arXiv:\d{4}\.\d{4,5}(v\d+)?\s*\[")
_EDGE_LINES = 5  # running headers and footers are among the first or last lines of a page


@dataclass(frozen=True, slots=True)
class PageLine:
    """A printed line: its text without surrounding blanks, its page, and whether blanks set it off from the line before."""

    text: str
    page: int
    set_off: bool = False


def page_lines(payload: DocumentPayload) -> Pages:
    r"""Return the lines of every page of `payload`, without running headers, footers, page numbers and arXiv stamps.

    Ligatures are spelt out and runs of blanks become one. A line that occurs near the edge of at least three
    pages, digits aside, is taken for a running header or footer, unless nothing else would be left.

    >>> pages = [SectionPayload(f"Page {n}", (ParagraphPayload(f"Annual report\n{word}\nPage {n}"),), {"page": n})
    ...     for n, word in enumerate(("one", "two", "three"), start=1)]
    >>> [[line.text for line in page] for page in page_lines(DocumentPayload("d", "D", "", sections=tuple(pages)))]
    [['one'], ['two'], ['three']]
    """
    pages = [_lines_of_section(section) for section in payload.sections or ()]
    repeated = _running_lines(pages)
    shift = _page_number_shift(pages)
    body_pages = [_without_furniture(page, repeated, shift) for page in pages]
    return body_pages if any(body_pages) else pages


def is_text(paragraph: ParagraphPayload) -> bool:
    """Return whether `paragraph` is neither a table nor an image."""
    return not (paragraph.metadata.get("attachment_type") or paragraph.metadata.get("modality") not in (None, "text"))


def _lines_of_section(section: SectionPayload) -> list[PageLine]:
    lines: list[PageLine] = []
    for paragraph in filter(is_text, section.paragraphs):
        set_off = bool(lines)
        for text, page in _texts_by_page(paragraph, page_of(section.metadata) or 1):
            for raw in text.translate(_LIGATURES).split("\n"):
                line = " ".join(raw.split())
                if line:
                    lines.append(PageLine(line, page, set_off or raw.startswith("  ")))
                set_off = bool(lines) and not line
    return lines


def _texts_by_page(paragraph: ParagraphPayload, default: int) -> Iterator[tuple[str, int]]:
    """Yield the parts of a paragraph that stand on one page each, with the page; a line ends where its page does."""
    starts = ((0, page_of(paragraph.metadata) or default), *page_starts(paragraph.metadata, ()))
    ends = (*(start for start, _ in starts[1:]), len(paragraph.text))
    for (start, page), end in zip(starts, ends, strict=True):
        yield paragraph.text[start:end].removesuffix("\n"), page


def _running_lines(pages: Pages) -> set[str]:
    counts = Counter(shape for page in pages for shape in {_line_shape(line) for line in _edge_lines(page)})
    return {shape for shape, count in counts.items() if count >= 3 and re.search(r"[^\W\d#]{2}", shape)}


def _edge_lines(page: Sequence[PageLine]) -> Sequence[PageLine]:
    return page if len(page) <= 2 * _EDGE_LINES else [*page[:_EDGE_LINES], *page[-_EDGE_LINES:]]


def _line_shape(line: PageLine) -> str:
    return re.sub(r"\d+", "#", line.text.lower())


def _page_number_shift(pages: Pages) -> int | None:
    """Return printed page number less page, where at least three pages (or all but one) agree on it."""
    shifts = Counter(
        shift
        for page in pages
        for shift in {int(line.text) - line.page for line in _edge_lines(page) if re.fullmatch(r"\d{1,4}", line.text)}
    )
    if not shifts:
        return None
    shift, count = shifts.most_common(1)[0]
    return shift if count >= min(3, max(2, len(pages) - 1)) else None


def _without_furniture(page: list[PageLine], repeated: set[str], shift: int | None) -> list[PageLine]:
    edges = {id(line) for line in _edge_lines(page)}

    def is_furniture(line: PageLine) -> bool:
        if _STAMP.match(line.text):
            return True
        if id(line) not in edges:
            return False
        is_number = shift is not None and line.text == str(line.page + shift)
        return is_number or _line_shape(line) in repeated

    return [line for line in page if not is_furniture(line)]
