import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from answering_material import chat_request
from fake_time import FakeTime
from hang_limit import HANG_S

from kohaku_lib.errors import StoreError
from kohaku_lib.llm import CallError, CallLedger, LedgeredChat, OpenAIChat, build_chat
from kohaku_lib.llm.ledger.calls import call_key
from kohaku_lib.settings import LlmSettings
from kohaku_lib.testing.openai_server import OpenAIServer


def ledgered(server, folder, **settings):
    chat = OpenAIChat(
        LlmSettings(provider="openai", base_url=server.base_url, **settings),
        FakeTime().environment({"OPENAI_API_KEY": "secret-key"}),
    )
    return LedgeredChat(chat, CallLedger(folder))


def recorded(folder):
    return [json.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in path.read_text().splitlines()]


def test_a_call_is_on_disk_with_everything_but_the_key_and_the_prompt(tmp_path):
    with OpenAIServer([{"kind": "status", "status": 500}]) as server:
        reply = ledgered(server, tmp_path).complete(chat_request("q7", run=2, seed=5))
    (call,) = recorded(tmp_path)
    assert call["text"] == reply.text
    assert (call["provider"], call["model"], call["run"], call["stage"], call["question_id"]) == (
        "openai",
        "test-model",
        2,
        "predictions",
        "q7",
    )
    assert call["parameters"] == {"temperature": 0.2, "max_tokens": 100, "seed": 5, "json_object": True}
    assert (call["attempts"], call["error"], call["input_tokens"], call["cost_usd"]) == (2, None, 5, None)
    assert len(call["prompt_sha256"]) == 64
    raw = "".join(path.read_text() for path in tmp_path.iterdir())
    assert "secret-key" not in raw
    assert "You answer in JSON." not in raw


def test_a_known_call_is_replayed_by_a_later_process_and_not_paid_for(tmp_path):
    with OpenAIServer() as server:
        paid = ledgered(server, tmp_path).complete(chat_request())
        replayed = ledgered(server, tmp_path).complete(chat_request())
        assert server.stats()["requests"] == 1
    assert (paid.replayed, replayed.replayed) == (False, True)
    assert replayed.text == paid.text
    assert len(recorded(tmp_path)) == 1


def test_a_torn_line_is_ignored_and_its_call_paid_for_again(tmp_path):
    with OpenAIServer() as server:
        first = ledgered(server, tmp_path)
        first.complete(chat_request("q1", user="1 kg"))
        first.complete(chat_request("q2", user="2 kg"))
        (file,) = tmp_path.glob("*.jsonl")
        file.write_bytes(file.read_bytes()[:-30])
        again = ledgered(server, tmp_path)
        assert again.complete(chat_request("q1", user="1 kg")).replayed
        assert not again.complete(chat_request("q2", user="2 kg")).replayed
        assert server.stats()["billed"] == 3
    reopened = CallLedger(tmp_path)
    assert (len(reopened), reopened.unreadable_lines) == (2, 1)


@pytest.mark.parametrize("line", ["5", "[]", "{}", '{"key": 3}', "nonsense", "\x00"])
def test_lines_that_are_no_calls_are_counted_and_left_out(tmp_path, line):
    (tmp_path / "old.jsonl").write_text(line + "\n")
    ledger = CallLedger(tmp_path)
    assert (len(ledger), ledger.unreadable_lines) == (0, 1)


def test_a_reply_that_cannot_be_used_is_recorded_as_such_and_asked_for_anew_also_by_a_later_process(tmp_path):
    request = chat_request(is_usable=lambda reply: reply.text != "Sorry.")
    with OpenAIServer([{"kind": "ok", "text": text} for text in ("Sorry.", "Sorry.", "Four.")]) as server:
        first = ledgered(server, tmp_path)
        assert [first.complete(request).text for _ in range(2)] == ["Sorry.", "Sorry."]
        assert len(CallLedger(tmp_path)) == 0
        assert [ledgered(server, tmp_path).complete(request).text for _ in range(2)] == ["Four.", "Four."]
        assert server.stats()["requests"] == 3
    assert [call.get("unusable", False) for call in recorded(tmp_path)] == [True, True, False]


def test_failed_calls_are_recorded_and_tried_again(tmp_path):
    with OpenAIServer([{"kind": "status", "status": 422, "message": "no"}]) as server:
        chat = ledgered(server, tmp_path)
        with pytest.raises(CallError):
            chat.complete(chat_request())
        assert not chat.complete(chat_request()).replayed
    failed, paid = recorded(tmp_path)
    assert failed["error"].startswith("CallError: the chat model 'test-model'")
    assert (failed["text"], failed["attempts"], paid["error"]) == (None, 1, None)
    assert len(CallLedger(tmp_path)) == 1


@pytest.mark.parametrize(
    "change", [{"run": 1}, {"seed": 1}, {"temperature": 0.3}, {"model": "other"}, {"user": "x"}, {"system": "x"}]
)
def test_whatever_shapes_the_reply_makes_another_call(change):
    assert call_key("openai", chat_request()) != call_key("openai", chat_request(**change))
    assert call_key("openai", chat_request()) != call_key("openrouter", chat_request())


