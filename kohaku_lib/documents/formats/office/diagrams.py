"""Read the diagrams (SmartArt) of Word, Excel and PowerPoint files as lists."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from kohaku_lib.tables import ParagraphPayload


def read_diagram(root: Any) -> Diagram:
    r"""Return the texts of a diagram, by the part with its data, in their order and with their levels from 0.

    The text of a connecting line follows the shape from which it leads; shapes that hang on nothing come last.

    >>> from lxml import etree
    >>> point = '<pt modelId="%s" type="%s"><t><p><t>%s</t></p></t></pt>'
    >>> points = point % (0, "doc", "") + point % (1, "node", "Board") + point % (2, "node", "Sales")
    >>> line = '<cxn srcId="%s" destId="%s"/>'
    >>> read_diagram(etree.fromstring(f'<m xmlns="d">{points}{line % (1, 2)}{line % (0, 1)}</m>')).text
    '- Board\n  - Sales'
    """
    points = {one.get("modelId"): one for one in root.iter("{*}pt")}
    below = defaultdict[str, list[Any]](list)
    for line in root.iter("{*}cxn"):
        if line.get("type", "parOf") == "parOf":
            below[line.get("srcId")].append(line)
    tops = [name for name, one in points.items() if one.get("type") == "doc"]
    loose = [name for name, one in points.items() if one.get("type", "node") in {"node", "asst"}]
    items: list[tuple[int, str]] = []
    seen = set[str]()
    left = [(0 if name in loose else -1, name) for name in reversed([*tops, *loose])]
    while left:
        level, name = left.pop()
        if name in seen or name not in points:
            continue
        seen.add(name)
        items.append((level, _text(points[name])))
        for line in sorted(below[name], key=_place, reverse=True):
            ends = (line.get("parTransId"), line.get("destId"), line.get("sibTransId"))
            left += [(level + 1, end) for end in reversed(ends) if end]
    return Diagram([(max(level, 0), text) for level, text in items if text])


@dataclass(frozen=True, slots=True)
class Diagram:
    """The texts of a diagram with their levels."""

    items: list[tuple[int, str]]

    @property
    def text(self) -> str:
        """The texts as a list, indented by level; one alone is no list."""
        if len(self.items) == 1:
            return self.items[0][1]
        return "\n".join(f"{'  ' * level}- {text}" for level, text in self.items)

    def paragraph(self, metadata: dict[str, Any]) -> ParagraphPayload | None:
        """Return the list as a paragraph, None where it says nothing."""
        return ParagraphPayload(self.text, None, dict(metadata)) if self.items else None


def _text(point: Any) -> str:
    lines = (
        "".join((part.text or "") if part.tag.endswith("}t") else " " for part in line.iter("{*}t", "{*}br"))
        for line in point.iterfind("{*}t/{*}p")
    )
    return " ".join(" ".join(lines).split())


def _place(line: Any) -> int:
    order = line.get("srcOrd") or ""
    return int(order) if order.isdecimal() and len(order) < 10 else 0
