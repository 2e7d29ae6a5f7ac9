"""The models that servers on this machine offer: Ollama, LM Studio, llama.cpp, vLLM, and others of OpenAI's protocol."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from kohaku_lib.digests import text_sha256
from kohaku_lib.parallel.interruption import interruptible_pool

if TYPE_CHECKING:
    import httpx

# Where servers listen unless they are told otherwise: Ollama, LM Studio, llama.cpp, vLLM.
PORTS = (11434, 1234, 8080, 8000)
_TIMEOUT_S = 10.0  # of all requests to all ports together
_REQUEST_S = 2.0
_PORTS_AT_ONCE = 8
_MOST_BYTES = 4_000_000  # of a reply
_MOST_MODELS = 50  # of one server
_MOST_NAME = 200  # characters
_MOST_WINDOW, _MOST_SIZE = 10**8, 10**15  # tokens, bytes; a larger number is no fact


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

    @property
    def digest(self) -> str:
        """What the model is told apart by: all but its window, which a server tells anew as it loads a model.

        >>> FoundModel("vLLM", "http://127.0.0.1:8000/v1", "m", context_window=4096).digest[:8]
        '6f0399ad'
        """
        return text_sha256(json.dumps({**asdict(self), "context_window": None}))


def find_models(ports: Sequence[int] = PORTS) -> list[FoundModel]:
    """Return the models of the servers that listen on `ports` of the loopback; nothing else is asked.

    Ten seconds after the start what has come is all. Kohaku's own server is left out, and so are names that cannot be printed
    or have more than 200 characters.
    """
    from kohaku_lib.http_exchange.deadline import Deadline

    deadline = Deadline(_TIMEOUT_S)

    def look(port: int) -> list[FoundModel]:
        with deadline.applied():
            return _models_at(port)

    with interruptible_pool(_PORTS_AT_ONCE, "kohaku-models") as pool:
        return [model for found in pool.map(look, ports) for model in found]


def find_again(name: str, base_url: str, digest: str) -> FoundModel | None:
    """Return the model of that name and digest, looked for anew at its address alone; None where it is not there."""
    port = next((port for port in PORTS if _address(port) == base_url), None)
    found = [] if port is None else find_models([port])
    return next((one for one in found if (one.name, one.digest) == (name, digest)), None)


def _models_at(port: int) -> list[FoundModel]:
    import httpx

    from kohaku_lib.http_exchange import ExchangeError, exchange_client

    url = f"http://127.0.0.1:{port}"
    with exchange_client(_MOST_BYTES, follow_redirects=False, base_url=url, timeout=_REQUEST_S) as client:
        try:
            client.head("/")
        except (httpx.ConnectError, httpx.ConnectTimeout):
            return []
        except (httpx.HTTPError, ExchangeError):
            pass  # it listens; whether it speaks one of the protocols is seen below
        for read in _PROTOCOLS:
            found = list(islice(read(client, _address(port)), _MOST_MODELS))
            if found:
                return found
    return []


def _ollama(client: httpx.Client, address: str) -> Iterator[FoundModel]:
    """Yield the models of Ollama's own protocol."""
    loaded = {_name(one, "name"): _number(one, "context_length") for one in _rows(_json(client, "/api/ps"), "models")}
    for one in _rows(_json(client, "/api/tags"), "models"):
        name = _name(one, "name")
        if name:
            shown = _json(client, "/api/show", {"model": name})
            window = loaded.get(name) or _stated_window(_text(shown, "parameters"))
            kinds = shown.get("capabilities")
            is_embedding = "completion" not in kinds if isinstance(kinds, list) and kinds else _is_embedding(name)
            yield FoundModel("Ollama", address, name, _number(one, "size", _MOST_SIZE), window, is_embedding)


def _lm_studio(client: httpx.Client, address: str) -> Iterator[FoundModel]:
    """Yield the models of LM Studio's own protocol; one that is not loaded has no window yet."""
    for one in _rows(_json(client, "/api/v0/models"), "data"):
        name = _name(one, "id")
        if name:
            window = _number(one, "loaded_context_length")
            is_embedding = _text(one, "type") == "embeddings"
            yield FoundModel("LM Studio", address, name, None, window, is_embedding)


def _openai(client: httpx.Client, address: str) -> Iterator[FoundModel]:
    """Yield the models of OpenAI's protocol; llama.cpp and vLLM tell their windows in fields of their own."""
    for one in _rows(_json(client, "/v1/models"), "data"):
        name, owner = _name(one, "id"), _name(one, "owned_by")
        if not name or owner == "kohaku":
            continue
        meta = one.get("meta") if isinstance(one.get("meta"), dict) else {}
        window = _number(one, "max_model_len") or _window_of_slots(client)
        server = _OWNERS.get(owner, owner or "OpenAI-compatible")
        yield FoundModel(server, address, name, _number(meta, "size", _MOST_SIZE), window, _is_embedding(name))


_PROTOCOLS: tuple[Callable[[httpx.Client, str], Iterator[FoundModel]], ...] = (_ollama, _lm_studio, _openai)
_OWNERS = {"llamacpp": "llama.cpp", "vllm": "vLLM", "organization_owner": "LM Studio", "library": "Ollama"}


def _window_of_slots(client: httpx.Client) -> int | None:
    """Return the window that each request has in llama.cpp's server."""
    settings = _json(client, "/props").get("default_generation_settings")
    return _number(settings, "n_ctx") if isinstance(settings, dict) else None


def _stated_window(parameters: str) -> int | None:
    """Return the `num_ctx` among the parameters of a model of Ollama, one to a line."""
    lines = (line.split() for line in parameters.splitlines())
    stated = (line[1] for line in lines if len(line) == 2 and line[0] == "num_ctx" and line[1].isdecimal())
    return _number({"num_ctx": int(next(stated, "0")[:10])}, "num_ctx")


def _is_embedding(name: str) -> bool:
    return "embed" in name.lower()


def _address(port: int) -> str:
    return f"http://127.0.0.1:{port}/v1"


def _json(client: httpx.Client, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the JSON object of a reply; empty where there is none within the time and the size that are allowed."""
    import httpx

    from kohaku_lib.http_exchange import ExchangeError

    try:
        reply = client.request("GET" if body is None else "POST", path, json=body)
        found = json.loads(reply.content) if reply.status_code == httpx.codes.OK else {}
    except (httpx.HTTPError, ExchangeError, ValueError, RecursionError):
        return {}  # whatever is wrong with another program's reply, it offers no model
    return found if isinstance(found, dict) else {}


def _rows(content: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    rows = content.get(name)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""


def _name(row: Mapping[str, Any], name: str) -> str:
    """Return a name that may be shown; empty where it has a control character, half a character, or too many."""
    value = _text(row, name)
    return value if value.strip() and value.isprintable() and len(value) <= _MOST_NAME else ""


def _number(row: Mapping[str, Any], name: str, most: int = _MOST_WINDOW) -> int | None:
    value = row.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= most else None
