"""Rows stream into a table of DuckDB in their order, and what stops them is told as it is."""

import duckdb
import pyarrow as pa
import pytest

from kohaku_lib.index.rows.streamed_tables import stream_table

SCHEMA = pa.schema([("number", pa.int32()), ("text", pa.string())])


def batch(numbers):
    return pa.record_batch([pa.array(numbers, pa.int32()), pa.array(map(str, numbers), pa.string())], schema=SCHEMA)


def test_rows_keep_the_order_in_which_they_come():
    with duckdb.connect() as connection:
        stream_table(connection, "numbers", SCHEMA, (batch(range(low, low + 700)) for low in range(0, 70_000, 700)))
        found = connection.sql("SELECT number, text FROM numbers").fetchall()
    assert found == [(number, str(number)) for number in range(70_000)]


def test_a_table_without_rows_has_the_types_of_its_schema():
    with duckdb.connect() as connection:
        stream_table(connection, "nothing", SCHEMA, [])
        assert [kind for _, kind, *_ in connection.sql("DESCRIBE nothing").fetchall()] == ["INTEGER", "VARCHAR"]
        assert connection.sql("FROM nothing").fetchall() == []


@pytest.mark.parametrize("kind", [KeyboardInterrupt, OSError, ValueError])
def test_what_stops_the_rows_is_raised_itself_and_leaves_no_table(kind):
    def rows():
        yield batch([1])
        raise kind("it broke")

    with duckdb.connect() as connection:
        with pytest.raises(kind, match="it broke"):
            stream_table(connection, "broken", SCHEMA, rows())
        assert connection.sql("SHOW TABLES").fetchall() == []


def test_what_duckdb_itself_refuses_is_raised():
    with duckdb.connect() as connection:
        stream_table(connection, "twice", SCHEMA, [])
        with pytest.raises(duckdb.CatalogException, match="already exists"):
            stream_table(connection, "twice", SCHEMA, [])


def test_rows_of_other_types_are_refused():
    other = pa.record_batch({"number": pa.array([1], pa.int64()), "text": ["1"]})
    with duckdb.connect() as connection, pytest.raises(ValueError, match=r"(?s)number: int32.* got number: int64"):
        stream_table(connection, "numbers", SCHEMA, [batch([1]), other])


def test_what_stops_the_rows_is_raised_within_a_transaction_too():
    def rows():
        raise ZeroDivisionError
        yield

    with duckdb.connect() as connection:
        connection.begin()
        with pytest.raises(ZeroDivisionError):
            stream_table(connection, "broken", SCHEMA, rows())
