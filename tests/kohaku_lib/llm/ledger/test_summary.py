import datetime

import pytest
from answering_material import chat_request

from kohaku_lib.llm import CallError, CallLedger, ChatReply, summarise_ledger
from kohaku_lib.llm.ledger.summary import calls_since


def reply(tokens, cost, latency=1.0):
    return ChatReply("text", tokens, 1, 2 * tokens, cost, latency, 1, "stop")


def test_calls_add_up_by_model_run_and_stage(tmp_path):
    ledger = CallLedger(tmp_path)
    ledger.record("openai", chat_request(user="a"), reply(10, 0.5, 1.0))
    ledger.record("openai", chat_request(user="b"), reply(20, 0.25, 3.0))
    ledger.record("openai", chat_request(user="c"), CallError("down", attempts=6))
    ledger.record("openai", chat_request(user="a", run=1), reply(7, None))
    ledger.record("openai", chat_request(stage="query_plans"), reply(1, None))
    rows = summarise_ledger(tmp_path).to_pylist()
    assert [(row["run"], row["stage"], row["calls"]) for row in rows] == [
        (0, "predictions", 3),
        (0, "query_plans", 1),
        (1, "predictions", 1),
    ]
    first = rows[0]
    assert (first["failed"], first["attempts"], first["unpriced"]) == (1, 8, 0)
    assert (first["input_tokens"], first["cached_tokens"], first["output_tokens"]) == (30, 2, 60)
    assert first["cost_usd"] == pytest.approx(0.75)
    assert first["mean_latency_s"] == pytest.approx(2.0)
    assert first["day"] == datetime.datetime.now(datetime.UTC).date()
    assert (rows[2]["cost_usd"], rows[2]["unpriced"]) == (None, 1)


def test_torn_lines_and_empty_files_do_not_matter(tmp_path):
    ledger = CallLedger(tmp_path)
    ledger.record("openai", chat_request(), reply(10, 0.5))
    (file,) = tmp_path.glob("*.jsonl")
    with file.open("ab") as stream:
        stream.write(file.read_bytes()[:40])
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "it's [odd]*.jsonl").write_bytes(file.read_bytes().splitlines(keepends=True)[0])
    assert summarise_ledger(tmp_path).column("calls").to_pylist() == [2]


def test_an_absent_folder_gives_an_empty_table(tmp_path):
    assert summarise_ledger(tmp_path / "absent").num_rows == 0
    (tmp_path / "empty.jsonl").touch()
    assert summarise_ledger(tmp_path).num_rows == 0


def test_calls_since_a_time_are_those_of_a_run_with_what_each_took(tmp_path):
    ledger = CallLedger(tmp_path)
    ledger.record("openai", chat_request("q2", stage="query_plans"), reply(10, None, 1.5))
    ledger.record("openai", chat_request("q1"), CallError("down", latency_s=0.5))
    now = datetime.datetime.now(datetime.UTC).replace(tzinfo=None)
    hour = datetime.timedelta(hours=1)
    first, second = calls_since(tmp_path, now - hour)
    assert first == {
        "question_id": "q2",
        "stage": "query_plans",
        "input_tokens": 10,
        "output_tokens": 20,
        "cost_usd": None,
        "latency_s": 1.5,
        "error": None,
    }
    assert (second["question_id"], second["latency_s"], second["error"]) == ("q1", 0.5, "CallError: down")
    assert calls_since(tmp_path, now + hour) == calls_since(tmp_path / "none", now) == []
