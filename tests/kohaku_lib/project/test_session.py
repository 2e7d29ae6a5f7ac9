"""What the parts of one run share."""

from pathlib import Path

import pyarrow as pa

from kohaku_lib.project import Session
from kohaku_lib.settings import Settings
from kohaku_lib.tables import StageReport, joined_report

SCHEMA = pa.schema([pa.field("value", pa.int64())])


def row(key, value):
    return pa.table({"key": [key], "value": [value]})


def test_a_row_cache_is_opened_once_and_sees_the_rows_that_another_session_wrote(tmp_path):
    first, second = (Session(Settings(store=tmp_path)) for _ in range(2))
    cache = first.row_cache("c", SCHEMA)
    assert first.row_cache("c", SCHEMA) is cache
    with second.row_cache("c", SCHEMA) as other:
        other.add_table(row("a", 7))
    assert cache.get_many(["a"]).num_rows == 0  # the keys were read when it was opened
    assert first.row_cache("c", SCHEMA).get_many(["a"])["value"].to_pylist() == [7]


def test_caches_of_other_names_share_no_rows(tmp_path):
    session = Session(Settings(store=tmp_path))
    session.row_cache("one", SCHEMA).add_table(row("a", 1))
    assert session.row_cache("other", SCHEMA).get_many(["a"]).num_rows == 0


def test_snapshots_lie_in_the_store():
    assert Session(Settings(store=Path("s"))).paths.snapshots == Path("s/snapshots")


def test_spending_is_counted_by_session():
    first, second = Session(Settings()), Session(Settings())
    assert first.spending is first.spending
    assert first.spending is not second.spending


def test_a_joined_report_has_all_problems_in_order_and_the_first_gap():
    reports = [
        StageReport(5, problems=("a", "b")),
        StageReport(5, problems=("c",), incomplete="no server"),
        StageReport(5, incomplete="no key"),
    ]
    assert joined_report(*reports) == StageReport(0, problems=("a", "b", "c"), incomplete="no server")
    assert joined_report() == StageReport(0)
