"""Document errors that have a specific remedy."""

from __future__ import annotations

from kohaku_lib.errors import DocumentError


class NeedsOcrError(DocumentError):
    """The document has pages but no text layer and needs OCR."""
