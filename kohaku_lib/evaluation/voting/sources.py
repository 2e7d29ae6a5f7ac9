"""The addresses and materials of what runs cite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kohaku_lib.values import BLANK, is_blank, literal_list, parse_refs


class SourceCatalogue:
    """URLs and materials by reference, collected from `rows` whose lists have equal lengths; the first one wins.

    >>> sources = SourceCatalogue([{"ref_id": "['a']", "ref_url": "['https://example.org/a']", "supporting_materials": "A 2025"}])
    >>> sources.urls(("A", "b")), sources.materials(("a", "b"), {})
    (['https://example.org/a'], 'A 2025')
    """

    def __init__(self, rows: Iterable[Mapping[str, str]]) -> None:
        self._url_by_ref: dict[str, str] = {}
        self._material_by_ref: dict[str, str] = {}
        for row in rows:
            refs = parse_refs(row.get("ref_id"))
            _store_first(self._url_by_ref, refs, _parse_urls(row.get("ref_url") or ""))
            material = row.get("supporting_materials") or ""
            _store_first(self._material_by_ref, refs, [material] if len(refs) == 1 else material.split(" | "))

    def urls(self, refs: Sequence[str]) -> list[str]:
        """Return the known URLs of `refs`, in order."""
        return [url for ref in refs if (url := _text_of(ref, self._url_by_ref))]

    def materials(self, refs: Sequence[str], base: Mapping[str, str]) -> str:
        """Return the base row's material if it cites the same references in this order, else the known materials."""
        base_material = base.get("supporting_materials") or ""
        same = [ref.lower() for ref in parse_refs(base.get("ref_id"))] == [ref.lower() for ref in refs]
        if same and not is_blank(base_material):
            return base_material
        materials = [text for ref in refs if (text := _text_of(ref, self._material_by_ref))]
        return " | ".join(dict.fromkeys(materials)) or BLANK


def _store_first(text_by_ref: dict[str, str], refs: Sequence[str], texts: Sequence[str]) -> None:
    if len(refs) != len(texts):
        return
    for ref, text in zip(refs, texts, strict=True):
        if not is_blank(text):
            text_by_ref.setdefault(ref, text.strip())
            text_by_ref.setdefault(ref.lower(), text.strip())  # for a run that writes it in another case


def _text_of(ref: str, text_by_ref: Mapping[str, str]) -> str | None:
    return text_by_ref.get(ref) or text_by_ref.get(ref.lower())


def _parse_urls(cell: str) -> list[str]:
    items = literal_list(cell)
    urls = cell.strip().strip("[]").split(",") if items is None else items
    return [str(url).strip().strip("'\"") for url in urls]
