"""Find a file by its path, which may lead into another file: "offer.eml/plan.pdf" is attached to "offer.eml"."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath

from kohaku_lib.documents.formats.interface import AttachedFile, format_of
from kohaku_lib.documents.identifiers import file_stem
from kohaku_lib.errors import DocumentError

_LONGEST_STEM = 60  # of names on disk


@contextmanager
def file_at(path: Path) -> Iterator[Path]:
    """Yield the file at `path`, which is a temporary one where it is within another file.

    Raises:
        DocumentError: The file that it is within cannot be read, or holds no such file any more.

    """
    holder = holder_of(path)
    names = path.relative_to(holder).parts
    if not names:
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        file = holder
        for name in names:
            kind = format_of(file)
            within = named_files(kind.attachments(file).files) if kind is not None and kind.attachments else {}
            if name not in within or within[name].data is None:
                msg = f"{name!r} is not within {file.name!r} any more; run again"
                raise DocumentError(msg)
            file = Path(folder) / name
            file.write_bytes(within[name].data or b"")
        yield file


def holder_of(path: Path) -> Path:
    """Return the file on disk that `path` leads to or into; `path` itself where there is none.

    >>> holder_of(Path("missing.eml/plan.pdf")).as_posix()
    'missing.eml/plan.pdf'
    """
    return next((place for place in (path, *path.parents) if place.is_file()), path)


def named_files(files: Sequence[AttachedFile]) -> dict[str, AttachedFile]:
    """Return the files within a file by names that are distinct and that any system allows.

    >>> list(named_files([AttachedFile("a/b.pdf"), AttachedFile("x.txt"), AttachedFile("x.txt")]))
    ['a%2Fb.pdf', 'x.txt', 'x-2.txt']
    """
    named: dict[str, AttachedFile] = {}
    for file in files:
        name = PurePath(file_stem(file.name) or "file")
        stem, number = name.stem[:_LONGEST_STEM], 1
        while (wanted := f"{stem}{f'-{number}' if number > 1 else ''}{name.suffix}") in named:
            number += 1
        named[wanted] = file
    return named
