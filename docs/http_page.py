"""The page on the HTTP API: every operation of the server with its parameters, bodies and an example."""

from __future__ import annotations

import ast
import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kohaku_assets.pipeline.project import Project
from kohaku_assets.server.access.keys import open_keys
from kohaku_assets.server.application import make_application
from kohaku_assets.server.assistants import Assistants
from kohaku_assets.server.problems import STATUS_BY_ERROR
from kohaku_lib.composition import load_settings

_SERVER = Path(__file__).resolve().parents[1] / "kohaku_assets" / "server"
_ALWAYS = {422, 500}  # of problem_of: a body that breaks a rule, and a fault of ours
REMEDIES = {
    400: "the sentence names the rule and the value; correct the request",
    401: "send `Authorization: Bearer KEY`; `kohaku keys add` makes one",
    403: "the key lacks the role, or the page of another site calls",
    404: "the sentence names the request that lists what there is",
    405: "`/mcp` takes `POST` only",
    408: "the body took too long; send it faster or raise `server.body_timeout_s`",
    409: "something stands in the way; the sentence says what",
    413: "too large; the sentence names the setting that allows more",
    415: "the format is none that is read; the sentence lists them",
    421: "the request names a host that is not this server; add it to `server.hosts`",
    422: "the body has another form than below; the sentence names the field",
    429: "too many requests, or messages of one session; wait for `Retry-After` seconds",
    431: "the head of the request is too large; the sentence says how large it may be",
    500: "a fault of the server; its log names it under the `request_id`",
    502: "the language model failed; the sentence says how",
    503: "no index is published, the store is repaired, or connections are too many; wait for `Retry-After` seconds",
}
_HEAD = """# HTTP API

Generated from the server's `/openapi.json` by `make docs`. How to start it, keys and limits: [serving](serving.md).

```
curl http://127.0.0.1:8321/v1/search --json '{"query": "amber", "top_k": 3}'
```

With keys, every request but `/`, `/healthz`, `/readyz` and `/openapi.json` needs `-H "Authorization: Bearer KEY"`.

## Errors

An error is `application/problem+json` (RFC 9457) with `type`, `title`, `status`, `detail` (one sentence) and `request_id`.

| status | what helps |
|---|---|
"""


def http_page() -> str:
    """Return the reference of the HTTP API."""
    description = openapi()
    schemas = description["components"]["schemas"]
    errors = [f"| {status} | {REMEDIES[status]} |" for status in sorted(statuses())]
    parts = [_HEAD + "\n".join(errors)]
    for path, item in description["paths"].items():
        for method, operation in item.items():
            parts += _operation(f"{method.upper()} {path}", operation, schemas)
    parts.append("## Bodies")
    for name, schema in sorted(schemas.items()):
        parts += [f"### {name}", *_paragraphs(schema), *_fields(schema)]
    return "\n\n".join(parts) + "\n"


def openapi() -> dict[str, Any]:
    """Return the description of a server over an empty project."""
    with tempfile.TemporaryDirectory() as folder:
        project = Project(load_settings(environment={}, folder=Path(folder)))
        with open_keys(project.store, project.settings.assistant.database) as keys:
            assistants = Assistants(project)
            try:
                return make_application(project, keys, assistants, is_loopback=True).openapi()
            finally:
                assistants.close()


def statuses() -> set[int]:
    """Return every status that the server answers a problem with, read from its code."""
    files = (path.read_text(encoding="utf-8") for path in _SERVER.rglob("*.py"))
    calls = (node for text in files for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    first = (
        call.args[0] for call in calls if isinstance(call.func, ast.Name) and call.func.id == "Problem" and call.args
    )
    own = {one.value for one in first if isinstance(one, ast.Constant) and isinstance(one.value, int)}
    return own | _ALWAYS | {status for _, status in STATUS_BY_ERROR}


def _operation(name: str, operation: Mapping[str, Any], schemas: Mapping[str, Any]) -> Iterator[str]:
    yield f"## {name}"
    yield from _paragraphs(operation)
    if operation.get("parameters"):
        rows = [
            _row(one["name"], one["schema"], one["required"], f", in the {one['in']}")
            for one in operation["parameters"]
        ]
        yield "| parameter | type | |\n|---|---|---|\n" + "\n".join(rows)
    content = operation.get("requestBody", {}).get("content", {})
    for kind, body in content.items():
        yield f"Takes {_type(body['schema'])} as `{kind}`."
        for example in schemas[_type_name(body["schema"])].get("examples", ()):
            yield f"```json\n{json.dumps(example, ensure_ascii=False)}\n```"
    for status, response in operation["responses"].items():
        if status != "default":
            types = [f"{_type(one['schema'])} as `{kind}`" for kind, one in response.get("content", {}).items()]
            yield f"Returns {status}" + (f" with {' or '.join(types)}." if types else " without a body.")


def _paragraphs(described: Mapping[str, Any]) -> list[str]:
    return [described["description"]] if described.get("description") else []


def _fields(schema: Mapping[str, Any]) -> list[str]:
    required = schema.get("required", ())
    rows = [_row(name, field, name in required) for name, field in schema.get("properties", {}).items()]
    return ["| field | type | |\n|---|---|---|\n" + "\n".join(rows)] if rows else []


def _row(name: str, schema: Mapping[str, Any], is_required: bool, note: str = "") -> str:
    default = f", by default `{json.dumps(schema['default'])}`" if schema.get("default") not in (None, {}, []) else ""
    return f"| `{name}` | {_type(schema)}{note} | {'needed' if is_required else 'may be left out'}{default} |"


def _type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        name = _type_name(schema)
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(f"`{json.dumps(value)}`" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}"
    low, high = schema.get("minimum"), schema.get("maximum")
    limits = f" {low:g} to {high:g}" if low is not None and high is not None else ""
    longest = f", {schema['maxLength']:,} characters at most" if "maxLength" in schema else ""
    return schema.get("type", "JSON") + limits + longest


def _type_name(schema: Mapping[str, Any]) -> str:
    return schema["$ref"].rpartition("/")[2]
