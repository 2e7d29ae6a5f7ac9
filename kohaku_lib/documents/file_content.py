"""Read the bytes or the text of a source file."""

from __future__ import annotations

from pathlib import Path

from kohaku_lib.documents.formats.shared.decoding import decode_text
from kohaku_lib.errors import DocumentError


def bytes_of(path: Path) -> bytes:
    """Return the bytes of a file.

    Raises:
        DocumentError: The file cannot be read or is empty.

    """
    try:
        data = path.read_bytes()
    except OSError as fault:
        msg = f"{path.name!r} cannot be read ({fault.strerror or type(fault).__name__})"
        raise DocumentError(msg) from fault
    if not data:
        msg = f"{path.name!r} is empty"
        raise DocumentError(msg)
    return data


def text_of(path: Path) -> str:
    """Return the text of a file in any encoding.

    Raises:
        DocumentError: The file cannot be read, is empty or is binary.

    """
    text = decode_text(bytes_of(path)).text
    if "\0" in text:
        msg = f"{path.name!r} contains binary data, not text"
        raise DocumentError(msg)
    return text


def nonblank_text_of(path: Path) -> str:
    """Return the text of a file that is not blank.

    Raises:
        DocumentError: The file cannot be read or contains only white space.

    """
    text = text_of(path)
    if not text.strip():
        msg = f"{path.name!r} contains no text"
        raise DocumentError(msg)
    return text
