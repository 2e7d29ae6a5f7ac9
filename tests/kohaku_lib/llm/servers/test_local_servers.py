"""Which models servers on this machine offer, by the protocol of each."""

import socket

import pytest
from model_servers import ModelServer

from kohaku_lib.llm.servers.local_servers import find_models

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
