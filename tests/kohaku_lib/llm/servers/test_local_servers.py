"""Which models servers on this machine offer, by the protocol of each."""

import socket
import time
from http.server import BaseHTTPRequestHandler

import pytest
from model_servers import ModelServer

from kohaku_lib.llm.servers import local_servers
from kohaku_lib.llm.servers.local_servers import FoundModel, find_models
from kohaku_lib.testing.joined_server import JoinedServer

OLLAMA = {
    "/api/tags": {
        "models": [
            {"name": "qwen3:8b", "size": 5_200_000_000, "details": {"family": "qwen3"}},
            {"name": "llama3.2:3b", "size": 2_000_000_000},
            {"name": "nomic:latest", "size": 274_000_000},
        ]
    },
    "/api/ps": {"models": [{"name": "qwen3:8b", "context_length": 4096}]},
    "POST /api/show": {
        "qwen3:8b": {"capabilities": ["completion", "tools"], "parameters": "stop x\nnum_ctx 16384"},
        "llama3.2:3b": {"capabilities": ["completion"], "parameters": "temperature 0.6\nnum_ctx 8192"},
        "nomic:latest": {"capabilities": ["embedding"]},
    },
}
LM_STUDIO = {
    "/api/v0/models": {
        "data": [
            {"id": "qwen2.5-7b", "type": "llm", "state": "loaded", "loaded_context_length": 8192},
            {"id": "gemma-3", "type": "vlm", "state": "not-loaded", "max_context_length": 131072},
            {"id": "bge-m3", "type": "embeddings"},
        ]
    }
}
LLAMA_CPP = {
    "/v1/models": {
        "data": [{"id": "m.gguf", "owned_by": "llamacpp", "meta": {"size": 1_117_000_000, "n_ctx_train": 32768}}]
    },
    "/props": {"default_generation_settings": {"n_ctx": 4096}},
}
VLLM = {"/v1/models": {"data": [{"id": "Qwen/Qwen3-4B", "owned_by": "vllm", "max_model_len": 40960}]}}


def models_of(replies):
    with ModelServer(replies) as server:
        found = find_models([server.port])
    assert {one.base_url for one in found} <= {server.address}
    return [(one.server, one.name, one.size_bytes, one.context_window, one.is_embedding) for one in found]


@pytest.mark.parametrize(
    ("replies", "models"),
    [
        (
            OLLAMA,
            [
                ("Ollama", "qwen3:8b", 5_200_000_000, 4096, False),  # as it is loaded, whatever its file says
                ("Ollama", "llama3.2:3b", 2_000_000_000, 8192, False),
                ("Ollama", "nomic:latest", 274_000_000, None, True),
            ],
        ),
        (
            LM_STUDIO,
            [
                ("LM Studio", "qwen2.5-7b", None, 8192, False),
                ("LM Studio", "gemma-3", None, None, False),
                ("LM Studio", "bge-m3", None, None, True),
            ],
        ),
        (LLAMA_CPP, [("llama.cpp", "m.gguf", 1_117_000_000, 4096, False)]),
        (VLLM, [("vLLM", "Qwen/Qwen3-4B", None, 40960, False)]),
        ({"/v1/models": {"data": [{"id": "any"}]}}, [("OpenAI-compatible", "any", None, None, False)]),
        (
            {"/v1/models": {"data": [{"id": "nomic-embed-text"}]}},
            [("OpenAI-compatible", "nomic-embed-text", None, None, True)],
        ),
    ],
)
def test_each_server_tells_of_its_models_in_its_own_protocol(replies, models):
    assert models_of(replies) == models


@pytest.mark.parametrize(
    "reply",
    [
        b"<html>a web page</html>",
        b"\xff\xfe",
        [],
        {"data": None},
        {"data": ["text", 4, {"id": None}, {"id": ""}]},
        b" " * 5_000_000,
        b"[" * 200_000,
    ],
    ids=["page", "bytes", "list", "null", "no names", "endless", "nested"],
)
def test_what_is_no_list_of_models_offers_none(reply):
    assert models_of({"/v1/models": reply, "/api/tags": reply, "/api/v0/models": reply}) == []


