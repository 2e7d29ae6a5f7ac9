"""Files that come over HTTP: their names, and how they get into the documents folder whole or not at all."""

from __future__ import annotations

import shutil
import unicodedata
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING

from kohaku_assets.server.problems import Problem
from kohaku_lib.digests import file_sha256
from kohaku_lib.documents.formats.interface import format_of, format_suffixes
from kohaku_lib.settings import CorpusSettings
from kohaku_lib.storage import write_atomically

if TYPE_CHECKING:
    from fastapi import UploadFile

    from kohaku_lib.documents.corpus.removals import Removals

MOST_NAME_BYTES = 200


def store_upload(removals: Removals, corpus: CorpusSettings, by: str, file: UploadFile, most_bytes: int) -> Path:
    """Store a file of `by` in the documents folder under its name, and return its path; the next refresh parses it.

    With corpus.org_folders it goes to the folder of corpus.org_id. A file of this name with the same bytes stays as it is,
    and is read again if it was left out.

    Raises:
        Problem: The name or its format is refused, the file is too large, or another file has the name.
    """
    assert corpus.documents is not None, "there is a folder where there are removals"
    folder = corpus.documents / corpus.org_id if corpus.org_folders else corpus.documents
    path, content = folder / safe_name(file.filename or ""), file.file
    name = path.relative_to(corpus.documents).as_posix()
    if content.seek(0, 2) > most_bytes:
        raise Problem(413, f"{path.name!r} has more than {most_bytes / 1e6:g} MB; raise server.max_upload_mb")
    content.seek(0)

    def write(temporary: Path) -> None:
        with temporary.open("wb") as target:
            shutil.copyfileobj(content, target)

    try:
        write_atomically(path, write, exclusive=True)
    except FileExistsError:
        if _has_bytes(path, content):
            if name in removals.left_out():
                removals.include(name)
            return path
        problem = f"there is a file {path.name!r} already; delete it first, or choose another name"
        raise Problem(409, problem) from None
    removals.record_upload(name, by)
    return path


def safe_name(name: str) -> str:
    r"""Return the last part of a file's name; raises Problem for one that no file may have or of an unknown format.

    >>> safe_name("C:\\reports\\Energy 2023.pdf"), safe_name("../../etc/notes.md")
    ('Energy 2023.pdf', 'notes.md')
    """
    last = unicodedata.normalize("NFC", PurePosixPath(name.replace("\\", "/")).name).strip()
    is_printable = all(character.isprintable() for character in last)
    if (
        not last
        or last.startswith((".", "~"))
        or not is_printable
        or len(last.encode(errors="replace")) > MOST_NAME_BYTES
    ):
        raise Problem(400, f"a file cannot be named {last[:80]!r} here; rename it")
    if format_of(last) is None:
        raise Problem(415, f"{last!r} is of no format that can be read; these can: {', '.join(format_suffixes())}")
    return last


def _has_bytes(path: Path, content: IO[bytes]) -> bool:
    content.seek(0)
    return path.is_file() and file_sha256(path) == sha256(content.read()).hexdigest()
