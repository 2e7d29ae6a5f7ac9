"""Search filters: tenant, document, kind, collection and folder."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import PurePosixPath

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kohaku_lib.errors import InputFileError


@dataclass(frozen=True, slots=True)
class SearchFilter:
    """Conditions on every result; an empty tuple or None is no condition.

    `collections` are values of the metadata column `collection`; `folders` are paths relative to corpus.documents and
    include their subfolders.
    """

    org_id: str | None = None
    documents: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


def allowed_nodes(where: SearchFilter, nodes: pa.Table, documents: pa.Table) -> np.ndarray | None:
    """Return which of `nodes` (NODES) match `where`, (nodes,) bool; None if all do.

    Collections and folders are those of `documents` (DOCUMENTS); a node without a document there has none.
    """
    masks: list[pa.ChunkedArray] = []
    if where.org_id is not None:
        masks.append(_is_in(nodes.column("org_id"), [where.org_id]))
    if where.kinds:
        masks.append(_is_in(nodes.column("kind"), where.kinds))
    chosen = chosen_documents(where, documents)
    if chosen is not None:
        masks.append(_is_in(nodes.column("document_id"), chosen))
    if not masks:
        return None
    allowed = np.logical_and.reduce([np.asarray(mask.to_numpy(), bool) for mask in masks])
    return None if allowed.all() else allowed


def check_named(where: SearchFilter, documents: pa.Table) -> None:
    """Raise InputFileError if a condition of `where` matches none of its tenant's `documents` (DOCUMENTS).

    >>> row = {"document_id": "a", "path": "x/a.pdf", "metadata_json": "{}", "org_id": "default"}
    >>> check_named(SearchFilter(documents=("a", "b")), pa.Table.from_pylist([row]))
    Traceback (most recent call last):
    kohaku_lib.errors.InputFileError: no document of the index is called 'b'; 'kohaku documents' lists them
    """
    lists_them = "'kohaku documents' lists them"
    names_them = "corpus.metadata names them in its column 'collection'"
    if not (where.documents or where.collections or where.folders):
        return
    own = [row for row in _rows(documents) if where.org_id is None or row.org_id == where.org_id]
    ids = {row.document_id for row in own}
    collections = {row.collection for row in own} if where.collections else set()
    folders = {folder for row in own for folder in row.folders} if where.folders else set()
    conditions = chain(  # looked at until one is not met
        ((f"is called {name!r}", name in ids, lists_them) for name in where.documents),
        ((f"is of the collection {name!r}", name in collections, names_them) for name in where.collections),
        ((f"is in the folder {name!r}", PurePosixPath(name) in folders, lists_them) for name in where.folders),
    )
    for condition, is_met, remedy in conditions:
        if not is_met:
            msg = f"no document of the index {condition}; {remedy}"
            raise InputFileError(msg)
    if chosen_documents(where, documents) == []:
        msg = "no document of the index matches all of these filters at once; leave one out"
        raise InputFileError(msg)


@dataclass(frozen=True, slots=True)
class _Row:
    """What filters look at in a document."""

    document_id: str
    org_id: str
    metadata_json: str
    path: str

    @property
    def collection(self) -> str | None:
        """Its collection, None if it is of none."""
        return json.loads(self.metadata_json).get("collection")

    @property
    def folders(self) -> Sequence[PurePosixPath]:
        """The folders it is beneath."""
        return PurePosixPath(self.path).parents


def _rows(documents: pa.Table) -> Iterator[_Row]:
    columns = (documents.column(name).to_pylist() for name in ("document_id", "org_id", "metadata_json", "path"))
    return (_Row(*values) for values in zip(*columns, strict=True))


def chosen_documents(where: SearchFilter, documents: pa.Table) -> list[str] | None:
    """Return the ids of the documents that match `where`; None if it has no condition on documents."""
    if not (where.documents or where.collections or where.folders):
        return None
    ids, collections = frozenset(where.documents), frozenset(where.collections)
    folders = frozenset(PurePosixPath(name) for name in where.folders)
    return [
        row.document_id
        for row in _rows(documents)
        if (where.org_id is None or row.org_id == where.org_id)
        and (not ids or row.document_id in ids)
        and (not collections or row.collection in collections)
        and (not folders or not folders.isdisjoint(row.folders))
    ]


def _is_in(column: pa.ChunkedArray, values: list[str] | tuple[str, ...]) -> pa.ChunkedArray:
    return pc.call_function("is_in", [column], pc.SetLookupOptions(pa.array(values, pa.string())))
