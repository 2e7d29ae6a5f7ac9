"""The graph of an index as tables of Postgres, over which a graph server such as PuppyGraph answers.

`deploy/puppygraph/schema.json` names the columns as vertices and edges; the tests compare both.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kohaku_lib.errors import InputFileError
from kohaku_lib.install_command import install_command
from kohaku_lib.masking import masked, remember_password

if TYPE_CHECKING:
    import duckdb

SCHEMA = "kohaku_graph"
# Each table's columns in the order of the file; the first is the key.
TABLES: dict[str, tuple[str, ...]] = {
    "entities": (
        "entity_id",
        "org_id",
        "entity_type",
        "name",
        "canonical_name",
        "mentions",
        "mentioning_nodes",
        "mentioning_documents",
        "is_named",
        "rarity",
    ),
    "documents": ("document_id", "org_id", "title", "path", "mime_type", "pages"),
    "relations": (
        "relation_id",
        "org_id",
        "source_entity_id",
        "target_entity_id",
        "relation_type",
        "confidence",
        "source_node_id",
        "document_id",
    ),
    "entity_mentions": (
        "mention_id",
        "org_id",
        "entity_id",
        "document_id",
        "node_id",
        "span_text",
        "confidence",
    ),
}
POSTGRES_TYPES = {
    "VARCHAR": "text",
    "INTEGER": "integer",
    "BIGINT": "bigint",
    "FLOAT": "real",
    "DOUBLE": "double precision",
    "BOOLEAN": "boolean",
}


def export_graph(connection: duckdb.DuckDBPyConnection, address: str) -> dict[str, int]:
    """Write the graph of a snapshot into the schema `kohaku_graph` of Postgres, and return the rows by table.

    Readers see either the old tables or the new ones. All tenants are written, each row with its org_id.

    Raises:
        InputFileError: The extra [postgres] is missing, or Postgres refuses; nothing is changed there.
    """
    try:
        import psycopg2
    except ImportError:
        msg = f"Postgres needs the packages of the extra [postgres]; run: {install_command('postgres')}"
        raise InputFileError(msg) from None
    remember_password(address)
    try:
        server = psycopg2.connect(address)
        try:
            with server, server.cursor() as cursor:
                cursor.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
                return {table: _copy(connection, cursor, table) for table in TABLES}
        finally:
            server.close()
    except psycopg2.Error as error:
        reason = masked(str(error)).strip().partition("\n")[0]
        msg = f"Postgres did not take the graph ({reason}); the address is like 'postgresql://user@host/database'"
        raise InputFileError(msg) from error


def column_types(connection: duckdb.DuckDBPyConnection, table: str) -> dict[str, str]:
    """Return DuckDB's type of each exported column of `table` in a snapshot."""
    found = dict(zip(connection.table(table).columns, map(str, connection.table(table).types), strict=True))
    return {name: found[name] for name in TABLES[table]}


def _copy(connection: duckdb.DuckDBPyConnection, cursor: Any, table: str) -> int:
    """Replace one table; of rows with the same key, such as a relation that a text states twice, the surest stays."""
    columns = column_types(connection, table)
    key, listed = next(iter(columns)), ", ".join(columns)
    declared = ", ".join(f"{name} {POSTGRES_TYPES[kind]}" for name, kind in columns.items())
    cursor.execute(f"DROP TABLE IF EXISTS {SCHEMA}.{table}")
    cursor.execute(f"CREATE TABLE {SCHEMA}.{table} ({declared}, PRIMARY KEY ({key}))")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "rows.csv")
        order = f"{key}, confidence DESC" if "confidence" in columns else key
        query = f"SELECT DISTINCT ON ({key}) {listed} FROM {table} ORDER BY {order}"  # noqa: S608 - own names
        connection.sql(query).write_csv(str(file), header=False)
        with file.open(encoding="utf-8") as rows:
            cursor.copy_expert(f"COPY {SCHEMA}.{table} ({listed}) FROM STDIN (FORMAT csv)", rows)
    return cursor.rowcount
