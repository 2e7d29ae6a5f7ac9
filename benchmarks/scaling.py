"""Growth of an index with its size: processor seconds, peak memory and disk per stage, searches, and refreshes after it.

    python benchmarks/scaling.py [--nodes 10000,100000] [--out scaling.json] [--limit-gib 8]

Documents are generated: Markdown of 92 nodes each, whose words are drawn from 50,000 with Zipf's frequencies. They are
embedded by a BERT of two layers with random weights (benchmarks/indexing.py) and a layer to 384 dimensions, so that the
time of a real model is not part of it, and the size of its vectors is. Each size runs in a process of its own, whose
data may not exceed --limit-gib, and tells its stages as they end. Then: 100 searches in the published tables, a refresh
with nothing to do, and one after a change of one document. Seconds are those of the processor, so that others may use
the machine meanwhile. The growth between two sizes is the exponent e of seconds ~ nodes^e.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from indexing import DIMENSIONS, make_model, status_mb, write_project

from kohaku_lib.embedding import embed_texts
from kohaku_lib.settings import EmbeddingSettings

VECTOR_DIMENSIONS, WORDS, SEARCHES, SEED = 384, 50_000, 100, 21
SECTIONS, PARAGRAPHS, SENTENCES, LENGTH = 5, 3, 5, 12
NODES_PER_DOCUMENT = 1 + SECTIONS + SECTIONS * PARAGRAPHS * (1 + SENTENCES) - SECTIONS


def main() -> None:
    options = _options()
    if options.child:
        resource.setrlimit(resource.RLIMIT_DATA, (options.limit_gib * 2**30,) * 2)
        print(json.dumps(build(Path(options.child))))
        return
    found: list[dict[str, Any]] = []
    for nodes in map(int, options.nodes.split(",")):
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            found.append(measure(Path(folder), nodes, options.limit_gib))
        print(json.dumps(found[-1]), file=sys.stderr, flush=True)
        if options.out:
            Path(options.out).write_text(json.dumps(found, indent=1), encoding="utf-8")
    print_tables(found)


def measure(folder: Path, nodes: int, limit_gib: int) -> dict[str, Any]:
    """Return what one size costs."""
    os.environ["DAGSTER_HOME"] = str(folder / "dagster_home")
    home = folder / "project"
    model = wide_model(folder)
    embed_texts(["converted before the clock starts"], EmbeddingSettings(model=str(model)))
    write_project(home, model)
    write_documents(home / "documents", max(1, nodes // NODES_PER_DOCUMENT))
    child = [sys.executable, __file__, "--child", str(home), "--limit-gib", str(limit_gib)]
    result = json.loads(subprocess.run(child, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()[-1])
    result |= search_times(home)
    refresh(home)  # what a first refresh leaves to the next one
    result["nothing to do"] = refresh(home)
    with (home / "documents" / "0000000.md").open("a", encoding="utf-8") as stream:
        stream.write("\n\nOne sentence was added to this document.\n")
    result["one document changed"] = refresh(home)
    return result


def build(home: Path) -> dict[str, Any]:
    """Build the tables of a project; return nodes, and seconds, peak (MB) and disk (MB) by stage."""
    from kohaku_assets.operations.refresh import refresh
    from kohaku_assets.pipeline.project import Project
    from kohaku_lib.composition import load_settings

    project = Project(load_settings(home / "kohaku.toml"))
    stages: dict[str, dict[str, float]] = {}
    running, before = ["start"], [time.process_time()]

    def next_stage(name: str) -> None:
        stages[running[-1]] = {"cpu_s": time.process_time() - before[0], "peak_mb": status_mb("VmHWM")}
        print(running[-1], json.dumps(stages[running[-1]]), file=sys.stderr, flush=True)
        running.append(name)
        before[0] = time.process_time()
        Path("/proc/self/clear_refs").write_text("5")  # sets the peak back to what is held now

    report = refresh(project, ["vector_tables"], on_stage=next_stage)
    assert report.failure is None, report.failure
    next_stage("end")
    for name in (one for one in stages if one != "start"):
        record = project.files.latest(name)
        stages[name]["disk_mb"] = project.files.path(name, record.input_key).stat().st_size / 1e6 if record else 0.0
    stages["vector_tables"]["disk_mb"] += folder_mb(project.snapshots)
    return {"nodes": project.files.open_latest("tree_nodes").num_rows, "stages": stages}


def search_times(home: Path) -> dict[str, Any]:
    """Return the median milliseconds of the processor and of the clock per search, after one that opens the index."""
    from kohaku_lib import open_project

    chance = np.random.default_rng(SEED + 1)
    with open_project(home) as project:
        project.search("amber")
        cpu, wall = [], []
        for _ in range(SEARCHES):
            query = " ".join(words(chance, 6))
            begun = time.process_time(), time.perf_counter()
            project.search(query)
            cpu.append(1000 * (time.process_time() - begun[0]))
            wall.append(1000 * (time.perf_counter() - begun[1]))
    return {"search_cpu_ms": statistics.median(cpu), "search_wall_ms": statistics.median(wall)}


def refresh(home: Path) -> float:
    """Run the command; return the processor's seconds."""
    before = os.times()
    command = [sys.executable, "-m", "kohaku_assets.cli", "refresh", "vector_tables"]
    command += ["--config", str(home / "kohaku.toml")]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def write_documents(folder: Path, count: int) -> None:
    """Write `count` documents of generated text."""
    chance = np.random.default_rng(SEED)
    folder.mkdir(parents=True)
    for number in range(count):
        drawn = iter(words(chance, 2 + SECTIONS * (2 + PARAGRAPHS * SENTENCES * LENGTH)))
        lines = [f"# {title(drawn)}"]
        for _ in range(SECTIONS):
            lines.append(f"## {title(drawn)}")
            lines += [" ".join(sentence(drawn) for _ in range(SENTENCES)) for _ in range(PARAGRAPHS)]
        (folder / f"{number:07}.md").write_text("\n\n".join(lines) + "\n", encoding="utf-8")


