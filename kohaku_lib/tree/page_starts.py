"""Where the later pages of a paragraph begin within its text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kohaku_lib.tree.page_boxes import page_of

PAGE_STARTS = "page_starts"
PageStart = tuple[int, int]  # offset in the text, and the page that begins there


def page_starts(
    metadata: Mapping[str, Any], sentences: Iterable[tuple[int, Mapping[str, Any]]], shift: int = 0
) -> tuple[PageStart, ...]:
    """Return the offset and number of every later page of a paragraph, in order; () for one page or none.

    `metadata["page_starts"]` is [offset, page] of each, as parsers of PDF write it, and `shift` the number of characters
    since removed from the start. Where it is missing or has another form, a page begins with the first of the
    `sentences`, (offset, metadata) each, that stands on it.

    >>> page_starts({"page": 2, "page_starts": [[134, 3]]}, [])
    ((134, 3),)
    >>> page_starts({"page": 2}, [(0, {"page": 2}), (40, {"page": 2}), (80, {"page": 3}), (95, {"page": 3})])
    ((80, 3),)
    """
    stated = metadata.get(PAGE_STARTS)
    places = [_stated_start(item, shift) for item in stated] if isinstance(stated, list) else [None]
    if not all(places):
        places = [(offset, page) for offset, own in sentences if (page := page_of(own))]
    return page_turns(filter(None, places), page_of(metadata))


def page_turns(places: Iterable[PageStart], first: int | None) -> tuple[PageStart, ...]:
    """Return those of `places` at which the page changes, in order; `first` is the page before them.

    >>> page_turns([(0, 2), (9, 2), (20, 3), (30, 3)], first=2)
    ((20, 3),)
    """
    turns: list[PageStart] = []
    page = first
    for offset, own in sorted(places):
        if own != page and offset > 0:
            turns.append((offset, own))
        page = own
    return tuple(turns)


def cut_page_starts(starts: Sequence[PageStart], start: int, end: int) -> tuple[PageStart, ...]:
    """Return the later pages of the part from `start` to `end` of a text.

    >>> cut_page_starts([(10, 2), (50, 3), (90, 4)], 10, 60)
    ((40, 3),)
    """
    return tuple((offset - start, page) for offset, page in starts if start < offset < end)


def _stated_start(item: object, shift: int) -> PageStart | None:
    if not isinstance(item, list) or len(item) != 2 or type(item[0]) is not int:
        return None
    page = page_of({"page": item[1]})
    return (item[0] - shift, page) if page else None
