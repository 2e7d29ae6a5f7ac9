"""List the files within a file, and those within these, with the reason where one is no document."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from kohaku_lib.documents.attachments.file_within import MOST_FILES, named_files
from kohaku_lib.documents.formats.interface import AttachedFile, FormatKind, format_of
from kohaku_lib.errors import DocumentError

_MOST_MB = 50  # most servers take no larger messages
_DEEPEST = 8  # files within files
_RULE = f"{MOST_FILES} within one file are the most; split it"


def attached_files(path: Path) -> tuple[AttachedDocument, ...]:
    r"""Return the files within the file at `path`, in their order; those within them hang on them, up to eight deep.

    Beyond the first thousand, at whatever depth, one says how many more there are (`not_listed`).

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "offer.eml"
    ...     _ = file.write_text("Subject: Offer\nContent-Disposition: attachment; filename=a.bin\n\n1")
    ...     [(one.name, one.fault, dict(one.facts)) for one in attached_files(file)]
    [('a.bin', 'not a document format', {'parent_title': 'Offer'})]

    Raises:
        DocumentError: The file is damaged.

    """
    return tuple(_Listing().files_at(path, depth=1))


def not_listed(fault: str) -> AttachedDocument:
    """Return what stands for files within a file that are not listed, and why; no file has its name.

    >>> not_listed("it takes too long").name
    '*'
    """
    return AttachedDocument("*", {}, None, None, fault)


@dataclass(frozen=True, slots=True)
class AttachedDocument:
    """A file within another one: its name there, what its metadata says of that one, and why it is no document, if so."""

    name: str
    facts: Mapping[str, str]
    sha256: str | None
    size_bytes: int | None
    fault: str | None
    attached: tuple[AttachedDocument, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the JSON value of which `from_json` makes this."""
        names = ("name", "sha256", "size_bytes", "fault")
        own = {name: getattr(self, name) for name in names}
        return own | {"facts": dict(self.facts), "attached": [one.to_json() for one in self.attached]}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> AttachedDocument:
        """Return what `to_json` wrote."""
        within = tuple(map(cls.from_json, value["attached"]))
        return cls(value["name"], value["facts"], value["sha256"], value["size_bytes"], value["fault"], within)


class _Listing:
    """The files within one file, as many as are read in all: those beside each other go before those within them."""

    def __init__(self) -> None:
        self._left = MOST_FILES

    def files_at(self, path: Path, depth: int) -> Iterator[AttachedDocument]:
        kind = format_of(path)
        if kind is None or kind.attachments is None:
            return
        if not self._left:
            yield not_listed(f"what is attached to {path.name!r} is not read, as {_RULE}")
            return
        found = kind.attachments(path)
        listed = dict(islice(named_files(found.files).items(), self._left))
        self._left -= len(listed)
        for name, file in listed.items():
            yield self._document(name, file, found.facts, depth)
        if more := len(found.files) - len(listed):
            yield not_listed(f"{more} more attachments are not read, as {_RULE}")

    def _document(self, name: str, file: AttachedFile, facts: Mapping[str, str], depth: int) -> AttachedDocument:
        if file.data is None:
            return AttachedDocument(name, facts, None, None, file.lacks)
        kind, size = format_of(name), len(file.data)
        fault = _fault_of(kind, size, depth)
        within = () if fault or kind is None else self._within(name, file.data, kind, depth)
        return AttachedDocument(name, facts, sha256(file.data).hexdigest(), size, fault, within)

    def _within(self, name: str, data: bytes, kind: FormatKind, depth: int) -> tuple[AttachedDocument, ...]:
        """Return the files within an attached file; none of a damaged one, which its own document tells.

        No other fault of one takes the list of the others along, but those of the system, which may pass.
        """
        if kind.attachments is None:
            return ()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_bytes(data)
            try:
                return tuple(self.files_at(path, depth + 1))
            except DocumentError:
                return ()
            except (OSError, MemoryError):
                raise
            except Exception as fault:
                reason = " ".join(f"{type(fault).__name__}: {fault}".split())[:300]
                return (not_listed(f"what is attached to {name!r} cannot be listed ({reason}); save it again"),)


def _fault_of(kind: FormatKind | None, size: int, depth: int) -> str | None:
    if kind is None:
        return "not a document format"
    if size > _MOST_MB * 1_000_000:
        return f"over {_MOST_MB} MB, which is the most that is read of an attachment"
    return f"nested more than {_DEEPEST} deep" if depth > _DEEPEST else None
