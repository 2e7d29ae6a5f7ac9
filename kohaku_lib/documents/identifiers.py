"""Identifiers of documents and images that are safe in node ids: no colon, no whitespace."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote

_UNSAFE_IN_FILE = re.compile(r'[<>:"/\\|?*%\x00-\x1f\x7f\ud800-\udfff]|^\.|[. ]$')
_WITHIN = "%/"
_BLANK = re.compile(r"\s")
_UNSAFE = re.compile(r"[\s:%\x00-\x1f\x7f\ud800-\udfff]")


def safe_document_id(text: str) -> str:
    """Return `text` with every colon, percent sign, space and control character percent-encoded (UTF-8).

    The text is NFC-normalised and trimmed first. The mapping is injective, and safe ids are unchanged.

    >>> safe_document_id("annual report: 2023")
    'annual%20report%3A%202023'
    """
    trimmed = unicodedata.normalize("NFC", text).strip()
    return _UNSAFE.sub(lambda match: quote(match.group().encode("utf-8", "replace"), safe=""), trimmed)


def attached_document_id(holder: str, name: str) -> str:
    """Return the id of what is attached to a document, by its `name` there, in which `file_stem` has encoded percent signs.

    `holder` is the safe path of a file, or the id of what is attached itself: the id depends on no other file, as that of
    the file may. No file can have it: in ids of files a percent sign is never before a slash.

    >>> attached_document_id("offer.eml", "Re%3A roof.eml")
    'offer.eml%/Re%3A%20roof.eml'
    >>> attached_document_id("offer.eml%/Re%3A%20roof.eml", "plan.pdf")
    'offer.eml%/Re%3A%20roof.eml%/plan.pdf'
    """
    return f"{holder}{_WITHIN}{_BLANK.sub(_percent_encode, name)}"


def is_attached_to(document_id: str, holder: str) -> bool:
    """Return whether an id is that of what is attached to `holder` (see `attached_document_id`), or to what is attached to that.

    >>> is_attached_to("offer.eml%/Route.eml%/a.txt", "offer.eml"), is_attached_to("offer/a", "offer")
    (True, False)
    """
    return document_id.startswith(f"{holder}{_WITHIN}")


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
