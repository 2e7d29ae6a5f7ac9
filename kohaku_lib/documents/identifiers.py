"""The names of documents and their images: safe in node ids, with no colon and no whitespace."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote

_UNSAFE_IN_FILE = re.compile(r'[<>:"/\\|?*%\x00-\x1f\x7f\ud800-\udfff]|^\.|[. ]$')
_UNSAFE = re.compile(r"[\s:%\x00-\x1f\x7f\ud800-\udfff]")


def safe_document_id(text: str) -> str:
    """Return `text` with every colon, percent sign, blank and control character percent-encoded (UTF-8).

    Different texts give different ids; the text is brought to Unicode's NFC and trimmed first. An id that is
    safe already stays as it is.

    >>> safe_document_id("annual report: 2023")
    'annual%20report%3A%202023'
    """
    trimmed = unicodedata.normalize("NFC", text).strip()
    return _UNSAFE.sub(lambda match: quote(match.group().encode("utf-8", "replace"), safe=""), trimmed)


def file_stem(identifier: str) -> str:
    """Return `identifier` as the stem of a file's name on any system; different ids give different stems.

    >>> file_stem("10.1000/xyz 2"), file_stem("..")
    ('10.1000%2Fxyz 2', '%2E%2E')
    """
    trimmed = unicodedata.normalize("NFC", identifier).strip()
    return _UNSAFE_IN_FILE.sub(_percent, trimmed)


def image_storage_key(document_id: str, page: int, index: int) -> str:
    """Return the storage key of the image with number `index` on `page`, both counted from 1.

    >>> image_storage_key("han2024", 3, 1)
    'img:han2024:p3:i1'
    """
    return f"img:{document_id}:p{page}:i{index}"


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match.group().encode("utf-8", "replace"))
