"""Imports an index of another system into the store."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kohaku_assets.pipeline.project import Project
from kohaku_assets.records.project_lock import project_lock
from kohaku_assets.records.sql_views import write_sql_views
from kohaku_lib.digests import digest, file_sha256
from kohaku_lib.errors import InputFileError
from kohaku_lib.index import publish, write_snapshot
from kohaku_lib.index.kohakuvault.vault_import import read_vault

COUNTED = ("documents", "nodes", "vectors.main", "vectors.para_full", "vectors.image", "image_blobs")


@dataclass(frozen=True, slots=True)
class ImportedIndex:
    """An index version imported from a file."""

    version: str
    prefix: str
    model: str  # as given, or assumed
    dim: int
    counts: dict[str, int]
    problems: tuple[str, ...]

    def summary(self) -> dict[str, Any]:
        """Return the fields as a dict."""
        return asdict(self)


def import_vault(
    project: Project, file: Path, prefix: str | None, model: str | None, publish_it: bool
) -> ImportedIndex:
    """Import the KohakuRAG index in `file` as an index version of the project's store; publish it with `publish_it`.

    The version name is a digest of the file's content and the settings used to read it, so importing twice is
    idempotent. Queries are embedded with `model` (embedding.model by default).
    """
    if not file.is_file():
        msg = f"the file {str(file)!r} does not exist; give the .db file that KohakuRAG wrote"
        raise InputFileError(msg)
    settings = project.settings
    embedding = settings.embedding.model_copy(update={"model": model or settings.embedding.model, "dim": None})
    own = settings.model_copy(update={"embedding": embedding})
    vault = read_vault(file, own, prefix)
    mode = "both" if vault.tables.paragraph_vectors.num_rows else "averaged"  # from the file, not the settings
    embedding = embedding.model_copy(update={"paragraph_mode": mode})
    own = settings.model_copy(update={"embedding": embedding})
    parts = [settings.lexical, settings.graph, settings.vectors, embedding]
    key = digest([file_sha256(file), vault.prefix, settings.corpus.org_id, [part.model_dump() for part in parts]])
    version = f"kohakuvault-{key[:12]}"
    with project_lock(project):
        counts, report = write_snapshot(project.snapshots, version, vault.tables, own)
        if publish_it:
            publish(project.snapshots, version)
            write_sql_views(project)
    rows = dict(zip(counts["table"].to_pylist(), counts["rows"].to_pylist(), strict=True))
    return ImportedIndex(
        version=version,
        prefix=vault.prefix,
        model=embedding.model,
        dim=vault.dim,
        counts={name: rows[name] for name in COUNTED if rows.get(name)},
        problems=(*vault.problems, *report.problems),
    )
