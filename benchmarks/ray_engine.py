"""Embedding by threads of this process and by Ray actors: times for 1 and 2 workers, equal vectors, a killed worker.

    python benchmarks/ray_engine.py [--texts 2000] [--rounds 2]

Texts are the first of WattBot (--data, else KOHAKU_SHARED_DATA, else ../shared/data), each with a number before it, so
that all differ. A local cluster of two processors is started; its start and the loading of the model are timed apart,
by a first run over a few texts. Everything takes turns within each round, and the least time counts.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from kohaku_lib.embedding import ActorEncoder, embed_texts
from kohaku_lib.embedding.cached import embed
from kohaku_lib.settings import EmbeddingSettings
from kohaku_lib.storage import map_on_actors


def main() -> None:
    options = _options()
    texts = sample_texts(Path(options.data) / "wattbot" / "corpus", options.texts)
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
    print(f"\na worker killed in the middle: {killed()}")


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
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data", default=os.environ.get("KOHAKU_SHARED_DATA", "../shared/data"))
    parser.add_argument("--texts", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=2)
    return parser.parse_args()


if __name__ == "__main__":
    main()
