"""The ways in which one document can fail, beyond plain DocumentError."""

from __future__ import annotations

from kohaku_lib.errors import DocumentError


class NeedsOcrError(DocumentError):
    """The document shows pages but holds no text layer; with OCR it could be read."""


class MissingPackageError(DocumentError):
    """The format needs a package that is not installed; once it is, the document can be read."""
