"""Erasing from the ledger: nothing that a call brought of a document stays, what was paid does, other calls are untouched."""

import json

import pytest

from kohaku_lib.llm.ledger.calls import parse_call
from kohaku_lib.llm.ledger.erasing import erase_calls, is_call_about, replies_about
from kohaku_lib.llm.ledger.lines import ledger_line
from kohaku_lib.storage.erasure.traces import Traces

QUOTE = "Amber floats in salt water but sinks in fresh water"
TRACES = Traces(frozenset({"guide"}), [QUOTE], ["Copper is a metal."])
PAID = {"input_tokens": 5, "output_tokens": 7, "cost_usd": 0.25}


def about(call):
    return is_call_about(call, TRACES, frozenset({"q1"}))


def call(**values):
    return {"key": "k", "stage": "graph", "question_id": "q9", "text": None, "error": None, **PAID, **values}


@pytest.fixture
def erased(tmp_path):
    def erased(*lines):
        path = tmp_path / "calls.jsonl"
        path.write_bytes(b"".join(lines))
        return erase_calls([path], about), path.read_bytes()

    return erased


@pytest.mark.parametrize(
    "content",
    [
        {"text": f"It says: {QUOTE}."},
        {"error": f"CallError: no JSON in {QUOTE!r}"},
        {"error": "CallError: the reply was cut", "received": f"{QUOTE}, and"},
        {"text": "A", "first_token": [[QUOTE, -0.5]]},
    ],
    ids=["reply", "error", "cut reply", "first token"],
)
def test_whatever_a_call_brought_of_the_document_goes_and_what_it_cost_stays(erased, content):
    number, left = erased(ledger_line(call(**content)))
    assert (number, QUOTE.encode() in left) == (1, False)
    [kept] = map(json.loads, left.splitlines())
    assert {name: kept[name] for name in PAID} == PAID
    assert not about(parse_call(left))  # so that erasing again finds nothing


@pytest.mark.parametrize(
    "made_for",
    [{"question_id": "guide:sec1:p2"}, {"stage": "predictions", "question_id": "q1"}],
    ids=["a passage", "a question answered from it"],
)
def test_a_call_made_for_the_document_is_erased_whatever_its_reply(erased, made_for):
    number, left = erased(ledger_line(call(text="Four.", **made_for)))
    assert (number, b"Four." in left) == (1, False)


def test_other_calls_stay_byte_for_byte_and_damaged_lines_go(erased):
    other = ledger_line(call(text="Copper is a metal.", stage="summaries", question_id="q1"))
    assert erased(other, QUOTE.encode() + b"\n") == (0, other)


def test_the_replies_about_a_document_are_those_with_a_text(tmp_path):
    path = tmp_path / "calls.jsonl"
    path.write_bytes(
        ledger_line(call(text=f"{QUOTE}.")) + ledger_line(call(error=QUOTE)) + ledger_line(call(text="No."))
    )
    assert list(replies_about([path], about)) == [f"{QUOTE}."]