def test_kohakus_own_server_offers_none():
    assert models_of({"/v1/models": {"data": [{"id": "kohaku", "owned_by": "kohaku"}]}}) == []


def test_a_port_on_which_nothing_listens_offers_none():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        assert find_models([unused.getsockname()[1]]) == []


def test_no_proxy_is_asked_and_no_redirect_followed(monkeypatch):
    with ModelServer(LLAMA_CPP) as beyond, ModelServer(VLLM) as server:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{beyond.port}")
        monkeypatch.delenv("NO_PROXY", raising=False)
        assert [one.server for one in find_models([server.port])] == ["vLLM"]
        assert beyond.asked == []


@pytest.mark.parametrize("name", ["a\x1b[31m", "a\n", "half \ud800", "\u202egfu", " ", "n" * 201], ids=ascii)
@pytest.mark.parametrize("path", ["/v1/models", "/api/v0/models", "/api/tags"])
def test_a_name_that_cannot_be_shown_is_left_out(path, name):
    rows = [{"id": one, "name": one} for one in (name, "n" * 200)]
    assert [one[1] for one in models_of({path: {"data": rows, "models": rows}})] == ["n" * 200]


def test_a_server_whose_name_cannot_be_shown_has_the_usual_one():
    [model] = models_of({"/v1/models": {"data": [{"id": "m", "owned_by": "me\x07"}]}})
    assert model[0] == "OpenAI-compatible"


@pytest.mark.parametrize(
    ("tokens", "window"), [(10**8, 10**8), (10**8 + 1, None), (10**30, None), (0, None), (-1, None), (True, None)]
)
def test_a_window_that_no_model_has_is_unknown(tokens, window):
    told = {"data": [{"id": "m", "max_model_len": tokens, "meta": {"size": 10**400}}]}
    assert models_of({"/v1/models": told}) == [("OpenAI-compatible", "m", None, window, False)]


@pytest.mark.parametrize("digits", [20, 5000])  # Python reads at most 4300
def test_a_stated_window_of_any_length_is_unknown(digits):
    shown = {"POST /api/show": {"m": {"parameters": f"num_ctx {'9' * digits}"}}}
    assert models_of({"/api/tags": {"models": [{"name": "m"}]}, **shown}) == [("Ollama", "m", None, None, False)]


def dripping(is_over):
    """Return a server whose head never ends until `is_over()`."""

    class Drip(BaseHTTPRequestHandler):
        def do_GET(self):
            try:
                self.wfile.write(b"HTTP/1.1 200 OK\r\n")
                while not is_over():
                    self.wfile.write(b"X-Piece: more\r\n")
                    time.sleep(0.02)
            except OSError:
                pass  # nobody reads it any more

        do_HEAD = do_POST = do_GET  # noqa: N815

        def log_message(self, *_):
            """Write nothing."""

    return JoinedServer(Drip)


def test_a_server_that_never_ends_is_left_when_the_time_of_all_is_over(monkeypatch):
    monkeypatch.setattr(local_servers, "_TIMEOUT_S", 0.5)
    with dripping(lambda: False) as server:
        assert find_models([server.server_address[1]] * 3) == []


def test_a_server_that_never_ends_keeps_no_other_from_being_found():
    with ModelServer(VLLM) as other, dripping(lambda: "GET /v1/models" in other.asked) as server:
        assert [one.name for one in find_models([server.server_address[1], other.port])] == ["Qwen/Qwen3-4B"]


def test_the_digest_is_of_all_that_is_shown_but_the_window():
    shown = FoundModel("vLLM", "http://127.0.0.1:8000/v1", "m", 1, 4096)
    assert shown.digest == FoundModel("vLLM", "http://127.0.0.1:8000/v1", "m", 1, 8192).digest
    others = [
        FoundModel("Ollama", shown.base_url, "m", 1),
        FoundModel("vLLM", "http://127.0.0.1:8080/v1", "m", 1),
        FoundModel("vLLM", shown.base_url, "n", 1),
        FoundModel("vLLM", shown.base_url, "m", 2),
        FoundModel("vLLM", shown.base_url, "m", 1, is_embedding=True),
    ]
    assert len({one.digest for one in (shown, *others)}) == 6
