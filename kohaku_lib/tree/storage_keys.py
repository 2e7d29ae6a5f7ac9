"""Document ids without the separator of node ids."""

from __future__ import annotations

import re


def encode_document_id(document_id: str) -> str:
    """Return `document_id` with every ":" and whitespace character percent-encoded.

    Ancestors are recognised by `child.startswith(parent + ":")`, so the separator must not occur in an id. Other
    characters are unchanged, so that encoding is idempotent.

    >>> encode_document_id("annual report:2023")
    'annual%20report%3A2023'
    >>> encode_document_id(encode_document_id("a b"))
    'a%20b'
    """
    return re.sub(r"[:\s]", lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), document_id)
