"""Place the captions and the running texts of office documents that have become HTML."""

from __future__ import annotations

from typing import Any

from kohaku_lib.documents.formats.html.blocks import KIND
from kohaku_lib.documents.formats.html.text import tag_of


def insert_running_texts(root: Any, texts: list[tuple[str, str]]) -> None:
    """Insert paragraphs before the text of a page, each with its kind, such as "header", and its text."""
    from lxml import html  # pyright: ignore[reportAttributeAccessIssue]

    body = root.find("body")
    for kind, text in reversed(texts if body is not None else []):
        block = html.Element("p", {KIND: kind})
        block.text, *lines = text.split("\n")
        for line in lines:
            html.etree.SubElement(block, "br").tail = line
        body.insert(0, block)


def join_captions(root: Any) -> None:
    """Move a paragraph styled as caption into the table next to it."""
    for paragraph in list(root.iter("p")):
        if paragraph.get("class") != "caption":
            continue
        for beside in (paragraph.getnext(), paragraph.getprevious()):
            if beside is not None and tag_of(beside) == "table" and beside.find("caption") is None:
                paragraph.tag = "caption"
                beside.insert(0, paragraph)
                break
