"""Memory and time of indexing: peaks at 5 and 20 times a corpus, and the cost of one changed document.

    python benchmarks/indexing.py memory            peak memory, stage by stage, at 5 x and 20 x WattBot's 32 documents
    python benchmarks/indexing.py change            one changed document of 32, and settings that need no model call

Data comes from --data, else KOHAKU_SHARED_DATA, else ../shared/data. For `memory` the documents are copied with a share
of their words replaced by other words of the same corpus, and embedded by a model of two layers and 16 dimensions with
random weights, which is made on the spot: each size runs in a process of its own, whose peak is read stage by stage:
of all memory (VmHWM, set back between stages), and of the private part alone (RssAnon, looked at every 20 ms), without
pages of files, which the kernel can drop and other processes share.

`change` runs the whole command with the real default model: cold, with one document changed a little or all over, and
with other settings.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from shared_data import data_parser

DIMENSIONS, SHARE_OF_WORDS = 16, 0.15
WORD = re.compile(r"[a-z]{4,}")


def main() -> None:
    options = _options()
    if options.child:
        child(Path(options.child))
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        os.environ["DAGSTER_HOME"] = str(Path(folder, "dagster_home"))
        data = options.data / "wattbot"
        if options.what == "memory":
            memory(Path(folder), data / "corpus", [int(size) for size in options.sizes.split(",")])
        else:
            change(Path(folder), data / "corpus", options.rounds)


def memory(folder: Path, corpus: Path, sizes: list[int]) -> None:
    """Print the peak of every stage for each size, and their ratio."""
    make_model(folder / "model")
    found: dict[int, dict[str, Any]] = {}
    for size in sizes:
        home = folder / f"x{size}"
        multiply(corpus, home / "documents", size)
        write_project(home, folder / "model")
        started = time.perf_counter()
        command = [sys.executable, __file__, "memory", "--child", str(home)]
        told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        found[size] = json.loads(told.splitlines()[-1])
        print(f"{size} x: {found[size]['rows']:,} nodes in {time.perf_counter() - started:.0f} s", file=sys.stderr)
        shutil.rmtree(home)
    for what in ("all memory", "private memory"):
        print_peaks(what, {size: found[size][what] for size in sizes})


def print_peaks(what: str, peaks: dict[int, dict[str, float]]) -> None:
    """Print a table of the peaks (MB) by size and stage."""
    print(f"\n| {what} | " + " | ".join(f"{size} x, MB" for size in peaks) + " | ratio |")
    print("|---" * (len(peaks) + 2) + "|")
    found = list(peaks.values())
    small, large = found[0], found[-1]
    for stage in large:
        cells = " | ".join(f"{one[stage]:.0f}" for one in found)
        print(f"| {stage} | {cells} | {large[stage] / small[stage]:.2f} |")
    most = [max(one.values()) for one in found]
    print(f"| **whole run** | {' | '.join(f'{peak:.0f}' for peak in most)} | {most[-1] / most[0]:.2f} |")


def child(home: Path) -> None:
    """Build the index of a project and print the peak of every stage, in MB."""
    import dagster as dg

    from kohaku_assets.definitions import own_defs
    from kohaku_assets.pipeline.project import Project
    from kohaku_assets.pipeline.run import Run
    from kohaku_assets.pipeline.stages import with_ancestors
    from kohaku_lib.composition import load_settings

    project = Project(load_settings(home / "kohaku.toml"))
    peaks: dict[str, float] = {}
    private: dict[str, float] = {}
    running = ["start"]

    def look() -> None:
        private[running[-1]] = max(private.get(running[-1], 0.0), status_mb("RssAnon"))

    def keep_looking() -> None:
        while True:
            look()
            time.sleep(0.02)

    threading.Thread(target=keep_looking, daemon=True).start()

    def next_stage(name: str) -> None:
        look()
        peaks[running[-1]] = status_mb("VmHWM")
        running.append(name)
        Path("/proc/self/clear_refs").write_text("5")  # sets the peak back to what is held now

    defs = own_defs(project, Run(project, on_stage=next_stage))
    chosen = dg.AssetSelection.assets(*with_ancestors(["vector_tables"]))
    kinds = (dg.AssetsDefinition, dg.AssetSpec, dg.SourceAsset)  # all that `materialize` takes
    everything = [one for one in (*(defs.assets or ()), *(defs.asset_checks or ())) if isinstance(one, kinds)]
    logs = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    with dg.instance_for_test() as instance:
        dg.materialize(
            everything, selection=chosen, instance=instance, resources=dict(defs.resources or {}), run_config=logs
        )
    next_stage("end")
    rows = project.files.open_latest("tree_nodes").num_rows
    print(json.dumps({"all memory": peaks, "private memory": {name: private[name] for name in peaks}, "rows": rows}))


def status_mb(name: str) -> float:
    """Return a size that the kernel tells of this process: VmHWM the most since it was set back, RssAnon what is private."""
    told = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(re.findall(rf"{name}:\s+(\d+) kB", told)[0]) / 1024


def change(folder: Path, corpus: Path, rounds: int) -> None:
    """Print what `kohaku refresh vector_tables` costs cold, after one changed document, and after changed settings."""
    documents = folder / "documents"
    shutil.copytree(corpus, documents)
    write_project(folder, None)
    by_size = sorted(documents.glob("*.json"), key=lambda path: path.stat().st_size)
    middle, largest = by_size[len(by_size) // 2], by_size[-1]
    times: dict[str, list[dict[str, Any]]] = {}
    for turn in range(rounds):
        shutil.rmtree(folder / "store", ignore_errors=True)
        times.setdefault("cold", []).append(refresh(folder))
        extend(middle, f"Figure {turn} was added.")
        times.setdefault("one sentence added to the middle document", []).append(refresh(folder))
        for name, path in (("middle", middle), ("largest", largest)):
            text = json.dumps(altered(json.loads(path.read_text(encoding="utf-8")), [f"word{turn}"], turn))
            path.write_text(text, encoding="utf-8")
            times.setdefault(f"{SHARE_OF_WORDS:.0%} of the words of the {name} document", []).append(refresh(folder))
    for setting in (
        "embedding.dim=128",
        "embedding.weighting=chars",
        "embedding.paragraph_mode=full",
        "embedding.paragraph_mode=averaged",
    ):
        times[setting] = [refresh(folder, setting)]
    combined = ("embedding.paragraph_mode=full", "embedding.dim=128")
    times[" and ".join(combined)] = [refresh(folder, *combined)]
    shutil.rmtree(folder / "store")
    times["cold, embedding.paragraph_mode=averaged"] = [refresh(folder, "embedding.paragraph_mode=averaged")]
    cold = {name: min(one[name] for one in times["cold"]) for name in ("wall", "cpu")}
    print("| | wall s | of cold | CPU s | of cold | texts embedded |")
    print("|---|---|---|---|---|---|")
    for name, runs in times.items():
        wall, cpu = (min(run[kind] for run in runs) for kind in ("wall", "cpu"))
        shares = f"{wall:.1f} | {wall / cold['wall']:.2f} | {cpu:.1f} | {cpu / cold['cpu']:.2f}"
        print(f"| {name} | {shares} | {runs[-1]['texts']:,} |")


def extend(path: Path, sentence: str) -> None:
    """Add a sentence to a paragraph in the middle of a payload."""
    payload = json.loads(path.read_text(encoding="utf-8"))
    sections = [section for section in payload["sections"] if section["paragraphs"]]
    paragraph = sections[len(sections) // 2]["paragraphs"][0]
    paragraph["text"] += f" {sentence}"
    if paragraph.get("sentences"):
        paragraph["sentences"].append({"text": sentence})
    path.write_text(json.dumps(payload), encoding="utf-8")


def refresh(folder: Path, *settings: str) -> dict[str, Any]:
    """Run the command; return its seconds and the number of texts that cost a model call."""
    overrides = [part for setting in settings for part in ("--set", setting)]
    command = [sys.executable, "-m", "kohaku_assets.cli", "refresh", "vector_tables", "--json"]
    command += ["--config", str(folder / "kohaku.toml"), *overrides]
    before, started = os.times(), time.perf_counter()
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    wall, after = time.perf_counter() - started, os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    texts = sum(
        row["computed"] or 0 for row in json.loads(told) if row["asset"].endswith(("ce_embeddings", "ph_embeddings"))
    )
    return {"wall": wall, "cpu": used, "texts": texts}


def multiply(corpus: Path, target: Path, times: int) -> None:
    """Write `times` altered copies of every payload of `corpus`."""
    target.mkdir(parents=True)
    payloads = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(corpus.glob("*.json"))}
    words = sorted({word for payload in payloads.values() for word in WORD.findall(payload["text"])})
    for copy in range(times):
        for stem, payload in payloads.items():
            changed = altered(payload, words, copy) | {"document_id": f"{stem}-{copy}"}
            (target / f"{stem}-{copy}.json").write_text(json.dumps(changed), encoding="utf-8")


def altered(value: Any, words: list[str], seed: int) -> Any:
    """Return a payload with a share of the words of its texts replaced by others of `words`."""
    chance = random.Random(seed)

    def change(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: replaced(item) if key == "text" and item else change(item) for key, item in part.items()}
        return [change(item) for item in part] if isinstance(part, list) else part

    def replaced(text: str) -> str:
        return WORD.sub(lambda m: chance.choice(words) if chance.random() < SHARE_OF_WORDS else m.group(), text)

    return change(value)


def make_model(folder: Path) -> None:
    """Write a sentence-transformers BERT of two layers and 16 dimensions with random weights."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizer

    torch.manual_seed(0)
    letters = "abcdefghijklmnopqrstuvwxyz0123456789.,-()%"
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{letter}" for letter in letters)]
    plain = folder.with_name("bert")
    plain.mkdir()
    (plain / "vocab.txt").write_text("\n".join(tokens), encoding="utf-8")
    config = BertConfig(
        vocab_size=len(tokens),
        hidden_size=DIMENSIONS,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=4 * DIMENSIONS,
        max_position_embeddings=64,
    )
    BertModel(config).save_pretrained(plain)
    BertTokenizer(str(plain / "vocab.txt")).save_pretrained(plain)
    word = Transformer(str(plain), max_seq_length=64)
    SentenceTransformer(modules=[word, Pooling(DIMENSIONS)], device="cpu").save(str(folder))


def write_project(home: Path, model: Path | None) -> None:
    """Write a kohaku.toml that indexes `home`/documents."""
    lines = [f'store = "{home / "store"}"', "[corpus]", f'documents = "{home / "documents"}"']
    if model is not None:
        lines += ["[embedding]", f'model = "{model}"']
    home.mkdir(parents=True, exist_ok=True)
    (home / "kohaku.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = data_parser(__doc__)
    parser.add_argument("what", choices=("memory", "change"))
    parser.add_argument("--folder", help="where to work; a temporary folder by default")
    parser.add_argument("--sizes", default="5,20", help="times the corpus, for memory")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
