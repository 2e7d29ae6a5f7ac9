"""A DuckDB file of views over everything in a store, for queries in SQL."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from kohaku_lib.storage.answer_views import AnswerFiles, create_answer_views
from kohaku_lib.storage.atomic import write_atomically
from kohaku_lib.storage.tenant_sql import path_literal, tenant_condition, text_literal

if TYPE_CHECKING:
    import duckdb

EXPERIMENT_FILE, RESULTS_FILE = "experiment.parquet", "results.parquet"
INDEX_SCHEMA = "current_index"
_TABLE_OF_STAGE = {"nodes": "tree_nodes", "documents": "documents", "image_blobs": "document_images"}


def write_views(
    path: Path,
    stages: Mapping[str, Path],
    ledger: Path,
    index: Path | None = None,
    org_id: str | None = None,
    experiments: Path | None = None,
    answers: AnswerFiles | None = None,
) -> None:
    """Write the DuckDB file `path`: a view per stage file, `llm_calls`, the tables of an index, and what made each answer.

    Args:
        path: the file, which is replaced.
        stages: the Parquet file of each stage.
        ledger: the folder of call records; without any, there is no view `llm_calls`. Records that name no tenant are
            shown to all.
        index: the DuckDB file of a snapshot, whose tables become views in the schema `current_index`.
        org_id: the tenant to whose rows all views are restricted (None: no restriction).
        experiments: the folder of the tenant's experiments; with any there are `experiments`, `experiment_results` (a row per
            experiment, question and metric) and `results_matrix` (a row per question, a column per experiment and metric).
        answers: what the views of `create_answer_views` read; None: there are none of them.

    >>> import tempfile, duckdb, pyarrow as pa, pyarrow.parquet as pq
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pq.write_table(pa.table({"score": [0.5]}), f"{folder}/scores.parquet")
    ...     write_views(Path(folder, "k.duckdb"), {"scores": Path(folder, "scores.parquet")}, Path(folder))
    ...     duckdb.connect(f"{folder}/k.duckdb", read_only=True).sql("SELECT score FROM scores").fetchall()
    [(0.5,)]
    """
    import duckdb

    # Views take no parameters: names are those of our own tables, paths are quoted.
    def fill(temporary: Path) -> None:
        with duckdb.connect(temporary) as connection:
            connection.begin()  # one disk sync instead of one per view
            for name, query in _stage_queries(connection, stages, index, org_id).items():
                connection.execute(f"CREATE VIEW {name} AS {query}")
            if any(ledger.glob("*.jsonl")):
                connection.execute(f"CREATE VIEW llm_calls AS {_ledger_query(connection, ledger, org_id)}")
            if experiments is not None and any(experiments.glob(f"*/{EXPERIMENT_FILE}")):
                _create_experiment_views(connection, experiments)
            if answers is not None:
                create_answer_views(connection, answers, org_id)
            if index is not None:
                connection.execute(f"CREATE SCHEMA {INDEX_SCHEMA}")
                for name, query in _index_queries(index, org_id).items():
                    connection.execute(f"CREATE VIEW {INDEX_SCHEMA}.{name} AS {query}")
            connection.commit()

    write_atomically(path, fill)


def _create_experiment_views(connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    for view, file in (("experiments", EXPERIMENT_FILE), ("experiment_results", RESULTS_FILE)):
        files = f"read_parquet({path_literal(folder / '*' / file)}, union_by_name = true)"  # a column may be new
        connection.execute(f"CREATE VIEW {view} AS SELECT * FROM {files}")  # noqa: S608
    pairs = connection.execute("SELECT DISTINCT experiment, metric FROM experiment_results ORDER BY ALL").fetchall()
    columns = [
        f"max(value) FILTER (experiment = {text_literal(name)} AND metric = {text_literal(metric)}) "
        f'AS "{name.replace(chr(34), chr(34) * 2)} {metric}"'
        for name, metric in pairs
    ]
    listed = ", ".join(["id", *columns])
    connection.execute(f"CREATE VIEW results_matrix AS SELECT {listed} FROM experiment_results GROUP BY id ORDER BY id")  # noqa: S608


def views_damage(path: Path) -> str | None:
    """Describe the damage of a file by `write_views` as the end of a sentence; None if it is intact.

    Views name files by whole paths, as DuckDB knows no others, so that those of a store that was moved or copied show
    none, or the ones of another store.
    """
    import duckdb

    if not path.exists():
        return "is missing"
    try:
        with duckdb.connect(path, read_only=True) as connection:
            queries = [
                sql for (sql,) in connection.execute("SELECT sql FROM duckdb_views() WHERE NOT internal").fetchall()
            ]
    except (duckdb.Error, OSError) as error:
        first_line = str(error).partition("\n")[0]
        return f"cannot be read ({first_line})"
    place = text_literal(f"{path.parent.resolve()}/").removesuffix("'")
    reading = [sql for sql in queries if "read_" in sql]
    return "names the files of another place" if reading and not any(place in sql for sql in reading) else None


def _stage_queries(
    connection: duckdb.DuckDBPyConnection, stages: Mapping[str, Path], index: Path | None, org_id: str | None
) -> dict[str, str]:
    """Return the query of each stage's view; only stages of several tenants get conditions.

    Whose a row is, the stages tell, or the index where they are not there.
    """
    sources = {name: f"read_parquet({path_literal(file)})" for name, file in stages.items()}
    queries = {name: f"SELECT * FROM {source}" for name, source in sources.items()}  # noqa: S608 - own names
    known = {table: _database_source(index, table) for table in _TABLE_OF_STAGE if index is not None}
    known |= {table: sources[stage] for table, stage in _TABLE_OF_STAGE.items() if stage in sources}
    if org_id is None or len(known) < len(_TABLE_OF_STAGE) or _owners(connection, known["documents"]) <= {org_id}:
        return queries
    columns = {name: connection.sql(query).columns for name, query in queries.items()}
    return {name: f"{query} WHERE {tenant_condition(columns[name], org_id, known)}" for name, query in queries.items()}


def _ledger_query(connection: duckdb.DuckDBPyConnection, ledger: Path, org_id: str | None) -> str:
    calls = f"read_json({path_literal(ledger / '*.jsonl')}, format = 'newline_delimited', ignore_errors = true, "
    query = f"SELECT * FROM {calls}union_by_name = true)"  # noqa: S608 - own names
    if org_id is None or "org_id" not in connection.sql(query).columns:
        return query
    own = text_literal(org_id)
    return f"{query} WHERE coalesce(org_id, {own}) = {own}"


def _owners(connection: duckdb.DuckDBPyConnection, source: str) -> set[str | None]:
    return {row[0] for row in connection.execute(f"SELECT DISTINCT org_id FROM {source}").fetchall()}  # noqa: S608


def _index_queries(database: Path, org_id: str | None) -> dict[str, str]:
    """Return the query of each table's view; only an index of several tenants gets conditions, as these cost time."""
    import duckdb

    with duckdb.connect(database, read_only=True) as connection:
        tables = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        columns = {name: connection.table(name).columns for (name,) in tables}
        owned = [name for name in ("nodes", "documents") if name in columns]
        owners = {owner for name in owned for owner in _owners(connection, name)}
    sources = {name: _database_source(database, name) for name in columns}
    queries = {name: f"SELECT * FROM {source}" for name, source in sources.items()}  # noqa: S608 - own names
    if org_id is None or owners <= {org_id}:
        return queries
    return {
        name: f"{query} WHERE {tenant_condition(columns[name], org_id, sources)}" for name, query in queries.items()
    }


def _database_source(database: Path, table: str) -> str:
    return f"read_duckdb({path_literal(database)}, table_name = '{table}')"
