"""The models that servers on this machine offer: Ollama, LM Studio, llama.cpp, vLLM, and others of OpenAI's protocol."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx

# Where servers listen unless they are told otherwise: Ollama, LM Studio, llama.cpp, vLLM.
PORTS = (11434, 1234, 8080, 8000)
_TIMEOUT_S = 2.0  # of a request
_MOST_BYTES = 4_000_000
_MOST_MODELS = 50  # of one server


@dataclass(frozen=True, slots=True)
class FoundModel:
    """A model that a server on this machine offers; None where the server does not tell.

    `context_window` counts the tokens of prompt and reply that the server reads.
    """

    server: str
    base_url: str
    name: str
    size_bytes: int | None = None
    context_window: int | None = None
    is_embedding: bool = False


def find_models(ports: Sequence[int] = PORTS) -> list[FoundModel]:
    """Return the models of the servers that listen on `ports` of the loopback; nothing else is asked.

    A port where no such server answers within two seconds offers none. Kohaku's own server is left out.
    """
    return [model for port in ports for model in _models_at(port)]


def _models_at(port: int) -> list[FoundModel]:
    import httpx

    # No proxy of the environment, which is beyond the loopback, and no redirect is followed.
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=_TIMEOUT_S, trust_env=False) as client:
        try:
            client.head("/")
        except (httpx.ConnectError, httpx.ConnectTimeout):
            return []
        except httpx.HTTPError:
            pass  # it listens; whether it speaks one of the protocols is seen below
        for read in _PROTOCOLS:
            found = list(islice(read(client), _MOST_MODELS))
            if found:
                return found
    return []


def _ollama(client: httpx.Client) -> Iterator[FoundModel]:
    """Yield the models of Ollama's own protocol."""
    loaded = {_text(one, "name"): _number(one, "context_length") for one in _rows(_json(client, "/api/ps"), "models")}
    for one in _rows(_json(client, "/api/tags"), "models"):
        name = _text(one, "name")
        if name:
            shown = _json(client, "/api/show", {"model": name})
            window = loaded.get(name) or _stated_window(_text(shown, "parameters"))
            kinds = shown.get("capabilities")
            is_embedding = "completion" not in kinds if isinstance(kinds, list) and kinds else _is_embedding(name)
            yield FoundModel("Ollama", _address(client), name, _number(one, "size"), window, is_embedding)


def _lm_studio(client: httpx.Client) -> Iterator[FoundModel]:
    """Yield the models of LM Studio's own protocol; one that is not loaded has no window yet."""
    for one in _rows(_json(client, "/api/v0/models"), "data"):
        name = _text(one, "id")
        if name:
            window = _number(one, "loaded_context_length")
            is_embedding = _text(one, "type") == "embeddings"
            yield FoundModel("LM Studio", _address(client), name, None, window, is_embedding)


def _openai(client: httpx.Client) -> Iterator[FoundModel]:
    """Yield the models of OpenAI's protocol; llama.cpp and vLLM tell their windows in fields of their own."""
    for one in _rows(_json(client, "/v1/models"), "data"):
        name, owner = _text(one, "id"), _text(one, "owned_by")
        if not name or owner == "kohaku":
            continue
        meta = one.get("meta") if isinstance(one.get("meta"), dict) else {}
        window = _number(one, "max_model_len") or _window_of_slots(client)
        server = _OWNERS.get(owner, owner or "OpenAI-compatible")
        yield FoundModel(server, _address(client), name, _number(meta, "size"), window, _is_embedding(name))


_PROTOCOLS: tuple[Callable[[httpx.Client], Iterator[FoundModel]], ...] = (_ollama, _lm_studio, _openai)
_OWNERS = {"llamacpp": "llama.cpp", "vllm": "vLLM", "organization_owner": "LM Studio", "library": "Ollama"}


def _window_of_slots(client: httpx.Client) -> int | None:
    """Return the window that each request has in llama.cpp's server."""
    settings = _json(client, "/props").get("default_generation_settings")
    return _number(settings, "n_ctx") if isinstance(settings, dict) else None


def _stated_window(parameters: str) -> int | None:
    """Return the `num_ctx` among the parameters of a model of Ollama, one to a line."""
    lines = (line.split() for line in parameters.splitlines())
    return next(
        (int(line[1]) for line in lines if len(line) == 2 and line[0] == "num_ctx" and line[1].isdecimal()), None
    )


def _is_embedding(name: str) -> bool:
    return "embed" in name.lower()


def _address(client: httpx.Client) -> str:
    return f"{str(client.base_url).rstrip('/')}/v1"


def _json(client: httpx.Client, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the JSON object of a reply; empty where there is none within the time and the size that are allowed."""
    import httpx

    end, content = time.monotonic() + _TIMEOUT_S, b""
    try:
        with client.stream("GET" if body is None else "POST", path, json=body) as reply:
            if reply.status_code != httpx.codes.OK:
                return {}
            for part in reply.iter_bytes():
                content += part
                if len(content) > _MOST_BYTES or time.monotonic() > end:
                    return {}
        found = json.loads(content)
    except (
        httpx.HTTPError,
        ValueError,
        RecursionError,
    ):  # whatever is wrong with another program's reply, it offers no model
        return {}
    return found if isinstance(found, dict) else {}


def _rows(content: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    rows = content.get(name)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""


def _number(row: Mapping[str, Any], name: str) -> int | None:
    value = row.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
