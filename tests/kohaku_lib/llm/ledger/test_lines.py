"""Lines of the ledger: damage is found, and mending keeps every sound line."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.llm.ledger.calls import parse_call
from kohaku_lib.llm.ledger.lines import damaged_lines, is_sound, keep_sound_lines, ledger_line

TEXTS = st.text(max_size=10)
CALLS = st.dictionaries(
    TEXTS.filter(lambda name: name != "check"), st.one_of(TEXTS, st.integers(), st.none()), max_size=4
)


@given(CALLS)
def test_a_written_line_is_one_line_and_sound(call):
    line = ledger_line(call)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert is_sound(json.loads(line))
    assert {name: value for name, value in json.loads(line).items() if name != "check"} == call


@given(CALLS, TEXTS)
def test_a_line_with_another_key_is_damaged(call, value):
    written = json.loads(ledger_line(call | {"key": value}))
    assert not is_sound(written | {"key": value + "x"})
    assert not is_sound({name: content for name, content in written.items() if name != "key"})


def test_a_line_without_a_digest_is_sound_as_older_ledgers_have_none():
    assert is_sound({"key": "k", "text": "t"})


@pytest.fixture
def ledger(tmp_path):
    sound = [ledger_line({"key": f"k{number}", "text": "Yés."}) for number in range(3)]
    path = tmp_path / "calls.jsonl"
    path.write_bytes(sound[0] + sound[1].replace(b"k1", b"k9") + b"\n" + b"not json\n" + sound[2] + sound[0][:20])
    return path, sound


def test_altered_torn_and_foreign_lines_are_damaged(ledger):
    assert damaged_lines(ledger[0], parse_call) == (4, 6)  # altered, empty, no JSON, torn


def test_mending_keeps_the_sound_lines_byte_for_byte_and_in_order(ledger):
    path, sound = ledger
    assert keep_sound_lines(path, parse_call) == 2
    assert path.read_bytes() == sound[0] + sound[2]
    assert damaged_lines(path, parse_call) == (0, 2)


def test_an_empty_ledger_has_nothing_to_mend(tmp_path):
    path = tmp_path / "calls.jsonl"
    path.touch()
    assert damaged_lines(path, parse_call) == (0, 0)
    assert keep_sound_lines(path, parse_call) == 0
    assert path.read_bytes() == b""
