"""Kohaku beside LlamaIndex, Haystack and txtai: the same texts, the same questions, the same embedding model.

    python benchmarks/peers.py [--data FOLDER] [--work FOLDER] [--environments FOLDER] [--page docs/comparison.md]

The 32 papers of WattBot are handed over as text, so that parsers are not compared; splitting, embedding and the structures
to search are what an index takes, the loading of the model included. No system is tuned: each has its own defaults, and where
it offers one its hybrid with BM25 (peers/run_SYSTEM.py). Each runs in a process and an environment of its own, with the versions
below, which the first call makes by pip. All are asked for 50 hits; ours are as many as its context holds. "cpu" is processor
time of all threads and child processes, which depends less on what else the machine does. Recall and evidence are computed here,
alike for all: the share of a question's documents among the first k of the ranking, and of the gold quote in the first 4,000
and 16,000 characters of the texts.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from retrieval_collections import Collection, wattbot
from shared_data import data_parser

import kohaku_assets
from kohaku_lib.documents import payload_from_json
from kohaku_lib.embedding.model_folder import model_folder
from kohaku_lib.evaluation.metrics.evidence import evidence_recall, gold_quote
from kohaku_lib.evaluation.metrics.judgements import Judgement
from kohaku_lib.evaluation.metrics.retrieval.interface import RankedContext
from kohaku_lib.evaluation.metrics.retrieval.recall import score_recall
from kohaku_lib.tables import DocumentPayload

TORCH = ("torch==2.13.0", "transformers==5.23.0", "numpy==2.4.6")  # what they have in common with us
FOLDER = Path(__file__).with_name("peers")
DEPTHS, BUDGETS = (1, 5), (4000, 16_000)


@dataclass(frozen=True)
class Peer:
    """A system: the row's name, its script in peers/, what pip installs for it, and the script's own arguments."""

    name: str
    script: str
    packages: tuple[str, ...] = ()  # none: this environment
    arguments: tuple[str, ...] = ()


_LLAMAINDEX = (
    "llama-index-core==0.14.25",
    "llama-index-embeddings-huggingface==0.8.0",
    "llama-index-retrievers-bm25==0.8.0",
    "sentence-transformers==6.2.0",
    *TORCH,
)
PEERS = (
    Peer("Kohaku", "run_kohaku"),
    Peer("LlamaIndex 0.14.25", "run_llamaindex", _LLAMAINDEX, ("1024", "200")),
    Peer("LlamaIndex 0.14.25, chunks of 256 tokens", "run_llamaindex", _LLAMAINDEX, ("256", "50")),
    Peer(
        "Haystack 3.4.0",
        "run_haystack",
        ("haystack-ai==3.4.0", "sentence-transformers-haystack==2.0.0", "sentence-transformers==6.2.0", *TORCH),
    ),
    Peer("txtai 9.14.0", "run_txtai", ("txtai==9.14.0", "faiss-cpu==1.15.1", *TORCH)),
)


def main() -> None:
    """Run every system in turn and print the table."""
    parser = data_parser(__doc__)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "kohaku-peers")
    parser.add_argument("--environments", type=Path, help="where those of the peers lie; by default beneath --work")
    parser.add_argument("--page", type=Path, help="a page of docs/ whose first table is replaced by this one")
    options = parser.parse_args()
    collection = wattbot(options.data)
    work = options.work.resolve()
    write_material(work, collection, options.data)
    environments = (options.environments or work / "environments").resolve()
    pythons = {peer.script: make_environment(environments, peer) for peer in PEERS}
    lines = [heading()]
    print(lines[0], flush=True)
    for peer in PEERS:
        for result in run_peer(peer, pythons[peer.script], work):
            cells = [f"{result[name]:,.0f}" for name in ("index_s", "index_cpu_s", "ms", "cpu_ms")]
            cells += [f"{score:.3f}" for score in scores(collection, result["found"])]
            lines.append(f"| {peer.name}, {result['mode']} | {' | '.join(cells)} |")
            print(lines[-1], flush=True)
    if options.page:
        write_table(options.page, lines)


def heading() -> str:
    """Return the first two lines of the table."""
    heads = ["index s", "index cpu s", "p50 ms a question", "cpu ms a question"]
    heads += [f"document recall@{k}" for k in DEPTHS] + [f"evidence in {budget:,} characters" for budget in BUDGETS]
    return f"| system ({os.cpu_count()} cores) | {' | '.join(heads)} |\n|---{'|---' * len(heads)}|"


def write_table(page: Path, lines: Sequence[str]) -> None:
    """Put the table into the place of the page's first one."""
    before, _, rest = page.read_text(encoding="utf-8").partition("\n\n| ")
    after = rest.partition("\n\n")[2]
    page.write_text("\n\n".join([before, "\n".join(lines), after]), encoding="utf-8")


