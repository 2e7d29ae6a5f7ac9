"""The organisation (tenant) that a document belongs to: by its folder, by metadata.csv, or by the settings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from kohaku_lib.documents.corpus.metadata import read_metadata
from kohaku_lib.errors import InputFileError
from kohaku_lib.settings import CorpusSettings

COLUMN = "org_id"  # of metadata.csv


def organisation_of(path: str, facts: Mapping[str, str], corpus: CorpusSettings) -> str:
    """Return the organisation of the document at `path` (relative to corpus.documents, "" without a file).

    It is the column `org_id` of the metadata row `facts`, else with corpus.org_folders the first folder of the path, else
    corpus.org_id. A document of which the first two differ is not indexed (`organisation_fault`).

    >>> organisation_of("acme/report.pdf", {}, CorpusSettings(org_folders=True))
    'acme'
    >>> organisation_of("acme/report.pdf", {"org_id": "bolt"}, CorpusSettings())
    'bolt'
    """
    return facts.get(COLUMN) or _by_folder(path, corpus) or corpus.org_id


def is_shared(corpus: CorpusSettings) -> bool:
    """Return whether the corpus may hold documents of several organisations: by folders, or by its metadata.

    Metadata that cannot be read may name any.

    >>> is_shared(CorpusSettings(org_folders=True)), is_shared(CorpusSettings())
    (True, False)
    """
    try:
        rows = read_metadata(corpus.metadata).rows.values() if corpus.metadata else ()
    except InputFileError:
        return True
    return corpus.org_folders or any(facts.get(COLUMN, corpus.org_id) != corpus.org_id for facts in rows)


def organisation_fault(path: str, facts: Mapping[str, str], corpus: CorpusSettings) -> str | None:
    """Return why a document must not be indexed: its folder and its metadata row name two organisations.

    >>> organisation_fault("acme/report.pdf", {"org_id": "bolt"}, CorpusSettings(org_folders=True))
    'its folder and its metadata row name two organisations'
    """
    folder, named = _by_folder(path, corpus), facts.get(COLUMN)
    if folder is None or named is None or folder == named:
        return None
    return "its folder and its metadata row name two organisations"


def _by_folder(path: str, corpus: CorpusSettings) -> str | None:
    parts = PurePosixPath(path).parts if corpus.org_folders else ()
    return parts[0] if len(parts) > 1 else None
