"""Read the comments on slides, those with answers too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kohaku_lib.documents.formats.shared.xml_tree import xml_root
from kohaku_lib.errors import DocumentError

_AUTHORS = ("commentAuthors", "authors")  # by older and by newer programs


def slide_comments(slide: Any, number: int) -> list[str]:
    """Return the comments on a slide of python-pptx, each with the number of the slide and its author, if it has one.

    Damaged ones are passed over.
    """
    roots = list(_related(slide.part, ("comments",)))
    if not roots:
        return []
    presentation = slide.part.package.presentation_part
    authors = {
        one.get("id"): one.get("name") or ""
        for root in _related(presentation, _AUTHORS)
        for one in root.iter("{*}cmAuthor", "{*}author")
    }
    found = (
        (authors.get(one.get("authorId"), ""), _text(one)) for root in roots for one in root.iter("{*}cm", "{*}reply")
    )
    return [f"Slide {number}{f', {author}' if author else ''}: {text}" for author, text in found if text]


def _related(part: Any, kinds: tuple[str, ...]) -> Iterator[Any]:
    for relation in part.rels.values():
        if not relation.is_external and relation.reltype.rpartition("/")[2] in kinds:
            try:
                yield xml_root(relation.target_part.blob, relation.target_ref)
            except DocumentError:
                continue


def _text(comment: Any) -> str:
    """Return the text of a comment itself, without that of its answers."""
    lines = [*comment.iterchildren("{*}text"), *comment.iterfind("{*}txBody/{*}p")]
    return " ".join(" ".join("".join(line.itertext()) for line in lines).split())
