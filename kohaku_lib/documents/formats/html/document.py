"""Parse HTML pages into payloads."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from kohaku_lib.documents.file_content import bytes_of
from kohaku_lib.documents.formats.html.blocks import KIND, read_blocks
from kohaku_lib.documents.formats.html.struck_text import take_struck_text
from kohaku_lib.documents.formats.html.text import inline_text
from kohaku_lib.documents.formats.shared.decoding import decode_text
from kohaku_lib.documents.formats.shared.stated_charset import codec_of
from kohaku_lib.documents.outline import Outline
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload

_CHARSET = re.compile(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.IGNORECASE)
_DEEPEST = 256
_EXPONENT = re.compile(r"\s*[-−–+]?\d{1,3}\s*")
_REFERENCES = frozenset(("noteref", "doc-noteref"))  # of EPUB and of ARIA, as those of notes
_NOTES = {"footnote": "footnote", "doc-footnote": "footnote", "endnote": "endnote", "doc-endnote": "endnote"}
_STYLING = re.compile(r"</?(?:font|span|b|i|u|em|strong|big|small|center|tt|a)\b[^<>]*>", re.IGNORECASE)
_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")
_NAMES = {
    "author": ("author", "dc.creator", "citation_author", "article:author"),
    "date": ("date", "dc.date", "dcterms.date", "citation_publication_date", "article:published_time"),
    "description": ("description", "og:description"),
}


def parse_html(data: bytes, document_id: str, title: str) -> DocumentPayload:
    r"""Parse a page into sections by heading, with paragraphs, lists, tables and figures.

    The encoding is given by the byte-order mark or the page's `meta` element, else detected. The title is that of the
    page, else its only first-level heading, else `title`; author, date and language are metadata if stated.

    >>> payload = parse_html(b"<title>Bees</title><h1>Hives</h1><p>A hive<br>hums.<script>x()</script>", "a", "A")
    >>> payload.title, payload.sections[0].title, payload.sections[0].paragraphs[0].text
    ('Bees', 'Hives', 'A hive\nhums.')

    Raises:
        DocumentError: The page contains no text apart from scripts and hidden elements.

    """
    root = html_root(decode_page(data))
    outline = outline_of(root)
    name = _title_of(root) or outline.only_first_level_heading() or title
    payload = outline.payload(document_id, name, _metadata_of(root))
    if not payload.text.strip():
        msg = (
            f"the page {title!r} contains no text: it is empty or written by a script in the browser; save it as shown"
        )
        raise DocumentError(msg)
    return payload


def parse_html_file(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse an HTML file.

    Raises:
        DocumentError: The file cannot be read or contains no text.

    """
    return parse_html(bytes_of(path), document_id, path.stem)


def html_root(text: str) -> Any:
    """Return the root element of the page `text`, an empty one for an empty page.

    The parser stops at 256 nested elements and would lose the rest, so a deeper page is parsed again without inline
    styling tags, whose missing end tags are the usual cause.

    >>> html_root("<p>Bees" + "<font>" * 300 + "<p>hum")[0].text_content()
    'Beeshum'

    Raises:
        DocumentError: The page is still nested too deeply.

    """
    root, is_whole = _parse_page(text)
    if not is_whole:
        root, is_whole = _parse_page(_STYLING.sub("", text), huge_tree=True)
    if is_whole and not _is_deeper(root, _DEEPEST):
        return root
    msg = f"the page nests more than {_DEEPEST} elements within each other; open it in a browser and save its text"
    raise DocumentError(msg)


def outline_of(*roots: Any) -> Outline:
    """Return the visible content below `roots`; navigation and footers only if there is nothing else, struck-out text never."""
    struck: list[str] = []
    for root in roots:
        struck += take_struck_text(root)
        _mark_exponents(root)
        _mark_notes(root)
    outline = _read_all(roots)
    outline = _read_all(roots, keep_boilerplate=True) if outline.is_empty else outline
    outline.strike(struck)
    return outline


def _read_all(roots: Iterable[Any], *, keep_boilerplate: bool = False) -> Outline:
    outline = Outline()
    for root in roots:
        read_blocks(root, outline, keep_boilerplate=keep_boilerplate)
    return outline


def decode_page(data: bytes) -> str:
    """Return the text of a page by its byte-order mark or its `meta` element, else in the likeliest encoding.

    >>> decode_page(b'<meta charset="koi8-r">' + "Дом".encode("koi8-r"))
    '<meta charset="koi8-r">Дом'
    """
    declared = _CHARSET.search(data[:4096])
    if declared and not data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        name = codec_of(declared[1].decode("ascii", "replace"))
        try:
            return data.decode("utf-8" if name.startswith("utf-16") else name)  # as its `meta` can be read
        except (LookupError, UnicodeError):
            pass
    return decode_text(data).text


def _mark_exponents(root: Any) -> None:
    """Write superscript exponents of numbers as 10^6, so that they do not merge with the base."""
    for raised in root.iter("sup"):
        before = raised.getprevious()
        text = raised.getparent().text if before is None else before.tail or "".join(before.itertext())
        if (text or "")[-1:].isdigit() and _EXPONENT.fullmatch("".join(raised.itertext())):
            raised.text = f"^{(raised.text or '').lstrip()}"


def _mark_notes(root: Any) -> None:
    """Write references to notes as [1], so that they do not merge with the word before, and name the notes themselves."""
    for element in root.iter("a", "aside", "li", "div", "p", "section"):
        names = f"{element.get('epub:type') or ''} {element.get('role') or ''}".split()
        if element.tag == "a" and not _REFERENCES.isdisjoint(names):
            text = "".join(element.itertext()).strip()
            if text.isalnum():
                element[:] = []
                element.text = f"[{text}]"
        elif element.tag != "a" and not _NOTES.keys().isdisjoint(names):
            element.set(KIND, next(_NOTES[name] for name in names if name in _NOTES))


def _parse_page(text: str, *, huge_tree: bool = False) -> tuple[Any, bool]:
    """Return the root element, and whether the parser reached the end of the page."""
    from lxml import etree, html  # pyright: ignore[reportAttributeAccessIssue]

    parser = html.HTMLParser(remove_comments=True, remove_pis=True, no_network=True, huge_tree=huge_tree)
    try:
        root = html.document_fromstring(_DECLARATION.sub("", text, count=1), parser=parser)
    except etree.ParserError:  # only comments, or empty
        return html.Element("html"), True
    return root, not any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log)


def _is_deeper(root: Any, most: int) -> bool:
    level = [root]
    for _ in range(most):
        level = [child for element in level for child in element]
    return bool(level)


def _title_of(root: Any) -> str:
    title = root.find(".//title")
    return " ".join(inline_text(title).split()) if title is not None else ""


def _metadata_of(root: Any) -> dict[str, str]:
    stated = {}
    for meta in root.iter("meta"):
        key = (meta.get("name") or meta.get("property") or "").lower()
        stated.setdefault(key, " ".join((meta.get("content") or "").split()))
    metadata = {name: next((stated[key] for key in keys if stated.get(key)), "") for name, keys in _NAMES.items()}
    language = re.match(r"[a-zA-Z]{2,3}(?=$|[-_])", root.get("lang") or "")
    metadata["language"] = language[0].lower() if language else ""
    return {name: value for name, value in metadata.items() if value}
