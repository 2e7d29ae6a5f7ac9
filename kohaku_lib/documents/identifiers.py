"""Identifiers of documents and images that are safe in node ids: no colon, no whitespace."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote

_UNSAFE_IN_FILE = re.compile(r'[<>:"/\\|?*%\x00-\x1f\x7f\ud800-\udfff]|^\.|[. ]$')
_UNSAFE = re.compile(r"[\s:%\x00-\x1f\x7f\ud800-\udfff]")


def safe_document_id(text: str) -> str:
    """Return `text` with every colon, percent sign, space and control character percent-encoded (UTF-8).

    The text is NFC-normalised and trimmed first. The mapping is injective, and safe ids are unchanged.

    >>> safe_document_id("annual report: 2023")
    'annual%20report%3A%202023'
    """
    trimmed = unicodedata.normalize("NFC", text).strip()
    return _UNSAFE.sub(lambda match: quote(match.group().encode("utf-8", "replace"), safe=""), trimmed)


def file_stem(identifier: str) -> str:
    """Return `identifier` percent-encoded as a file stem that is valid on any system; the mapping is injective.

    >>> file_stem("10.1000/xyz 2"), file_stem("..")
    ('10.1000%2Fxyz 2', '%2E%2E')
    """
    trimmed = unicodedata.normalize("NFC", identifier).strip()
    return _UNSAFE_IN_FILE.sub(_percent_encode, trimmed)


def image_storage_key(document_id: str, page: int, index: int) -> str:
    """Return the storage key of image `index` on `page`, both 1-based.

    >>> image_storage_key("han2024", 3, 1)
    'img:han2024:p3:i1'
    """
    return f"img:{document_id}:p{page}:i{index}"


def _percent_encode(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match.group().encode("utf-8", "replace"))
