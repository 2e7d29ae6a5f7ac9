"""The lines of a page that no node holds: running headers and page numbers, or what a parser has lost."""

from __future__ import annotations

from collections.abc import Sequence

from kohaku_lib.documents.viewer_items import HEADING, ViewItem
from kohaku_lib.documents.viewer_pictures import PagePicture, TextLine

_SLACK_PT = 2.0
_LEAST_LETTERS = 8  # a shorter line may stand in a text by chance


def dropped_lines(picture: PagePicture, items: Sequence[ViewItem]) -> list[TextLine]:
    """Return the text lines of a page whose middle lies in no item's box and whose letters are in no item's text.

    Lines of fewer than eight letters are looked for in headings only.

    >>> lines = (TextLine("Kept.", (10, 10, 50, 20)), TextLine("page 7", (10, 700, 50, 710)))
    >>> from kohaku_lib.documents.viewer_items import Place
    >>> item = ViewItem(1, "text", "Kept.", (Place(1, (10, 10, 50, 20)),))
    >>> [line.text for line in dropped_lines(PagePicture(1, 600, 800, "", lines), [item])]
    ['page 7']
    """
    boxes = [place.box for item in items for place in item.places if place.page == picture.page]
    outside = [line for line in picture.lines if not any(_holds(box, line.box) for box in boxes)]
    if not outside:
        return []
    headings = "\n".join(_letters(item.text) for item in items if item.kind == HEADING)
    texts = "\n".join(_letters(item.text) for item in items)
    return [
        line
        for line in outside
        if (letters := _letters(line.text)) not in (texts if len(letters) >= _LEAST_LETTERS else headings)
    ]


def _holds(box: tuple[float, float, float, float], inner: tuple[float, float, float, float]) -> bool:
    x, y = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return box[0] - _SLACK_PT <= x <= box[2] + _SLACK_PT and box[1] - _SLACK_PT <= y <= box[3] + _SLACK_PT


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