def write_material(work: Path, collection: Collection, data: Path) -> None:
    """Write texts and questions for the peers, and a project over the same payloads, parsed but not indexed, for us."""
    home = work / "kohaku"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    payloads = [payload_from_json(json.loads(text)) for text in collection.documents["payload_json"].to_pylist()]
    texts = [{"id": payload.document_id, "text": text_of(payload)} for payload in payloads]
    (work / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in texts), encoding="utf-8")
    (work / "questions.json").write_text(json.dumps(dict(collection.questions)), encoding="utf-8")
    folder = data / "wattbot"
    settings = f'[corpus]\ndocuments = "{folder / "corpus"}"\nmetadata = "{folder / "metadata.csv"}"\n'
    (home / "kohaku.toml").write_text(settings, encoding="utf-8")
    report = kohaku_assets.refresh(home, ["documents", "image_captions"])
    if report.failure:
        sys.exit(report.failure)


def text_of(payload: DocumentPayload) -> str:
    """Return the title of a document and its paragraphs, with empty lines between them."""
    paragraphs = (part.text for section in payload.sections or () for part in section.paragraphs)
    return "\n\n".join([payload.title, *paragraphs])


def make_environment(environments: Path, peer: Peer) -> Path:
    """Return the interpreter for a peer; its environment is made by pip unless it is there."""
    if not peer.packages:
        return Path(sys.executable)
    home = environments / peer.script
    if not (home / "bin" / "python").exists():
        print(f"making {home} …", file=sys.stderr)
        venv.create(home, with_pip=True)
        subprocess.run([home / "bin" / "python", "-m", "pip", "install", "--quiet", *peer.packages], check=True)
    return home / "bin" / "python"


def run_peer(peer: Peer, python: Path, work: Path) -> Sequence[Mapping[str, Any]]:
    """Run a peer's script in its own process and return a result per mode (peers/measured.py)."""
    folder = work / "dagster_home"
    folder.mkdir(exist_ok=True)
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "DAGSTER_HOME": str(folder)}
    command = [python, FOLDER / f"{peer.script}.py", work, model_folder("minilm"), *peer.arguments]
    with (work / f"{peer.script}.log").open("w", encoding="utf-8") as log:
        subprocess.run(command, check=True, env=environment, stdout=log, stderr=log)
    return json.loads((work / f"{peer.script}.json").read_text(encoding="utf-8"))


def scores(collection: Collection, found: Mapping[str, tuple[Sequence[str], Sequence[str]]]) -> list[float]:
    """Return the mean recall of documents at every depth, and the mean evidence at every budget."""
    recalls: dict[int, list[float]] = {k: [] for k in DEPTHS}
    shares: dict[int, list[float]] = {budget: [] for budget in BUDGETS}
    for name, (documents, texts) in found.items():
        ranking = RankedContext(list(dict.fromkeys(document.lower() for document in documents)), None)
        judgement = Judgement(name, "", dict.fromkeys(collection.relevant[name], 1.0))
        quote = gold_quote(collection.truth[name])
        for k in DEPTHS:
            recalls[k].append(score_recall(judgement, ranking, k))
        if quote:
            for budget in BUDGETS:
                shares[budget].append(evidence_recall(quote, texts, budget) or 0.0)
    return [float(np.mean(values)) for values in (*recalls.values(), *shares.values())]


if __name__ == "__main__":
    main()
