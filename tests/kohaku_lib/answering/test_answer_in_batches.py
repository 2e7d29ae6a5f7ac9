"""Whole files of questions by the Batch API, a run at a time."""

import json
import os
import sys
import time
from pathlib import Path

import pytest
from answering_material import ShelfRetriever, chat_settings, contexts_table, questions_table, snippet
from batch_api import BatchAPI
from started_process import started_process

from kohaku_lib.answering import Engine, GivenParts, answer_questions, build_answerer
from kohaku_lib.answering.answer_in_batches import BatchWaitingError, answer_in_batches
from kohaku_lib.llm import CallLedger, build_chat
from kohaku_lib.llm.batches import BatchQueue
from kohaku_lib.testing.openai_server import OpenAIServer, structured_reply

SUPPORT = Path(__file__).resolve().parents[2] / "support"
QUESTIONS = questions_table(("q1", "How heavy is it?", "kg"), ("q2", "How old is it?", "years"))
SHELF = [snippet("Nothing about its age.", "a", 1), snippet("It is 42 years old.", "b", 2)]
CONTEXTS = contexts_table({"q1": [snippet("It weighs 7 kg.")], "q2": SHELF[:1]})


def settings_at(api, **llm):
    return chat_settings(api.base_url, llm={"batch": True, **llm})


def run(folder, settings, retriever=None, contexts=CONTEXTS):
    """What a new process would do."""
    queue = BatchQueue(folder / "batches", lambda: CallLedger(folder / "ledger"), settings.llm)
    return answer_in_batches(
        QUESTIONS, contexts, settings, queue, lambda chat: GivenParts([build_answerer(settings, chat)], retriever, {})
    )


def run_until_answered(folder, api, settings, retriever=None, most=9, contexts=CONTEXTS):
    for rounds in range(most):
        try:
            return run(folder, settings, retriever, contexts), rounds
        except BatchWaitingError:
            api.finish()
    pytest.fail("it never came to an end")


def rows(table):
    return [(row["id"], row["answer_value"], row["ref_id"], row["attempts"]) for row in table.to_pylist()]


def test_all_questions_go_out_together_and_the_waiting_is_one_sentence(tmp_path):
    with BatchAPI() as api:
        with pytest.raises(BatchWaitingError, match=r"2 calls wait in 1 batch \(batch_2: validating\)"):
            run(tmp_path, settings_at(api))
        [batch] = api.batches.values()
        assert len(api.requests(batch["input_file_id"])) == 2


def test_blank_answers_go_into_a_next_batch_at_the_next_depth(tmp_path):
    with BatchAPI() as api:
        (table, report), rounds = run_until_answered(tmp_path, api, settings_at(api), ShelfRetriever(SHELF))
        asked = [len(api.requests(batch["input_file_id"])) for batch in api.batches.values()]
    assert (rounds, asked) == (2, [2, 1])
    assert rows(table) == [("q1", "7", ["doc"], 1), ("q2", "42", ["b"], 2)]
    assert report.incomplete is None


def test_the_answers_are_those_of_single_calls(tmp_path):
    with BatchAPI() as api:
        (in_batches, _), _ = run_until_answered(tmp_path, api, settings_at(api), ShelfRetriever(SHELF))
    with OpenAIServer() as server:
        settings = chat_settings(server.base_url)
        answerer = build_answerer(settings, build_chat(settings.llm))
        singly, _ = answer_questions(
            QUESTIONS, CONTEXTS, Engine(settings, GivenParts([answerer], ShelfRetriever(SHELF), {}))
        )
    assert in_batches.equals(singly)


def test_all_ensemble_runs_share_a_batch(tmp_path):
    with BatchAPI() as api:
        settings = settings_at(api).model_copy(
            update={"ensemble": settings_at(api).ensemble.model_copy(update={"runs": 3})}
        )
        with pytest.raises(BatchWaitingError, match="6 calls wait in 1 batch"):
            run(tmp_path, settings)


