"""Answering against a server that fails in every way, and against kill -9: nothing answerable is lost or paid for twice.

    python benchmarks/answering_faults.py [--questions 200] [--kills 10] [--seed 0]

The server is the one of the tests, on the loopback. First each request draws a fault or an answer: status 429 with a
hint in seconds, in milliseconds or by header, 500, 503, a body dropped in the middle, no choices, an empty text,
malformed JSON, a fenced reply, an overflow by code or by text, a slow reply, a wrong content type, a page of HTML.
Then the same questions are answered by a process that is killed with SIGKILL at a random moment, ten times in a row,
and at last left to finish. "Refused for good" are questions that the server refuses by content: no one can answer them.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any, SupportsIndex

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))

from answering_material import chat_settings, contexts_table, questions_table, snippet  # noqa: E402

from kohaku_lib.answering import Engine, GivenParts, answer_questions, build_answerer  # noqa: E402
from kohaku_lib.llm import CallLedger, Environment, build_chat  # noqa: E402
from kohaku_lib.testing.openai_server import OpenAIServer, prompt_of, structured_reply  # noqa: E402

CONCURRENT = 8
FAULTS = {
    "429, hint in seconds": {"kind": "status", "status": 429, "message": "Please try again in 0.02s"},
    "429, hint in milliseconds": {"kind": "status", "status": 429, "message": "Please try again in 20ms."},
    "429, hint by header": {
        "kind": "status",
        "status": 429,
        "message": "slow down",
        "headers": {"Retry-After": "0.02"},
    },
    "500": {"kind": "status", "status": 500, "message": "internal error"},
    "503": {"kind": "status", "status": 503, "message": "overloaded"},
    "dropped in the middle": {"kind": "drop"},
    "no choices": {"kind": "no_choices"},
    "empty text": {"kind": "empty_text"},
    "malformed JSON": {"kind": "malformed"},
    "fenced reply": {"kind": "fenced"},
    "overflow by code": {"kind": "status", "status": 400, "code": "context_length_exceeded", "message": "too long"},
    "overflow by text": {
        "kind": "status",
        "status": 400,
        "message": "This model's maximum context length is 900 tokens, your messages resulted in 1000 tokens",
    },
    "slow": {"kind": "slow", "seconds": 0.1},
    "wrong content type": {"kind": "wrong_type"},
    "page of HTML": {"kind": "page"},
}
SHARE_OF_FAULTS = 0.3
REFUSED_EVERY = 40  # one question in so many is refused for good


def main() -> None:
    options = _options()
    print("| way | questions | answered right | lost | refused for good | requests | billed | billed twice | s |")
    print("|---|---|---|---|---|---|---|---|---|")
    drawn = faults(options.questions, options.seed)
    undisturbed = kills(options.questions, 0, options.seed)
    kills(options.questions, options.kills, options.seed, undisturbed)
    print("\n| fault | times |\n|---|---|")
    for name, count in drawn.most_common():
        print(f"| {name} | {count} |")


def faults(count: int, seed: int) -> Counter[str]:
    """Answer `count` questions against scripted faults, print the row, and return how often each fault was met."""
    drawn: Counter[str] = Counter()
    dice = random.Random(seed)
    with Faulty(dice, drawn) as server, tempfile.TemporaryDirectory() as folder:
        questions, contexts = material(count)
        settings = chat_settings(server.base_url, llm=_LLM)
        hurried = Environment(sleep=lambda seconds: time.sleep(min(seconds, 0.05)), variables={})
        chat = build_chat(settings.llm, CallLedger(Path(folder)), hurried)
        started = time.perf_counter()
        table, _ = answer_questions(
            questions, contexts, Engine(settings, GivenParts([build_answerer(settings, chat)], None, {}))
        )
        row("scripted faults", table, server, time.perf_counter() - started)
    return drawn


def kills(count: int, times: int, seed: int, undisturbed: int | None = None) -> int:
    """Answer in a process of its own that is killed `times` times, print the row, and return the billed calls."""
    dice = random.Random(seed)
    with OpenAIServer(delay_s=0.02) as server, tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        for _ in range(times):
            worker, before = _worker(server, folder, count), server.stats()["billed"]
            after = dice.randint(1, max(1, count // (times + 2)))  # calls, then a random part of one more
            while server.stats()["billed"] < before + after and worker.poll() is None:
                time.sleep(0.002)
            time.sleep(dice.random() * 0.03)
            os.kill(worker.pid, signal.SIGKILL)
            worker.communicate()
        out = _worker(server, folder, count).communicate()[0]
        seconds, billed = time.perf_counter() - started, server.stats()["billed"]
        values = json.loads(out)
        right = sum(value == str(100 + n) for n, value in enumerate(values))
        name = f"killed {times} times" if times else "undisturbed"
        twice = billed - server.stats()["distinct"]
        requests = server.stats()["requests"]
        print(f"| {name} | {count} | {right} | {count - right} | 0 | {requests} | {billed} | {twice} | {seconds:.1f} |")
    if undisturbed is not None:
        allowed = undisturbed + times * CONCURRENT
        verdict = "within" if billed <= allowed else "BEYOND"
        print(f"\nbilled {billed}, {verdict} an undisturbed run's {undisturbed} + {times} × {CONCURRENT} in flight\n")
    return billed


def row(name: str, table, server, seconds: float) -> None:
    """Print the row of one way over the answers in `table`."""
    values = table.column("answer_value").to_pylist()
    refused = [n for n in range(len(values)) if is_refused(n)]
    right = sum(value == str(100 + n) for n, value in enumerate(values) if n not in refused)
    answerable = len(values) - len(refused)
    stats = server.stats()
    cells = [len(values), right, answerable - right, len(refused), stats["requests"], stats["billed"], server.twice()]
    print(f"| {name} | " + " | ".join(map(str, cells)) + f" | {seconds:.1f} |")
    calls = Counter(question_of(body) for body in server.requests)
    print(f"\nrequests a question: mean {sum(calls.values()) / len(calls):.2f}, most {max(calls.values())}\n")


class Faulty(OpenAIServer):
    """The server of the tests, which draws a fault for each request; only usable replies count as billed."""

    def __init__(self, dice: random.Random, drawn: Counter[str]) -> None:
        self._dice, self._drawn, self._overflown = dice, drawn, set()
        super().__init__(reply=structured_reply)
        self.faults = _Draw(self)

    def draw(self) -> dict[str, Any]:
        """Return what the next request gets; called under the server's lock, after the request was noted."""
        body = self.requests[-1]
        if is_refused(question_of(body)):
            return {"kind": "status", "status": 422, "message": "content policy"}
        if self._dice.random() > SHARE_OF_FAULTS:
            return {"kind": "ok"}
        name = self._dice.choice(list(FAULTS))
        if name.startswith("overflow"):
            if question_of(body) in self._overflown:  # a prompt of two snippets is halved once
                return {"kind": "ok"}
            self._overflown.add(question_of(body))
        self._drawn[name] += 1
        fault = FAULTS[name]
        if fault["kind"] == "fenced":
            return {"kind": "ok", "text": f"Sure:\n```json\n{structured_reply(body)}\n```\nAnything else?"}
        return fault

    def twice(self) -> int:
        """Return how many usable replies were given to a prompt that had one before."""
        with self.lock:
            return len(self.billed) - len(set(self.billed))


