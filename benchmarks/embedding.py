"""Embed the sentences of a corpus, side by side in one run: ours, and the loop that KohakuRAG uses.

That loop takes one document after another, in float32, 32 texts a call, in the order in which they come. Also printed:
how near our vectors are to the float32 ones, whether the nearest sentences of the questions change, and which share of
the processor's measured matrix throughput is reached. With --device cuda (or auto, where there is a GPU) the same is
done there: the loop in float32 against float16 in batches sorted by length.

    python benchmarks/embedding.py [--data FOLDER] [--device auto|cpu|cuda] [--documents 6] [--texts 3000] [--repeats 2]

Reads payload JSON files from wattbot/corpus and questions from wattbot/train_QA.csv of FOLDER (default:
KOHAKU_SHARED_DATA, else ../shared/data).
"""

from __future__ import annotations

import csv
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np
from shared_data import data_parser

LAYERS, WIDTH, INNER = 6, 384, 1536  # of all-MiniLM-L6-v2


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto", help="auto: CPU, and GPU if any")
    parser.add_argument("--documents", type=int, default=6)
    parser.add_argument("--texts", type=int, default=3000)
    parser.add_argument("--repeats", type=int, default=2)
    options = parser.parse_args()
    data = options.data / "wattbot"
    documents = read_documents(data, options.documents, options.texts)
    texts = [text for document in documents for text in document]
    if options.device != "cuda":
        report(texts, read_questions(data), *measured(make_candidates(documents, texts), options.repeats))
    if options.device != "cpu":
        report_gpu(documents, read_questions(data), options.repeats)


def measured(
    candidates: dict[str, Callable[[], np.ndarray]], repeats: int
) -> tuple[dict[str, float], dict[str, np.ndarray]]:
    seconds = dict.fromkeys(candidates, np.inf)
    vectors = {}
    for _ in range(repeats):
        for name, run in candidates.items():
            started = time.perf_counter()
            vectors[name] = run()
            seconds[name] = min(seconds[name], time.perf_counter() - started)
    return seconds, vectors


def read_documents(data: Path, count: int, most: int) -> list[list[str]]:
    documents: list[list[str]] = []
    left = most
    for path in sorted((data / "corpus").glob("*.json"))[:count]:
        sections = json.loads(path.read_text(encoding="utf-8"))["sections"] or []
        found = [s["text"] for section in sections for p in section["paragraphs"] for s in p["sentences"] or []]
        documents.append([text for text in found if text.strip()][:left])
        left -= len(documents[-1])
    return documents


def read_questions(data: Path) -> list[str]:
    with (data / "train_QA.csv").open(encoding="utf-8") as file:
        return [row["question"] for row in csv.DictReader(file)]


def make_candidates(
    documents: list[list[str]], texts: list[str], device: Literal["cpu", "cuda"] = "cpu"
) -> dict[str, Callable[[], np.ndarray]]:
    from sentence_transformers import SentenceTransformer

    from kohaku_lib.embedding import embed_texts
    from kohaku_lib.embedding.model_folder import model_folder
    from kohaku_lib.settings import EmbeddingSettings

    plain = SentenceTransformer(str(model_folder("minilm")), device=device)
    options = {"batch_size": 32, "show_progress_bar": False, "normalize_embeddings": True}

    def loop() -> np.ndarray:
        calls = [d[start : start + 32] for d in documents for start in range(0, len(d), 32)]
        return np.concatenate([plain.encode(call, **options) for call in calls])

    backends = ("openvino", "torch") if device == "cpu" else ("torch",)
    ours = {f"kohaku, {b}": EmbeddingSettings(device=device, backend=b) for b in backends}
    for settings in ours.values():
        embed_texts(["loaded before the clock starts"], settings)
    named = {name: (lambda settings=settings: embed_texts(texts, settings)) for name, settings in ours.items()}
    return {
        "loop per document, float32, batch 32, arrival order": loop,
        "sentence-transformers, float32, one call, sorted": lambda: plain.encode(texts, **options),
        **named,
    }


