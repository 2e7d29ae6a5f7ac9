"""One DuckDB file of views over everything in a store, so that anyone can ask it in SQL."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kohaku_lib.storage.atomic import write_atomically

INDEX_SCHEMA = "current_index"


def write_views(path: Path, stages: Mapping[str, Path], ledger: Path, index: Path | None = None) -> None:
    """Write the DuckDB file `path` anew: a view per stage file, `llm_calls`, and the tables of an index.

    `stages` maps stage names to Parquet files, `ledger` is the folder of call records, `index` the DuckDB file of
    a snapshot, whose tables become views in the schema `current_index`. `llm_calls` is missing while there are none.

    >>> import tempfile, duckdb, pyarrow as pa, pyarrow.parquet as pq
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pq.write_table(pa.table({"score": [0.5]}), f"{folder}/scores.parquet")
    ...     write_views(Path(folder, "k.duckdb"), {"scores": Path(folder, "scores.parquet")}, Path(folder))
    ...     duckdb.connect(f"{folder}/k.duckdb", read_only=True).sql("SELECT score FROM scores").fetchall()
    [(0.5,)]
    """
    import duckdb

    # Views take no parameters; names are those of our own tables, paths are quoted.
    def fill(temporary: Path) -> None:
        with duckdb.connect(temporary) as connection:
            connection.begin()  # else every view waits for the disk
            for name, file in stages.items():
                connection.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet({_text(file)})")  # noqa: S608
            if any(ledger.glob("*.jsonl")):
                calls = f"read_json({_text(ledger / '*.jsonl')}, format = 'newline_delimited', ignore_errors = true)"
                connection.execute(f"CREATE VIEW llm_calls AS SELECT * FROM {calls}")  # noqa: S608
            if index is not None:
                connection.execute(f"CREATE SCHEMA {INDEX_SCHEMA}")
                for name in _tables_of(index):
                    source = f"read_duckdb({_text(index)}, table_name = '{name}')"
                    connection.execute(f"CREATE VIEW {INDEX_SCHEMA}.{name} AS SELECT * FROM {source}")  # noqa: S608
            connection.commit()

    write_atomically(path, fill)


def _tables_of(database: Path) -> list[str]:
    import duckdb

    with duckdb.connect(database, read_only=True) as connection:
        return [row[0] for row in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()]


def _text(value: Path) -> str:
    return "'" + str(value.resolve()).replace("'", "''") + "'"
