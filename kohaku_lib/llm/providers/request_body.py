"""Request bodies for OpenAI-compatible servers, and parameters that a server refuses."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from kohaku_lib.llm.chat import ChatRequest
from kohaku_lib.llm.resilience.attempt import AttemptError
from kohaku_lib.text.untrusted_json import without_surrogates

_OPTIONAL = (
    "tools",
    "stream_options",
    "response_format",
    "seed",
    "temperature",
    "top_p",
    "top_k",
    "reasoning_effort",
    "max_tokens",
    "top_logprobs",
    "logprobs",
)
JSON_SCHEMA = "json_schema"  # the less common form of response_format


def request_body(request: ChatRequest, left_out: Collection[str] = ()) -> dict[str, Any]:
    """Return the request body without the parameters in `left_out`.

    Without "max_tokens" its newer name is used; without "json_schema" any JSON object is requested.
    """
    parameters: dict[str, Any] = {
        "temperature": request.temperature,
        "top_p": request.top_p,
        "top_k": request.top_k,
        "reasoning_effort": request.reasoning_effort,
        "max_tokens": request.max_tokens,
        "seed": request.seed,
        "response_format": _response_format(request, left_out),
    }
    if request.tools:
        parameters["tools"] = [dict(tool) for tool in request.tools]
    if request.top_logprobs:
        parameters |= {"logprobs": True, "top_logprobs": request.top_logprobs}
    if request.on_text is not None:
        parameters |= {"stream": True, "stream_options": {"include_usage": True}}
    accepted = {name: value for name, value in parameters.items() if name not in left_out and value is not None}
    if "max_tokens" in left_out:
        accepted["max_completion_tokens"] = request.max_tokens
    system, user = {"role": "system", "content": without_surrogates(request.system)}, _user_content(request)
    messages = [system, {"role": "user", "content": user}]
    return {"model": request.model, "messages": messages, **accepted}


def refused_parameter(
    error: AttemptError, request: ChatRequest, left_out: Collection[str], *, knows_schemas: bool = False
) -> str | None:
    """Return the parameter to omit after `error`: an optional one that it names, else the JSON schema.

    None if no omission may help. A schema is omitted first, as a plain JSON object may still be accepted. With
    `knows_schemas` the server has accepted one before.
    """
    if error.failure.kind != "refused" or error.status not in (400, 422):
        return None
    named_parameter = next((name for name in _OPTIONAL if error.parameter == name), None) or next(
        (name for name in _OPTIONAL if name in error.failure.message), None
    )
    if named_parameter is None and request.reasoning_effort and "think" in error.failure.message.lower():
        named_parameter = "reasoning_effort"  # as Ollama refuses it for a model that does not think
    has_schema = request.json_schema is not None and JSON_SCHEMA not in left_out and "response_format" not in left_out
    if has_schema and (named_parameter == "response_format" or (named_parameter is None and not knows_schemas)):
        return JSON_SCHEMA
    return None if named_parameter in left_out else named_parameter


def _response_format(request: ChatRequest, left_out: Collection[str]) -> dict[str, Any] | None:
    if request.json_schema is not None and JSON_SCHEMA not in left_out:
        schema = {"name": "reply", "strict": True, "schema": dict(request.json_schema)}
        return {"type": "json_schema", "json_schema": schema}
    return {"type": "json_object"} if request.json_object else None


def _user_content(request: ChatRequest) -> str | list[dict[str, Any]]:
    text = without_surrogates(request.user)
    if not request.images:
        return text
    pictures = [{"type": "image_url", "image_url": {"url": image.data_url}} for image in request.images]
    return [{"type": "text", "text": text}, *pictures]
