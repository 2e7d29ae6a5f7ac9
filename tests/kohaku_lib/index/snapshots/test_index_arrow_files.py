"""Arrow files are written a batch at a time, of which nothing is held once it is written."""

import gc

import pyarrow as pa
import pytest

from kohaku_lib.index.snapshots.arrow_files import map_table, write_batches

SCHEMA = pa.schema([("name", pa.string()), ("number", pa.int64())])


def table(*chunks):
    return pa.concat_tables([SCHEMA.empty_table(), *(pa.Table.from_pylist(chunk, SCHEMA) for chunk in chunks)])


def row(number):
    return {"name": f"n{number}" if number % 3 else None, "number": number}


def test_each_batch_with_rows_is_one_in_the_file_however_it_is_chunked(tmp_path):
    batches = [table([row(1)], [], [row(2), row(3)]), table([row(4)]), table(), table([row(5), row(6)]).slice(1)]
    write_batches(tmp_path / "a.arrow", SCHEMA, iter(batches))
    with pa.ipc.open_file(tmp_path / "a.arrow") as file:
        assert [file.get_batch(at).num_rows for at in range(file.num_record_batches)] == [3, 1, 1]
    assert map_table(tmp_path / "a.arrow").to_pylist() == [row(number) for number in (1, 2, 3, 4, 6)]


def test_a_file_of_no_batches_is_an_empty_table(tmp_path):
    write_batches(tmp_path / "a.arrow", SCHEMA, [])
    assert map_table(tmp_path / "a.arrow").schema == SCHEMA
    assert map_table(tmp_path / "a.arrow").num_rows == 0


def test_columns_in_another_order_are_refused(tmp_path):
    with pytest.raises(ValueError, match="must have its columns in their order"):
        write_batches(tmp_path / "a.arrow", SCHEMA, [table([row(1)]).select(["number", "name"])])


def test_nothing_of_a_batch_is_held_when_the_next_one_is_asked_for(tmp_path):
    held = []

    def batches():
        for _ in range(3):
            yield table([row(number) for number in range(20_000)], [row(1)])
            held.append(pa.total_allocated_bytes() - before)

    gc.collect()  # what other tests left
    before = pa.total_allocated_bytes()
    write_batches(tmp_path / "a.arrow", SCHEMA, batches())
    assert held == [0, 0, 0]
