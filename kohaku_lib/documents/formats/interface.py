"""The formats of documents, distinguished by the suffixes of file names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from kohaku_lib.registry import Registry

if TYPE_CHECKING:
    from pathlib import Path

    from kohaku_lib.settings import DocumentsSettings
    from kohaku_lib.tables import DocumentPayload


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """A file within another one; without data, `lacks` says why there are none."""

    name: str
    data: bytes | None = None
    lacks: str = "not in the message"


@dataclass(frozen=True, slots=True)
class Attachments:
    """The files within a file, and what the metadata of each says of that file."""

    facts: Mapping[str, str]
    files: tuple[AttachedFile, ...]


@dataclass(frozen=True, slots=True)
class FormatKind:
    """A format of documents: `parse` makes a payload of a file, with the document id that it is to have.

    `parse` raises DocumentError where it cannot; an empty document id asks a format with `own_id` to use that. Fields of
    DocumentsSettings are named without their section.
    """

    name: str
    mime_types: Mapping[str, str]  # by the suffix, in lower case with its dot
    parse: Callable[[Path, str, DocumentsSettings], DocumentPayload]
    settings_keys: tuple[str, ...] = ()  # that payloads depend on
    reads_by_ocr: bool = False  # then they depend on the settings of OCR too
    is_plain: bool = False  # time and memory in proportion to the file: small ones are parsed without a process
    modules: tuple[str, ...] = ()  # imported before the time limit of the first file begins
    own_id: Callable[[Path], str] | None = None  # the id that a file gives itself, "" where it gives none
    attachments: Callable[[Path], Attachments] | None = None  # the files within a file, documents of their own
    draw_pages: Callable[[Path, Sequence[int]], list[dict[str, Any]]] | None = None  # pages for the viewer, as JSON
    order: int = 100  # the first format with a suffix reads it


# Other packages add formats by entry points, which the processes that parse find as well.
FORMATS: Registry[FormatKind] = Registry(
    "document format", folder=f"{__package__}.kinds", entry_points="kohaku.formats"
)


def format_of(path: str | PurePath) -> FormatKind | None:
    """Return the first format with the suffix of `path`, whatever its case.

    Example:
        >>> format_of("Report.PDF").name, format_of("report.exe")
        ('pdf', None)

    """
    suffix = PurePath(path).suffix.lower()
    return next((kind for kind in FORMATS if suffix in kind.mime_types), None)


def mime_type_of(path: str | PurePath) -> str:
    """Return the MIME type of a file by its name; that of plain text where its format is unknown."""
    kind = format_of(path)
    return kind.mime_types[PurePath(path).suffix.lower()] if kind is not None else "text/plain"


def format_suffixes() -> tuple[str, ...]:
    """Return the suffixes of all formats."""
    return tuple(dict.fromkeys(suffix for kind in FORMATS for suffix in kind.mime_types))
