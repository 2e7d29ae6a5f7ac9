"""Writes an index as an immutable folder: DuckDB tables, vector matrices, BM25."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import numpy as np
import pyarrow as pa

from kohaku_lib.digests import digest
from kohaku_lib.index.bm25.index_building import TermNumbers
from kohaku_lib.index.bm25.lexical_index import NodeFields, TextPostings, write_lexical_index
from kohaku_lib.index.bm25.term_tables import write_term_tables
from kohaku_lib.index.bm25.tokenising import TOKENISER, document_stemmers
from kohaku_lib.index.file_paths import path_without_ending
from kohaku_lib.index.graph import write_graph, write_mentions
from kohaku_lib.index.group_tables import write_summaries, write_themes
from kohaku_lib.index.late import write_tokens
from kohaku_lib.index.rows.known_nodes import KnownNodes
from kohaku_lib.index.rows.row_lookup import RowLookup, hashes_of
from kohaku_lib.index.rows.sql_tables import CREATE_DERIVED
from kohaku_lib.index.rows.table_rows import TableRows, register, rows_in
from kohaku_lib.index.snapshots.arrow_files import map_table, write_batches, write_table
from kohaku_lib.index.snapshots.snapshot_checks import seal_snapshot, sealed_meta, snapshot_damage
from kohaku_lib.index.snapshots.snapshot_files import (
    DATABASE,
    DOCUMENTS_FILE,
    GRAPH_FOLDER,
    LATE_FOLDER,
    LEXICAL_FOLDER,
    LIGHTRAG_FOLDER,
    NODES_FILE,
    PARTIAL_PREFIX,
    RAPTOR_FOLDER,
    check_version,
    sync,
    sync_tree,
)
from kohaku_lib.index.snapshots.versions import next_sequence
from kohaku_lib.index.vectors.search_order import SearchOrder, document_numbers, section_headings, section_numbers
from kohaku_lib.index.vectors.vector_search import write_search_files
from kohaku_lib.index.vectors.vector_space import main_space, other_space
from kohaku_lib.index.vectors.vector_table import write_vector_table
from kohaku_lib.parallel import available_cores
from kohaku_lib.settings import LexicalSettings, Settings
from kohaku_lib.storage import StageReader
from kohaku_lib.tables import VECTOR_TABLES, StageReport
from kohaku_lib.text.stems import stemmer_of
from kohaku_lib.version import __version__

if TYPE_CHECKING:
    import duckdb

# Memory limits of the database for its tables, for the graph's arrays (sorted in one statement) and for the presorted
# terms: DuckDB fills its limit with cached blocks.
DATABASE_MEMORY, GRAPH_MEMORY, TERMS_MEMORY = "128MB", "256MB", "64MB"
DATABASE_THREADS = 2  # each thread needs memory that cannot all spill to disk
NODE_BATCH_ROWS = 2**16  # a search takes rows from all batches, so few large ones


@dataclass(frozen=True, slots=True)
class IndexTables:
    """The input tables of an index, in memory or as stage files, each in the schema of its stage."""

    documents: pa.Table | StageReader  # DOCUMENTS
    nodes: pa.Table | StageReader  # NODES
    node_vectors: pa.Table | StageReader  # vector_schema(dim), of all nodes
    paragraph_vectors: pa.Table | StageReader  # vector_schema(dim), direct ones; may be empty
    lexical: pa.Table | StageReader  # LEXICAL
    mentions: pa.Table | StageReader  # MENTIONS
    images: pa.Table | StageReader  # DOCUMENT_IMAGES
    image_vectors: pa.Table | StageReader  # vector_schema(dim), keyed by storage key; may be empty
    # Of optional engines; None: the engine is off, and the index has no part of it.
    summaries: pa.Table | None = None  # summaries_schema(dim)
    summary_leaves: pa.Table | None = None  # SUMMARY_LEAVES
    tokens: pa.Table | StageReader | None = None  # TOKEN_VECTORS
    themes: pa.Table | None = None  # themes_schema(dim)


def write_snapshot(
    folder: Path,
    index_version: str,
    tables: IndexTables,
    settings: Settings,
    *,
    model_key: str | None = None,
    anew: bool = False,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> tuple[pa.Table, StageReport]:
    """Write the snapshot `folder/index_version` and return its row counts (VECTOR_TABLES).

    The snapshot is written under a temporary name, synced and renamed. An existing one is left alone and its counts are
    returned as reused, unless it is damaged or `anew` is set: then it stays readable until it is replaced. `model_key` and
    the time of `now` are recorded in index_meta only. Raises StoreError if the version is not a valid name.
    """
    check_version(index_version)
    target = folder / index_version
    if target.exists() and not anew and not snapshot_damage(target):
        counts = sealed_meta(target)["counts"]
        return _counts_table(index_version, counts), StageReport(rows_computed=0, rows_reused=sum(counts.values()))
    partial = folder / f"{PARTIAL_PREFIX}{index_version}"
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    meta = _meta(index_version, tables, settings, model_key, now()) | {"sequence": next_sequence(folder)}
    meta, report = _write_files(partial, tables, settings, meta)
    seal_snapshot(partial, meta)
    sync_tree(partial)
    _replace(target, partial)
    sync(folder)
    return _counts_table(index_version, meta["counts"]), report


def _replace(target: Path, partial: Path) -> None:
    """Replace `target` with `partial`; open files stay readable."""
    aside = target.with_name(f"{partial.name}.before")
    shutil.rmtree(aside, ignore_errors=True)
    if target.exists():
        target.replace(aside)
    partial.replace(target)
    shutil.rmtree(aside, ignore_errors=True)


def _write_files(
    folder: Path, tables: IndexTables, settings: Settings, meta: dict[str, Any]
) -> tuple[dict[str, Any], StageReport]:
    nodes, documents = rows_in(tables.nodes), rows_in(tables.documents)
    documents = documents.select([name for name in documents.schema.names if name != "payload_json"])
    write_batches(folder / NODES_FILE, nodes.schema, nodes.batches(NODE_BATCH_ROWS))
    known = KnownNodes(nodes, RowLookup(hashes_of(nodes)), folder / NODES_FILE)
    order, main = main_space(known, rows_in(tables.node_vectors))
    others = [("para_full", tables.paragraph_vectors), ("image", tables.image_vectors)]
    spaces = (main, *(other_space(name, known, rows_in(vectors)) for name, vectors in others))
    for space in spaces:
        space.write_rows(folder)
    with _database(folder / DATABASE) as connection:

        def term_tables(vocabulary: TermNumbers, kinds: Sequence[TextPostings]) -> None:
            filling.result()  # one writer at a time
            storing.result()
            connection.execute(f"SET memory_limit = '{TERMS_MEMORY}'")
            write_term_tables(connection, folder, vocabulary, kinds, rows_in(tables.lexical))

        with ThreadPoolExecutor(1, thread_name_prefix="kohaku") as pool:
            filling = pool.submit(_fill_database, connection, folder, tables, documents, known)
            for space in spaces:
                space.write_matrix(folder)
            storing = pool.submit(_store_vectors, connection, folder, tables)
            metrics = write_search_files(folder, order, main.norm_ok, settings.vectors)
            write_table(folder / DOCUMENTS_FILE, documents.table().sort_by("document_id"))
            _write_lexical(folder, tables, documents, settings.lexical, order, known.lookup, term_tables)
            _write_engines(folder, tables, order, known.lookup, settings)
        counts = _row_counts(connection)
        sizes = {"search_sentences": order.sentences, "search_paragraphs": order.paragraphs, "counts": counts}
        whole = meta | sizes | metrics
        _write_meta(connection, whole)
    missing = int(np.count_nonzero(~main.norm_ok))
    problems = (f"{missing} nodes have no vector and are only found by lexical search",) if missing else ()
    return whole, StageReport(rows_computed=sum(counts.values()), problems=problems, metrics=metrics)


def _write_lexical(
    folder: Path,
    tables: IndexTables,
    documents: TableRows,
    settings: LexicalSettings,
    order: SearchOrder,
    lookup: RowLookup,
    also: Callable[[TermNumbers, Sequence[TextPostings]], None],
) -> None:
    fields = _fields(folder, documents, settings, order)
    write_lexical_index(folder / LEXICAL_FOLDER, order, rows_in(tables.lexical), lookup, fields, settings, also)


def _write_engines(
    folder: Path, tables: IndexTables, order: SearchOrder, lookup: RowLookup, settings: Settings
) -> None:
    """Write the parts of the optional engines whose tables are given."""
    if tables.summaries is not None and tables.summary_leaves is not None:
        write_summaries(folder / RAPTOR_FOLDER, tables.summaries, tables.summary_leaves, lookup)
    if tables.themes is not None:
        write_themes(folder / LIGHTRAG_FOLDER, tables.themes, lookup)
    if tables.tokens is not None:
        parents = map_table(folder / NODES_FILE).column("parent_row").to_numpy()
        write_tokens(folder / LATE_FOLDER, rows_in(tables.tokens), lookup, order, parents, settings.late.compression)


def _fields(folder: Path, documents: TableRows, settings: LexicalSettings, order: SearchOrder) -> NodeFields:
    nodes = map_table(folder / NODES_FILE)  # unmapped on return, as read pages count as memory
    searched = order.node_rows[: order.searched]
    columns = documents.select(["document_id", "title", "metadata_json", "path"]).table().to_pydict()
    title_by_id = dict(zip(columns["document_id"], columns["title"], strict=True))
    path_by_id = {
        name: path_without_ending(path) for name, path in zip(columns["document_id"], columns["path"], strict=True)
    }
    stemmer_by_id = document_stemmers(columns["document_id"], columns["metadata_json"], settings)
    usual = stemmer_of(None, settings.stemmer)
    titles = [
        (f"{title_by_id.get(name, '')} {unquote(name)} {path_by_id.get(name, '')}", stemmer_by_id.get(name, usual))
        for name in nodes.column("document_id").unique().to_pylist()
    ]
    headings = [
        ("" if heading == title_by_id.get(name) else heading, stemmer_by_id.get(name, usual))
        for name, heading in section_headings(nodes)
    ]
    return NodeFields(document_numbers(nodes)[searched], titles, section_numbers(nodes)[searched], headings)


def _database(path: Path) -> duckdb.DuckDBPyConnection:
    import duckdb

    # Larger data spills to disk, so that memory does not grow with the index.
    limits: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": DATABASE_MEMORY,
        "temp_directory": str(path.with_suffix(".spill")),
        "threads": min(DATABASE_THREADS, available_cores()),
        # Return freed memory early, before the next statements allocate theirs.
        "allocator_flush_threshold": "1MB",
        "allocator_bulk_deallocation_flush_threshold": "1MB",
    }
    return duckdb.connect(path, config=limits)


def _fill_database(
    connection: duckdb.DuckDBPyConnection, folder: Path, tables: IndexTables, documents: TableRows, known: KnownNodes
) -> None:
    sources = {
        "documents": documents,
        "image_blobs": rows_in(tables.images),
        "mentions": rows_in(tables.mentions),
    }
    register(connection, "arrow_nodes", rows_in(tables.nodes), numbered="node_row")
    register(connection, "arrow_lexical", rows_in(tables.lexical), numbered="text_row")
    for name, rows in sources.items():
        register(connection, f"arrow_{name}", rows)
    for name in ("nodes", "image_blobs"):
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM arrow_{name}")  # noqa: S608 - own names
    write_mentions(connection, rows_in(tables.mentions), known)
    for statement in CREATE_DERIVED:
        connection.execute(statement)
    connection.execute(f"SET memory_limit = '{GRAPH_MEMORY}'")
    write_graph(connection, folder / GRAPH_FOLDER)


def _store_vectors(connection: duckdb.DuckDBPyConnection, folder: Path, tables: IndexTables) -> None:
    connection.execute(f"SET memory_limit = '{DATABASE_MEMORY}'")
    write_vector_table(connection, folder, _dim(tables))


def _dim(tables: IndexTables) -> int:
    return tables.node_vectors.schema.field("vector").type.list_size


def _row_counts(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """Return the row count of every table, and of every vector space as `vectors.<space>`."""
    names = [name for (name,) in connection.sql("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall()]
    tables = " UNION ALL ".join(f"SELECT '{name}', count(*) FROM {name}" for name in names)  # noqa: S608 - own names
    spaces = "SELECT 'vectors.' || space, count(*) FROM node_vectors GROUP BY space"
    return dict(connection.sql(f"{tables} UNION ALL {spaces}").fetchall())


def _meta(
    index_version: str, tables: IndexTables, settings: Settings, model_key: str | None, built_at: datetime
) -> dict[str, Any]:
    embedding = settings.embedding
    return {
        "index_version": index_version,
        "built_at": built_at.isoformat(timespec="microseconds"),
        "metric": "cosine",
        "dim": _dim(tables),
        "model": embedding.model,
        "model_key": model_key,
        "embedding_task": embedding.task,
        "paragraph_embedding_mode": embedding.paragraph_mode,
        "weighting": embedding.weighting,
        "vectors": settings.vectors.model_dump(),
        "lexical": settings.lexical.model_dump(),
        "tokenizer": TOKENISER,
        "code_version": __version__,
        "config_hash": digest(
            [
                settings.tree.model_dump(),
                embedding.model_dump(),
                settings.lexical.model_dump(),
                settings.vectors.model_dump(),
            ]
        ),
    }


def _write_meta(connection: duckdb.DuckDBPyConnection, meta: dict[str, Any]) -> None:
    connection.begin()  # one disk sync instead of one per row
    connection.execute("CREATE TABLE index_meta(key VARCHAR PRIMARY KEY, value JSON)")
    rows = [[key, json.dumps(value)] for key, value in meta.items()]
    connection.executemany("INSERT INTO index_meta VALUES (?, ?)", rows)
    connection.commit()


def _counts_table(index_version: str, counts: dict[str, int]) -> pa.Table:
    rows = [{"index_version": index_version, "table": name, "rows": rows} for name, rows in sorted(counts.items())]
    return pa.Table.from_pylist(rows, schema=VECTOR_TABLES)
