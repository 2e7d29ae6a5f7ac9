"""Answering many questions at once: wall time beside the ideal, what a call costs here, and memory.

    python benchmarks/answering_throughput.py [--questions 500] [--latency-s 0.2] [--concurrent 32] [--rounds 2]

The server of the tests runs in a process of its own and answers each request after the latency. The ideal is
ceil(questions / concurrent) × latency. Beside `answer_questions` (prompt, call, ledger with a disk write per call,
parsing, citation check), which calls by the openai package too, stand its bare client on as many threads, and its
asynchronous form with a semaphore: both send the same prompts and read the text, and do nothing else. Each way runs in
a fresh process, so that memory (the most resident of the process above that after its imports) and processor time are
its own; ways take turns within a round, and the least time counts.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SUPPORT = ROOT / "tests" / "support"
sys.path.insert(0, str(SUPPORT))

from answering_material import chat_settings, contexts_table, questions_table, snippet  # noqa: E402

from kohaku_lib.answering import Engine, GivenParts, answer_questions, build_answerer, structured_prompt  # noqa: E402
from kohaku_lib.llm import CallLedger, build_chat  # noqa: E402
from kohaku_lib.tables import Question  # noqa: E402

WORDS = "the measured power of the cluster was far below what its makers had claimed for it in the year before "
SNIPPETS = 15  # of about 1,600 characters: 6,000 tokens


def main() -> None:
    options = _options()
    command = [sys.executable, "-m", "kohaku_lib.testing.openai_server", "--delay-s", str(options.latency_s)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    url = server.stdout.readline().strip()
    try:
        found: dict[str, list[dict[str, float]]] = {name: [] for name in WAYS}
        for _ in range(options.rounds):
            for name, runs in found.items():
                runs.append(_in_process_of_its_own(name, url, options))
    finally:
        server.kill()
        server.wait()
    ideal = math.ceil(options.questions / options.concurrent) * options.latency_s
    print(f"ideal: ceil({options.questions} / {options.concurrent}) × {options.latency_s} s = {ideal:.2f} s\n")
    print("| way | wall s | of the ideal | over the ideal, ms a call | processor time, ms a call | memory MiB |")
    print("|---|---|---|---|---|---|")
    for name, runs in found.items():
        best = min(runs, key=lambda run: run["wall_s"])
        over, cpu = ((value) * 1000 / options.questions for value in (best["wall_s"] - ideal, best["cpu_s"]))
        print(
            f"| {name} | {best['wall_s']:.2f} | {best['wall_s'] / ideal:.2f} | {over:.2f} | {cpu:.2f} | {best['mib']:.0f} |"
        )


def by_kohaku(url: str, count: int, concurrent: int) -> int:
    """Answer by the chat model with its ledger; return how many answers came."""
    questions, contexts = material(count)
    settings = chat_settings(url, llm={"max_concurrent": concurrent})
    with tempfile.TemporaryDirectory() as folder:
        answerer = build_answerer(settings, build_chat(settings.llm, CallLedger(Path(folder))))
        table, _ = answer_questions(questions, contexts, Engine(settings, GivenParts([answerer], None, {})))
    return sum(value != "is_blank" for value in table.column("answer_value").to_pylist())


def by_threads(url: str, count: int, concurrent: int) -> int:
    """Send the prompts by the bare client on threads."""
    from openai import OpenAI

    client = OpenAI(api_key="no-key", base_url=url)
    with ThreadPoolExecutor(concurrent) as pool:
        replies = pool.map(lambda messages: client.chat.completions.create(**messages), prompts(count))
        return sum(bool(reply.choices[0].message.content) for reply in replies)


def by_asyncio(url: str, count: int, concurrent: int) -> int:
    """Send the prompts by the bare asynchronous client."""
    from openai import AsyncOpenAI

    async def run() -> int:
        client, slots = AsyncOpenAI(api_key="no-key", base_url=url), asyncio.Semaphore(concurrent)

        async def one(messages: dict) -> bool:
            async with slots:
                reply = await client.chat.completions.create(**messages)
            return bool(reply.choices[0].message.content)

        return sum(await asyncio.gather(*map(one, prompts(count))))

    return asyncio.run(run())


WAYS = {
    "answer_questions": by_kohaku,
    "openai client, threads": by_threads,
    "openai client, asyncio": by_asyncio,
}


def material(count: int):
    """Return questions and contexts of about 6,000 tokens, the answer in the first snippet."""
    questions = questions_table(*[(f"q{n}", f"How heavy is part {n}?", "kg") for n in range(count)])
    return questions, contexts_table({f"q{n}": _snippets(n) for n in range(count)})


def prompts(count: int) -> list[dict]:
    """Return the parameters of the same calls for a bare client."""
    made = [structured_prompt(Question(f"q{n}", f"How heavy is part {n}?", "kg"), _snippets(n)) for n in range(count)]
    return [
        {
            "model": "test-model",
            "messages": [{"role": "system", "content": one.system}, {"role": "user", "content": one.user}],
            "temperature": 0.2,
            "max_tokens": 1024,
        }
        for one in made
    ]


def _snippets(number: int):
    return [snippet(f"The part weighs {number + 100} kg. {WORDS * 16}", rank=rank) for rank in range(1, SNIPPETS + 1)]


def _in_process_of_its_own(name: str, url: str, options: argparse.Namespace) -> dict[str, float]:
    command = [sys.executable, __file__, "--way", name, url]
    command += ["--questions", str(options.questions), "--concurrent", str(options.concurrent)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def _measure(name: str, url: str, count: int, concurrent: int) -> None:
    WAYS[name](url, 1, 1)  # imports and the first connection
    before, cpu, started = _peak_mib(), time.process_time(), time.perf_counter()
    answered = WAYS[name](url, count, concurrent)
    wall_s = time.perf_counter() - started
    assert answered == count, f"{answered} of {count}"
    print(json.dumps({"wall_s": wall_s, "cpu_s": time.process_time() - cpu, "mib": _peak_mib() - before}))


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument("--latency-s", type=float, default=0.2)
    parser.add_argument("--concurrent", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--way", nargs=2, metavar=("NAME", "URL"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way:
        name, url = options.way
        _measure(name, url, options.questions, options.concurrent)
        sys.exit()
    return options


if __name__ == "__main__":
    main()
