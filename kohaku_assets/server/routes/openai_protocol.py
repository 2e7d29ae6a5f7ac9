"""The OpenAI protocol: /v1/models and /v1/chat/completions; levels are names of models."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any, get_args

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.responses import JSONResponse, Response, StreamingResponse

from kohaku_assets.server.access.principal import Principal
from kohaku_assets.server.assistants import TenantServices
from kohaku_assets.server.events import MEDIA_TYPE, OnText, answer_parts
from kohaku_assets.server.footnotes import ShortMarks, footnotes, url_citations
from kohaku_assets.server.openai_messages import KnownConversations
from kohaku_assets.server.problems import Problem, log_fault, problem_json, problem_of
from kohaku_assets.server.routes.chat import respond_work
from kohaku_assets.server.schemas import MOST_CHARS, ChatRequest, Level, Name, example
from kohaku_assets.server.state import Caller, ServerState, State
from kohaku_lib.conversation import Response as Answer
from kohaku_lib.conversation import Source
from kohaku_lib.text.token_estimates import estimated_tokens

router = APIRouter(prefix="/v1", tags=["OpenAI protocol"])
LEVEL_BY_MODEL: dict[str, Level | None] = {"kohaku": None, **{f"kohaku-{level}": level for level in get_args(Level)}}


class CompletionRequest(BaseModel):
    """A conversation whose last message is to be answered; what is not listed here has no effect."""

    model_config = example(
        model="kohaku", messages=[{"role": "user", "content": "Who maintains Gintaras-M?"}]
    ) | ConfigDict(extra="ignore")
    model: Name
    messages: Annotated[list[dict[str, Any]], Field(min_length=1, max_length=1000)]
    stream: bool | None = False
    stream_options: dict[str, Any] | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None


@router.get("/models", summary="List the levels as models")
async def models() -> dict[str, Any]:
    """List the models: `kohaku` answers as set in kohaku.toml, the others at their level."""
    return {"object": "list", "data": [_model(name) for name in LEVEL_BY_MODEL]}


@router.get("/models/{model}", summary="Describe a model")
async def model(model: str) -> dict[str, Any]:
    """Return one model."""
    _check_model(model)
    return _model(model)


@router.post("/chat/completions", summary="Answer a conversation in the OpenAI protocol")
async def completions(request: Request, body: CompletionRequest, state: State, caller: Caller) -> Response:
    """Answer the last message; sources are annotations, footnotes of the text, and the object `kohaku`."""
    _check_model(body.model)
    asked = state.conversations.asked(body.messages, caller)
    if len(asked.message) > MOST_CHARS:
        raise Problem(400, f"a message has at most {MOST_CHARS} characters, got {len(asked.message)}")
    try:
        chat = ChatRequest(
            message=asked.message,
            mode="vision" if asked.pictures else "chat",
            images=list(asked.pictures),
            session_id=asked.session_id,
            intelligence_level=LEVEL_BY_MODEL[body.model],
            temperature_override=body.temperature,
        )
    except ValidationError as error:
        [first, *_] = error.errors()
        raise Problem(400, first["msg"].removeprefix("Value error, ")) from error
    completion = _Completion(body, caller, str(request.base_url), state.conversations)
    work = respond_work(chat, caller, request.scope)
    state.sessions.check(caller, chat.session_id)
    if body.stream:
        chunks = completion.chunks(state, chat.session_id, work, request.scope["request_id"])
        return StreamingResponse(chunks, media_type=MEDIA_TYPE)
    answer = await state.serve(caller, lambda services: work(services, None, None), chat.session_id)
    return JSONResponse(completion.whole(answer))


class _Completion:
    """The reply to one request, whole or in chunks."""

    def __init__(self, body: CompletionRequest, caller: Principal, address: str, known: KnownConversations) -> None:
        self._body, self._caller, self._address, self._known = body, caller, address, known
        self._marks = ShortMarks()
        self._head = {"id": f"chatcmpl-{uuid.uuid4().hex}", "created": int(time.time()), "model": body.model}

    def whole(self, answer: Answer) -> dict[str, Any]:
        """Return the completion."""
        text = self._marks.text(answer.content)
        cited = self._cited(answer)
        reply = text + footnotes(cited, self._address)
        self._keep(reply, answer)
        annotations = url_citations(text, cited, self._address)
        message = {"role": "assistant", "content": reply, "refusal": None, "annotations": annotations}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        more = {"usage": self._usage(reply), "kohaku": _extras(answer)}
        return {**self._head, "object": "chat.completion", "choices": [choice], **more}

    async def chunks(
        self,
        state: ServerState,
        session_id: str | None,
        work: Callable[[TenantServices, OnText | None, OnText | None], Answer],
        request_id: str,
    ) -> AsyncIterator[str]:
        """Yield the events of the completion."""
        yield self._chunk({"role": "assistant", "content": ""})
        text = ""
        try:
            async for part in answer_parts(
                lambda show: state.serve(self._caller, lambda services: work(services, show, None), session_id)
            ):
                if part is None:
                    yield ": still at work\n\n"
                elif isinstance(part, str):
                    text += (shown := self._marks.text(part))
                    yield self._chunk({"content": shown})
                elif isinstance(part, Answer):
                    for chunk in self._end(text, part):
                        yield chunk
        except Exception as error:  # the status is sent already
            problem = problem_of(error)
            log_fault(error, problem, request_id)
            yield _data(problem_json(problem, request_id))
        yield "data: [DONE]\n\n"

    def _end(self, text: str, answer: Answer) -> list[str]:
        cited = self._cited(answer)
        notes = footnotes(cited, self._address)
        self._keep(text + notes, answer)
        annotations = url_citations(text, cited, self._address)
        ends = [self._chunk({"content": notes})] if notes else []
        ends.append(self._chunk({"annotations": annotations}, finish_reason="stop", kohaku=_extras(answer)))
        if (self._body.stream_options or {}).get("include_usage"):
            more = {"object": "chat.completion.chunk", "choices": [], "usage": self._usage(text + notes)}
            ends.append(_data({**self._head, **more}))
        return ends

    def _chunk(self, delta: dict[str, Any], finish_reason: str | None = None, **more: Any) -> str:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return _data({**self._head, "object": "chat.completion.chunk", "choices": [choice], **more})

    def _cited(self, answer: Answer) -> list[Source]:
        """Return the sources in the order of their marks; answers cite no others than they have."""
        return [answer.sources[number - 1] for number in self._marks.numbers if number <= len(answer.sources)]

    def _keep(self, reply: str, answer: Answer) -> None:
        self._known.keep(self._body.messages, reply, self._caller, answer.session_id)

    def _usage(self, reply: str) -> dict[str, int]:
        """Return the tokens of what was sent and received, estimated by their characters."""
        prompt = estimated_tokens(json.dumps(self._body.messages, ensure_ascii=False))
        completion = estimated_tokens(reply)
        return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _extras(answer: Answer) -> dict[str, Any]:
    return {name: value for name, value in answer.as_json().items() if name != "content"}


def _check_model(name: str) -> None:
    if name not in LEVEL_BY_MODEL:
        raise Problem(404, f"there is no model {name[:80]!r}; the models are {', '.join(LEVEL_BY_MODEL)}")


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "kohaku"}


def _data(value: Any) -> str:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n"
