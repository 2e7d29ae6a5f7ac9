"""What the runs say about a reference: its URL and the material that supports the answer."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence

from kohaku_lib.values import BLANK, is_blank, parse_refs


class SourceBook:
    """URLs and materials by reference, gathered from `rows` whose lists have equal lengths; the first one stays.

    >>> book = SourceBook([{"ref_id": "['a']", "ref_url": "['https://example.org/a']", "supporting_materials": "A 2025"}])
    >>> book.urls(("A", "b")), book.materials(("a", "b"), {})
    (['https://example.org/a'], 'A 2025')
    """

    def __init__(self, rows: Iterable[Mapping[str, str]]) -> None:
        self._url_by_ref: dict[str, str] = {}
        self._material_by_ref: dict[str, str] = {}
        for row in rows:
            refs = parse_refs(row.get("ref_id"))
            _learn(self._url_by_ref, refs, _urls(row.get("ref_url") or ""))
            material = row.get("supporting_materials") or ""
            _learn(self._material_by_ref, refs, [material] if len(refs) == 1 else material.split(" | "))

    def urls(self, refs: Sequence[str]) -> list[str]:
        """Return the known URLs of `refs`, in order."""
        return [url for ref in refs if (url := self._url_by_ref.get(ref.lower()))]

    def materials(self, refs: Sequence[str], base: Mapping[str, str]) -> str:
        """Return the base row's own material where it cites the same references in this order, else what is known of each."""
        own = base.get("supporting_materials") or ""
        same = [ref.lower() for ref in parse_refs(base.get("ref_id"))] == [ref.lower() for ref in refs]
        if same and not is_blank(own):
            return own
        known = [text for ref in refs if (text := self._material_by_ref.get(ref.lower()))]
        return " | ".join(dict.fromkeys(known)) or BLANK


def _learn(text_by_ref: dict[str, str], refs: Sequence[str], texts: Sequence[str]) -> None:
    if len(refs) != len(texts):
        return
    for ref, text in zip(refs, texts, strict=True):
        if not is_blank(text):
            text_by_ref.setdefault(ref.lower(), text.strip())


def _urls(cell: str) -> list[str]:
    try:
        value = ast.literal_eval(cell.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        value = cell.strip()
    urls = value if isinstance(value, list) else str(value).strip("[]").split(",")
    return [str(url).strip().strip("'\"") for url in urls]