def test_an_overflow_is_asked_again_with_a_shorter_context(tmp_path):
    def outcome(body):
        if len(str(body)) > 6000:
            return {"status": 400, "message": "too long", "code": "context_length_exceeded"}
        return None

    long = [snippet("It weighs 7 kg.", "a", 1), snippet("filler " * 900, "b", 2)]
    with BatchAPI(outcome=outcome) as api:
        contexts = contexts_table({"q1": long, "q2": long})
        (table, _), rounds = run_until_answered(tmp_path, api, settings_at(api), contexts=contexts)
    assert rounds == 2
    assert [row["answer_value"] for row in table.to_pylist()] == ["7", "7"]
    assert json.loads(table.to_pylist()[0]["trace_json"])["attempts"][0]["overflows"] == [2]


def test_a_call_that_is_given_up_leaves_its_row_blank_and_is_listed_and_asked_by_the_next_refresh(tmp_path):
    def outcome(body):
        return {"status": 400, "message": "flagged"} if "How old" in str(body) else None

    with BatchAPI(outcome=outcome) as api:
        (table, report), _ = run_until_answered(tmp_path, api, settings_at(api))
        assert rows(table)[0] == ("q1", "7", ["doc"], 1)
        assert "flagged" in table.to_pylist()[1]["error"]
        assert report.incomplete == "1 of 2 answers failed; the next refresh retries them"
        api.outcome = lambda body: None
        (table, report), rounds = run_until_answered(tmp_path, api, settings_at(api))
    assert (rounds, report.incomplete) == (1, None)
    assert [row["error"] for row in table.to_pylist()] == [None, None]


def test_a_server_that_is_down_ends_the_run_and_loses_nothing(tmp_path):
    with BatchAPI() as api:
        settings = settings_at(api, call_retries=0)
        with pytest.raises(BatchWaitingError):
            run(tmp_path, settings)
        api.finish()
        api.faults = [{"route": "look", "status": 500}]
        with pytest.raises(Exception, match="gave no reply: status 500"):
            run(tmp_path, settings)
        table, _ = run(tmp_path, settings)
        assert (table.num_rows, len(api.billed)) == (2, 2)


def test_switching_back_to_single_calls_pays_for_no_reply_again(tmp_path):
    with BatchAPI() as api:
        run_until_answered(tmp_path, api, settings_at(api))
    with OpenAIServer() as server:
        settings = chat_settings(server.base_url)
        answerer = build_answerer(settings, build_chat(settings.llm, CallLedger(tmp_path / "ledger")))
        answer_questions(QUESTIONS, CONTEXTS, Engine(settings, GivenParts([answerer], None, {})))
        assert server.billed == []


PROGRAM = """
import sys
from pathlib import Path
sys.path[:0] = [sys.argv[1], sys.argv[2]]
from test_answer_in_batches import run, settings_at
from types import SimpleNamespace
run(Path(sys.argv[3]), settings_at(SimpleNamespace(base_url=sys.argv[4])))
"""


def test_a_run_killed_while_the_server_makes_the_batch_pays_once(tmp_path):
    with BatchAPI([{"route": "make", "after": True, "delay_s": 60.0, "status": 500}]) as api:
        arguments = [str(SUPPORT), str(Path(__file__).parent), str(tmp_path), api.base_url]
        with started_process([sys.executable, "-c", PROGRAM, *arguments], env=dict(os.environ)) as process:
            while not api.batches:
                assert process.poll() is None
                time.sleep(0.02)
        (table, _), _ = run_until_answered(tmp_path, api, settings_at(api))
        assert rows(table)[0] == ("q1", "7", ["doc"], 1)
        assert (len(api.batches), len(api.billed)) == (1, 2)


def test_a_reply_is_the_same_function_of_the_request_in_both_servers():
    body = {"messages": [{"content": "<excerpts>[ref_id=d] It is 3 m.</excerpts>"}]}
    assert json.loads(structured_reply(body))["answer_value"] == "3"