class _Draw(list[dict[str, Any]]):
    """The list of faults of a server: never empty, each popped one is drawn."""

    def __init__(self, server: Faulty) -> None:
        super().__init__()
        self._server = server

    def __bool__(self) -> bool:
        return True

    def pop(self, _place: SupportsIndex = -1, /) -> dict[str, Any]:
        return self._server.draw()


_LLM = {"max_concurrent": CONCURRENT, "call_retries": 8, "retry_base_s": 0.001}


def material(count: int):
    """Return questions and contexts of two snippets each, the first with the answer."""
    questions = questions_table(*[(f"q{n}", f"How heavy is part {n}?", "kg") for n in range(count)])
    contexts = {
        f"q{n}": [snippet(f"The part weighs {n + 100} kg."), snippet("Nothing more is known.", rank=2)]
        for n in range(count)
    }
    return questions, contexts_table(contexts)


def question_of(body: dict) -> int:
    """Return the number of the question that a request asks."""
    return int(prompt_of(body).split("How heavy is part ")[1].split("?")[0])


def is_refused(number: int) -> bool:
    """Return whether the server refuses that question whatever happens."""
    return number % REFUSED_EVERY == REFUSED_EVERY - 1


def _worker(server: OpenAIServer, folder: str, count: int) -> subprocess.Popen:
    command = [sys.executable, __file__, "--worker", server.base_url, folder, "--questions", str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def _work(base_url: str, folder: str, count: int) -> None:
    questions, contexts = material(count)
    settings = chat_settings(base_url, llm=_LLM)
    answerer = build_answerer(settings, build_chat(settings.llm, CallLedger(Path(folder))))
    table, _ = answer_questions(questions, contexts, Engine(settings, GivenParts([answerer], None, {})))
    print(json.dumps(table.column("answer_value").to_pylist()))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--worker", nargs=2, metavar=("URL", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        url, folder = options.worker
        _work(url, folder, options.questions)
        sys.exit()
    return options


if __name__ == "__main__":
    main()