@pytest.mark.parametrize("change", [{"question_id": "q9"}, {"stage": "query_plans"}])
def test_for_whom_a_call_is_made_does_not_matter(change):
    assert call_key("openai", chat_request()) == call_key("openai", chat_request(**change))


def test_threads_that_ask_the_same_pay_once(tmp_path):
    with OpenAIServer(delay_s=0.1) as server:
        chat = ledgered(server, tmp_path)
        with ThreadPoolExecutor(8) as pool:
            replies = list(pool.map(chat.complete, [chat_request()] * 8))
        assert server.stats()["requests"] == 1
    assert {reply.text for reply in replies} == {replies[0].text}


def test_threads_that_share_a_failing_call_all_get_its_error(tmp_path):
    class Watched(CallLedger):
        def reply(self, key):
            looked_up.release()
            return super().reply(key)

    class Failing:
        provider = "openai"

        def complete(self, request, keep=None):
            calls.append(request)
            for _ in range(4):  # all have looked for a reply, and share this call
                assert looked_up.acquire(timeout=HANG_S)
            raise CallError("no", attempts=1)

    def ask(_):
        with pytest.raises(CallError):
            chat.complete(chat_request())

    looked_up, calls = threading.Semaphore(0), []
    chat = LedgeredChat(Failing(), Watched(tmp_path))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(ask, range(4)))
    assert len(calls) == 1


def test_calls_of_many_threads_are_whole_lines(tmp_path):
    with OpenAIServer(reply=lambda body: "ä" * 5000 + body["messages"][-1]["content"]) as server:
        chat = ledgered(server, tmp_path)
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(chat.complete, [chat_request(user=f"{n} kg") for n in range(24)]))
    assert len(recorded(tmp_path)) == 24
    assert CallLedger(tmp_path).unreadable_lines == 0


def test_odd_characters_survive_the_ledger(tmp_path):
    text = 'line\u2028break \ud83d "quoted" \x07'
    with OpenAIServer([{"kind": "ok", "text": text}]) as server:
        chat = ledgered(server, tmp_path)
        paid = chat.complete(chat_request())
        assert ledgered(server, tmp_path).complete(chat_request()).text == paid.text == text.replace("\ud83d", "�")


def test_a_ledger_that_cannot_be_written_stops_the_work(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    with OpenAIServer() as server, pytest.raises(StoreError, match="cannot be written"):
        ledgered(server, blocked).complete(chat_request())


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs Linux's list of open files")
def test_a_ledger_that_nobody_holds_keeps_no_file_open(tmp_path):
    ledger = CallLedger(tmp_path)
    ledger.record("openai", chat_request(), CallError("no"))
    [path] = tmp_path.iterdir()

    def is_open():
        return any(link.resolve() == path.resolve() for link in Path("/proc/self/fd").iterdir())

    assert is_open()
    del ledger
    assert not is_open()


def test_a_closed_ledger_begins_a_new_file(tmp_path):
    with OpenAIServer() as server:
        ledger = CallLedger(tmp_path)
        settings = LlmSettings(provider="openai", base_url=server.base_url)
        chat = build_chat(settings, ledger, FakeTime().environment())
        assert chat is not None
        for n in range(2):
            chat.complete(chat_request(user=f"{n} kg"))
            ledger.close()
    assert len(list(tmp_path.glob("*.jsonl"))) == 2


def test_no_other_call_starts_before_a_reply_is_recorded(tmp_path):
    seen = []
    with OpenAIServer() as server:
        chat = ledgered(server, tmp_path, max_concurrent=1)

        def keep(_reply):
            seen.append((server.stats()["requests"], len(recorded(tmp_path))))

        inner = OpenAIChat(
            LlmSettings(provider="openai", base_url=server.base_url, max_concurrent=1),
            FakeTime().environment({"OPENAI_API_KEY": "key"}),
        )
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda n: inner.complete(chat_request(f"q{n}"), keep), range(4)))
            list(pool.map(lambda n: chat.complete(chat_request(f"r{n}", seed=n), keep), range(4)))
    assert [requests for requests, _ in seen[:4]] == [1, 2, 3, 4]  # each is kept while its slot is taken
    assert len(recorded(tmp_path)) == 4
    assert all(kept >= 1 for _, kept in seen[4:])


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
sys.path[:0] = {paths!r}
from answering_material import chat_request
from kohaku_lib.errors import StoreError
from kohaku_lib.llm import CallLedger, ChatReply
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
ledger, reply = CallLedger(Path({folder!r})), ChatReply("x" * 5000, 1, 0, 1, 0.0, 1.0, 1, "stop")
ledger.record("openai", chat_request("q1"), reply)
[file] = Path({folder!r}).glob("*.jsonl")
resource.setrlimit(resource.RLIMIT_FSIZE, (file.stat().st_size + 1000, resource.RLIM_INFINITY))
try:
    ledger.record("openai", chat_request("q2", user="2 kg"), reply)
except StoreError:
    print("full")
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
ledger.record("openai", chat_request("q3", user="3 kg"), reply)
"""


def test_a_full_disk_costs_only_the_reply_that_had_no_room(tmp_path):
    code = FULL_DISK.format(paths=sys.path, folder=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ledger = CallLedger(tmp_path)
    assert done.stdout == "full\n"
    assert (len(ledger), ledger.unreadable_lines) == (2, 0)
