"""Embedding and answering by this process and by Ray actors: times for 1 and 2 workers, equal results, a killed worker.

    python benchmarks/ray_engine.py [--texts 2000] [--questions 41] [--rounds 2]

Texts are the first of WattBot (--data, else KOHAKU_SHARED_DATA, else ../shared/data), each with a number before it, so
that all differ. A local cluster of two processors is started; its start and the loading of the model are timed apart,
by a first run over a few texts. Everything takes turns within each round, and the least time counts.

Answers are those of the extractive reader, which this process gives one by one: each question of train_QA.csv with the
40 snippets of the corpus that share the most words with it; and those of a chat model that takes 50 ms, eight at once.
Each run of answers begins with fresh actors, whose imports are in its time: a few seconds that only long work repays.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
from shared_data import data_parser

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from answering_material import chat_settings, contexts_table

from kohaku_lib.answering import (
    Engine,
    GivenParts,
    answer_on_actors,
    answer_questions,
    build_answerer,
    read_questions,
)
from kohaku_lib.embedding import ActorEncoder, embed_texts
from kohaku_lib.embedding.cached import embed
from kohaku_lib.llm import build_chat
from kohaku_lib.parallel import map_on_actors
from kohaku_lib.settings import EmbeddingSettings, ParallelSettings, Settings
from kohaku_lib.tables import Snippet
from kohaku_lib.testing.openai_server import OpenAIServer


def main() -> None:
    options = _options()
    texts = sample_texts(options.data / "wattbot" / "corpus", options.texts)
    settings = EmbeddingSettings()
    started = time.perf_counter()
    list(map_on_actors(lambda: str, ["first"], 1))
    print(f"local cluster started in {time.perf_counter() - started:.1f} s\n")
    ways: dict[str, Callable[[list[str]], np.ndarray]] = {"threads": embed_texts}
    for workers in (1, 2):
        encoder = ActorEncoder(settings, workers)
        ways[f"ray, {workers} worker{'s' * (workers > 1)}"] = lambda part, encoder=encoder: (
            embed(part, settings, None, "document", encoder=encoder).vectors
        )
    expected = embed_texts(texts)
    loading = {name: timed(way, texts[:8])[0] for name, way in ways.items()}
    times: dict[str, list[float]] = {name: [] for name in ways}
    least: dict[str, float] = {}
    for _ in range(options.rounds):
        for name, way in ways.items():
            seconds, vectors = timed(way, texts)
            times[name].append(seconds)
            least[name] = float((vectors * expected).sum(axis=1).min())
    print(f"| {len(texts):,} texts | s | texts/s | of threads | eight texts (starting, loading) s | least cosine |")
    print("|---|---|---|---|---|---|")
    base = min(times["threads"])
    for name, runs in times.items():
        best = min(runs)
        rate = f"{len(texts) / best:.0f} | {best / base:.2f}"
        print(f"| {name} | {best:.1f} | {rate} | {loading[name]:.1f} | {least[name]:.6f} |")
    print(f"\na worker killed in the middle: {killed()}\n")
    answering(options.data / "wattbot", options.questions, options.rounds)


def answering(folder: Path, count: int, rounds: int) -> None:
    """Print how long answers take by each engine, and whether they are equal."""
    questions = read_questions(folder / "train_QA.csv")[0].slice(0, count)
    contexts = contexts_table(snippets_of(folder / "corpus", questions))
    print("| answers | engine | s | of threads | equal rows |\n|---|---|---|---|---|")
    with OpenAIServer(delay_s=0.05) as server:
        chat = chat_settings(server.base_url, llm={"max_concurrent": 8})
        for name, settings in {"rules": Settings(), "chat, 50 ms a call": chat}.items():
            _compare_answers(name, settings, questions, contexts, rounds)


def _compare_answers(name: str, settings: Settings, questions: pa.Table, contexts: pa.Table, rounds: int) -> None:
    ways = {"threads": lambda: _by_threads(settings, questions, contexts)}
    for workers in (1, 2):
        spread = settings.model_copy(update={"parallel": ParallelSettings(kind="ray", workers=workers)})
        ways[f"ray, {workers} worker{'s' * (workers > 1)}"] = lambda spread=spread: answer_on_actors(
            questions, contexts, spread, _parts
        )[0]
    expected = ways["threads"]()
    times: dict[str, list[float]] = {way: [] for way in ways}
    equal: dict[str, bool] = {}
    for _ in range(rounds):
        for way, run in ways.items():
            started = time.perf_counter()
            table = run()
            times[way].append(time.perf_counter() - started)
            equal[way] = table.equals(expected)
    for way, runs in times.items():
        ratio = min(runs) / min(times["threads"])
        print(f"| {name} | {way} | {min(runs):.1f} | {ratio:.2f} | {'all' if equal[way] else 'NOT all'} |")


def _by_threads(settings: Settings, questions: pa.Table, contexts: pa.Table) -> pa.Table:
    return answer_questions(questions, contexts, Engine(settings, _parts(settings)))[0]


def _parts(settings: Settings) -> GivenParts:
    return GivenParts([build_answerer(settings, build_chat(settings.llm))], None, {})


def snippets_of(corpus: Path, questions: pa.Table) -> dict[str, list[Snippet]]:
    """Return for each question the 40 runs of five sentences that share the most words with it."""
    runs: list[tuple[str, str]] = []
    for path in sorted(corpus.glob("*.json")):
        sentences = json.loads(path.read_text(encoding="utf-8"))["text"].split(". ")
        runs += [(path.stem, ". ".join(sentences[at : at + 5]) + ".") for at in range(0, len(sentences), 3)]
    words = [set(text.lower().split()) for _, text in runs]
    found: dict[str, list[Snippet]] = {}
    for row in questions.to_pylist():
        asked = set(row["question"].lower().split())
        best = sorted(range(len(runs)), key=lambda at: -len(asked & words[at]))[:40]
        found[row["id"]] = [
            Snippet(f"{runs[at][0]}:p{at}", runs[at][0], runs[at][0], None, runs[at][1], rank, 1.0 / rank)
            for rank, at in enumerate(best, 1)
        ]
    return found


def killed() -> str:
    """Return what became of 20 pieces of work of which one kills its worker."""
    with tempfile.TemporaryDirectory() as folder:
        mark = Path(folder, "killed")

        def make() -> Callable[[int], int]:
            def work(number: int) -> int:
                if number == 10 and not mark.exists():
                    mark.touch()
                    os.kill(os.getpid(), signal.SIGKILL)
                return number

            return work

        found = sorted(result for _, result in map_on_actors(make, range(20), 2))
        return f"{len(found)} of 20 results came, each {'once' if found == list(range(20)) else 'NOT once'}"


def timed(way: Callable[[list[str]], np.ndarray], texts: list[str]) -> tuple[float, np.ndarray]:
    """Return the seconds that one way takes, and its vectors."""
    started = time.perf_counter()
    vectors = way(texts)
    return time.perf_counter() - started, vectors


def sample_texts(corpus: Path, count: int) -> list[str]:
    """Return `count` sentences of the corpus, numbered."""
    texts: list[str] = []
    for path in sorted(corpus.glob("*.json")):
        text = json.loads(path.read_text(encoding="utf-8"))["text"]
        texts += [f"{len(texts) + at} {part.strip()}" for at, part in enumerate(text.split(". ")) if part.strip()]
    return texts[:count]


def _options() -> argparse.Namespace:
    parser = data_parser(__doc__)
    parser.add_argument("--texts", type=int, default=2000)
    parser.add_argument("--questions", type=int, default=41)
    parser.add_argument("--rounds", type=int, default=2)
    return parser.parse_args()


if __name__ == "__main__":
    main()
