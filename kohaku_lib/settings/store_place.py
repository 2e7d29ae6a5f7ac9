"""Where the store may lie: it holds no file of the user, and is none of the documents."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from kohaku_lib.errors import SettingsError
from kohaku_lib.settings.all_settings import Settings


def check_store_place(settings: Settings, places: Mapping[str, str], file: Path | None) -> None:
    """Raise SettingsError where the store holds the user's files, or lies where it would be read as documents.

    Erasing a document and restoring a backup replace what the store holds.
    """
    store = _real(settings.store)
    for key, path in _files_of_user(settings, file):
        if _real(path).is_relative_to(store):
            msg = (
                f"the setting store must be a folder without files of yours, got {str(settings.store)!r} "
                f"({places['store']}), which holds {key} {str(path)!r}; choose a folder for the store alone, such as "
                "'data/store'"
            )
            raise SettingsError(msg)
    documents = settings.corpus.documents
    if documents is not None and store.is_relative_to(_real(documents)):
        below = store.relative_to(_real(documents))
        if not any(part.startswith(".") for part in below.parts):
            msg = (
                f"the setting store must lie outside of corpus.documents {str(documents)!r} or in a hidden folder, which is "
                f"not read, got {str(settings.store)!r} ({places['store']}); move it to '.kohaku/store', and set store to that"
            )
            raise SettingsError(msg)


def _files_of_user(settings: Settings, file: Path | None) -> Iterator[tuple[str, Path]]:
    corpus = settings.corpus
    if file is not None:
        yield "the settings", file
    for key in ("documents", "metadata", "questions", "accepted_questions"):
        path: Path | None = getattr(corpus, key)
        if path is not None:
            yield f"corpus.{key}", path


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