def report(texts: list[str], questions: list[str], seconds: dict[str, float], vectors: dict[str, np.ndarray]) -> None:
    work = total_flops(texts)
    ceilings = {name: matrix_flops(name) for name in ("float32", "bfloat16")}
    exact = next(iter(vectors.values()))
    slowest = next(iter(seconds.values()))
    print(f"{len(texts)} texts, {os.cpu_count()} cores; one matrix product of 2048 x 384 x 1536:")
    print(", ".join(f"{name} {value / 1e9:.0f} GFLOP/s" for name, value in ceilings.items()), "\n")
    print(
        "| candidate | s | texts/s | ratio | GFLOP/s | of bf16 | of f32 | least cosine | mean cosine | best 10 | same first |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name, taken in seconds.items():
        cosines = (vectors[name] * exact).sum(axis=1)
        shares = " | ".join(f"{work / taken / ceilings[kind]:.0%}" for kind in ("bfloat16", "float32"))
        overlap, first = neighbours(questions, exact, vectors[name])
        print(
            f"| {name} | {taken:.1f} | {len(texts) / taken:.0f} | {slowest / taken:.2f} | {work / taken / 1e9:.0f} | {shares} "
            f"| {cosines.min():.5f} | {cosines.mean():.5f} | {overlap:.3f} | {first} |"
        )


def report_gpu(documents: list[list[str]], questions: list[str], repeats: int) -> None:
    import torch

    if not torch.cuda.is_available():
        print("\nNo GPU here (torch.cuda.is_available() is False): the GPU section was not run.")
        return
    texts = [text for document in documents for text in document]
    seconds, vectors = measured(make_candidates(documents, texts, "cuda"), repeats)
    exact, slowest = next(iter(vectors.values())), next(iter(seconds.values()))
    print(f"\n{len(texts)} texts on {torch.cuda.get_device_name()}:\n")
    print("| candidate | s | texts/s | ratio | least cosine | mean cosine | best 10 | same first |")
    print("|---|---|---|---|---|---|---|---|")
    for name, taken in seconds.items():
        cosines = (vectors[name] * exact).sum(axis=1)
        overlap, first = neighbours(questions, exact, vectors[name])
        print(
            f"| {name} | {taken:.2f} | {len(texts) / taken:.0f} | {slowest / taken:.2f} | {cosines.min():.5f} "
            f"| {cosines.mean():.5f} | {overlap:.3f} | {first} |"
        )


def total_flops(texts: list[str]) -> float:
    """Return the multiplications and additions of the model's layers over the tokens that are there, padding left out."""
    from kohaku_lib.embedding.encoders.openvino_batches import tokenize
    from kohaku_lib.embedding.model_folder import model_folder

    lengths = np.array([len(ids) for ids in tokenize(model_folder("minilm"), texts, 256).ids], dtype=np.float64)
    linear = 2 * LAYERS * (4 * WIDTH * WIDTH + 2 * WIDTH * INNER)
    return float((lengths * linear + 4 * LAYERS * WIDTH * lengths**2).sum())


def matrix_flops(precision: str) -> float:
    import torch

    left, right = (torch.rand(shape).to(getattr(torch, precision)) for shape in ((2048, WIDTH), (WIDTH, INNER)))
    best = np.inf
    for _ in range(200):
        started = time.perf_counter()
        _ = left @ right
        best = min(best, time.perf_counter() - started)
    return 2 * 2048 * WIDTH * INNER / best


def neighbours(questions: list[str], exact: np.ndarray, found: np.ndarray) -> tuple[float, str]:
    """Return the mean share of the ten best that stay, and for how many questions the first one does."""
    from kohaku_lib.embedding import embed_queries

    queries = embed_queries(questions)
    tops = [np.argsort(-(queries @ matrix.T), axis=1)[:, :10] for matrix in (exact, found)]
    shared = [len(set(a) & set(b)) / 10 for a, b in zip(*tops, strict=True)]
    return float(np.mean(shared)), f"{int((tops[0][:, 0] == tops[1][:, 0]).sum())} of {len(questions)}"


if __name__ == "__main__":
    main()
