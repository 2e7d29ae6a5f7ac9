"""How often the semantic cache finds a question in other words, and how often it takes another question for it.

    python benchmarks/semantic_cache.py [--data FOLDER]

The WattBot training questions are stored one by one. Then every other question, every paraphrase and every near miss
(another year, number, unit, name, negation or direction) of benchmarks/semantic_cache.jsonl is looked up: a paraphrase should
be found at its question, all others nowhere. The guard was written beside these cases, so the rates of strangers' questions
may be lower. The file holds our own words: of a near miss only what is replaced by what.
"""

from __future__ import annotations

import csv
import json
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from shared_data import data_parser

from kohaku_lib.conversation.cache.guard import ask_the_same
from kohaku_lib.conversation.cache.semantic_cache import SemanticCache
from kohaku_lib.embedding import embed_queries

CASES = Path(__file__).with_name("semantic_cache.jsonl")
MODES = ("exact", "precision", "adaptive")


def main() -> None:
    """Print hit rates and false hits by mode, with and without the guard, and the time of a lookup."""
    parser = data_parser(__doc__)
    parser.add_argument("--show", action="store_true", help="print the false hits and the paraphrases that were missed")
    options = parser.parse_args()
    questions = read_questions(options.data / "wattbot" / "train_QA.csv")
    cases = read_cases(questions)
    texts = list(dict.fromkeys([*questions.values(), *(case["text"] for case in cases)]))
    vectors = dict(zip(texts, embed_queries(texts), strict=True))
    for mode in MODES:
        for guard, agree in (("with guard", ask_the_same), ("without", lambda first, second: True)):
            print(f"{mode:10} {guard:11}", report(questions, cases, vectors, mode, agree, show=options.show))


def read_questions(path: Path) -> dict[str, str]:
    """Return the questions of a WattBot file by id."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return {row["id"]: row["question"] for row in csv.DictReader(stream)}


def read_cases(questions: dict[str, str]) -> list[dict[str, Any]]:
    """Return the cases with their texts; near misses are made from the questions."""
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    for case in cases:
        if case["kind"] == "near miss":
            case["text"] = questions[case["id"]].replace(case["find"], case["replace"], 1)
    return cases


def report(
    questions: dict[str, str],
    cases: list[dict[str, Any]],
    vectors: dict[str, np.ndarray],
    mode: Any,
    agree: Callable[[str, str], bool],
    *,
    show: bool,
) -> str:
    """Return the rates of one mode."""
    cache: SemanticCache[str] = SemanticCache(1000, lambda: 0.0, agree)
    counts: Counter[str] = Counter()
    for name, text in questions.items():  # all pairs: each question meets those stored before it and after it
        cache.clear()
        for other, words in questions.items():
            if other != name:
                cache.put("s", words, partial(vectors.__getitem__, words), other, mode, 300.0)
        counts["false pair"] += cache.get("s", text, partial(vectors.__getitem__, text), mode) is not None
    cache.clear()
    for name, text in questions.items():
        cache.put("s", text, partial(vectors.__getitem__, text), name, mode, 300.0)
    times_ms = []
    for case in cases:
        started = time.perf_counter()
        hit = cache.get("s", case["text"], partial(vectors.__getitem__, case["text"]), mode)
        times_ms.append((time.perf_counter() - started) * 1000)
        is_right = hit is not None and hit.value == case["id"]
        counts[case["kind"]] += 1
        if case["kind"] == "paraphrase":
            counts["found"] += is_right
            counts["false elsewhere"] += hit is not None and not is_right
        else:
            counts["false near miss"] += hit is not None
            counts[f"false: {case['changed']}"] += hit is not None
        if show and (hit is None) is (case["kind"] == "paraphrase"):
            print(f"  {case['kind']} {case['id']} {hit.similarity if hit else 0:.3f} {case['text']}")
    false = counts["false pair"] + counts["false elsewhere"] + counts["false near miss"]
    p50_ms, p95_ms = np.percentile(times_ms, [50, 95])
    kinds = ", ".join(f"{name[7:]} {count}" for name, count in sorted(counts.items()) if name.startswith("false:"))
    return (
        f"hits {counts['found']} of {counts['paraphrase']} paraphrases; false hits {false} "
        f"({counts['false near miss']} of {counts['near miss']} near misses [{kinds}], {counts['false pair']} of "
        f"{len(questions)} other questions); ms a lookup p50 {p50_ms:.2f}, p95 {p95_ms:.2f}"
    )


if __name__ == "__main__":
    main()