def words(chance: np.random.Generator, count: int) -> list[str]:
    """Draw words: syllables that spell a number, the smaller the more frequent."""
    numbers = np.minimum(chance.zipf(1.3, count), WORDS)
    return ["".join("bdfgklmnprstvz"[digit] + "aeiou"[digit % 5] for digit in digits(int(one))) for one in numbers]


def digits(number: int) -> list[int]:
    """Return the digits of a number to the base 14, at least two."""
    found = [number % 14, number // 14 % 14]
    while number := number // 196 if len(found) == 2 else number // 14:
        found.append(number % 14)
    return found


def title(drawn: Any) -> str:
    return " ".join(next(drawn) for _ in range(2)).capitalize()


def sentence(drawn: Any) -> str:
    return " ".join(next(drawn) for _ in range(LENGTH)).capitalize() + "."


def wide_model(folder: Path) -> Path:
    """Write the model of random weights with vectors of a usual size."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Dense

    make_model(folder / "narrow")
    narrow = SentenceTransformer(str(folder / "narrow"), device="cpu")
    torch.manual_seed(SEED)
    narrow.append(Dense(DIMENSIONS, VECTOR_DIMENSIONS))
    narrow.save(str(folder / "model"))
    return folder / "model"


def folder_mb(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def print_tables(found: list[dict[str, Any]]) -> None:
    """Print a table of the stages and one of what follows, with exponents between the last two sizes."""
    sizes = [one["nodes"] for one in found]
    for key, unit in (("cpu_s", "processor s"), ("peak_mb", "peak MB"), ("disk_mb", "disk MB")):
        rows = {name: [one["stages"].get(name, {}).get(key, 0.0) for one in found] for name in found[-1]["stages"]}
        rows.pop("start", None)
        total = max if key == "peak_mb" else sum
        rows["**all**"] = [total(row[number] for row in list(rows.values())) for number in range(len(found))]
        print_table(unit, sizes, rows)
    names = ("search_cpu_ms", "search_wall_ms", "nothing to do", "one document changed")
    print_table("after it", sizes, {name: [one[name] for one in found] for name in names})


def print_table(what: str, sizes: list[int], rows: dict[str, list[float]]) -> None:
    """Print rows of values by size, each with its growth."""
    print(f"\n| {what} | " + " | ".join(f"{size:,} nodes" for size in sizes) + " | exponent |")
    print("|---" * (len(sizes) + 2) + "|")
    for name, values in rows.items():
        growth = ""
        if len(values) > 1 and min(values[-2:]) > 0:
            growth = f"{math.log(values[-1] / values[-2]) / math.log(sizes[-1] / sizes[-2]):.2f}"
        print(f"| {name} | " + " | ".join(f"{value:,.1f}" for value in values) + f" | {growth} |")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", default="10000,100000", help="sizes, approximately")
    parser.add_argument("--out", help="file for the figures as JSON, written after each size")
    parser.add_argument("--limit-gib", type=int, default=8, help="limit of a build's memory")
    parser.add_argument("--folder", help="where to work")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
