"""Records of batches: what is written is read again, in the order of submission."""

from dataclasses import replace

import pytest

from kohaku_lib.errors import StoreError
from kohaku_lib.llm.batches.records import BatchRecord, BatchRecords

RECORD = BatchRecord("002-b", "token", "digest", "https://api", "model", 2, "2025-01-01T00:00:00", left_out=("seed",))


@pytest.fixture
def records(tmp_path):
    return BatchRecords(tmp_path / "batches")


def test_a_record_is_read_as_it_was_written(records):
    full = replace(
        RECORD,
        state="collected",
        batch_id="b1",
        calls={"k": {"model": "é", "run": 1}},
        failures={"k": {"kind": "retry", "left_out": []}},
        cost_usd=0.5,
    )
    assert records.save(full) == full
    assert records.all() == [full]


def test_records_come_oldest_first_and_a_saved_one_replaces_itself(records):
    for name in ("003-c", "001-a", "002-b"):
        records.save(replace(RECORD, name=name))
    records.save(replace(RECORD, name="001-a", state="submitted"))
    assert [(record.name, record.state) for record in records.all()] == [
        ("001-a", "submitted"),
        ("002-b", "prepared"),
        ("003-c", "prepared"),
    ]


def test_a_dropped_record_is_gone_and_dropping_it_again_does_nothing(records):
    records.save(RECORD)
    records.drop(RECORD)
    records.drop(RECORD)
    assert records.all() == []


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"name": "x", "left_out": []}', '{"left_out": [], "future": 1}']
)
def test_a_record_that_cannot_be_read_is_named(records, text):
    records.save(RECORD)
    (records.folder / "001-torn.json").write_text(text)
    with pytest.raises(StoreError, match=r"001-torn\.json.*repair it"):
        records.all()


@pytest.mark.parametrize(
    ("state", "is_open"), [("prepared", True), ("submitted", True), ("collected", False), ("closed", False)]
)
def test_replies_are_pending_until_a_batch_is_collected(state, is_open):
    assert replace(RECORD, state=state).is_open is is_open


@pytest.mark.parametrize(
    ("status", "is_over"),
    [
        (None, False),
        ("validating", False),
        ("in_progress", False),
        ("completed", True),
        ("expired", True),
        ("cancelled", True),
    ],
)
def test_a_batch_is_over_in_the_final_states_of_the_server(status, is_over):
    assert replace(RECORD, status=status).is_over is is_over
