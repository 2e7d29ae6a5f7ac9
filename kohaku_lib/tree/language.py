"""The language of a document, as its metadata tell it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_CODE = re.compile(r"\s*([A-Za-z]{2,3})(?=\s*$|[-_])")


def language_of(metadata: Mapping[str, Any]) -> str | None:
    """Return the ISO 639 code in `language` of a document's metadata, without its region; None where there is none.

    >>> language_of({"language": "de-AT"}), language_of({"language": "several"}), language_of({})
    ('de', None, None)
    """
    found = _CODE.match(str(metadata.get("language") or ""))
    return found[1].lower() if found else None
