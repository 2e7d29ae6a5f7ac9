"""POST /v1/chat: an answer as JSON, or as events while it comes about."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.types import Scope

from kohaku_assets.server.access.principal import Principal
from kohaku_assets.server.assistants import TenantServices
from kohaku_assets.server.events import MEDIA_TYPE, OnText, answer_parts, event
from kohaku_assets.server.german import told_answer
from kohaku_assets.server.problems import Problem, log_fault, problem_json, problem_of, told_to
from kohaku_assets.server.schemas import ChatRequest, ChatResponse, picture_of
from kohaku_assets.server.state import Caller, ServerState, State
from kohaku_assets.server.tracing import trace_steps
from kohaku_lib.conversation import AssistantRequest
from kohaku_lib.conversation import Response as Answer
from kohaku_lib.conversation.vision import image_parts
from kohaku_lib.tables import Snippet

_MOST_SHOWN = 300  # characters of the passage that is shown before an answer
router = APIRouter(prefix="/v1", tags=["chat"])


@router.post(
    "/chat",
    response_model=ChatResponse,
    summary="Answer a message",
    responses={200: {"content": {MEDIA_TYPE: {"schema": {"type": "string"}}}}},
)
async def chat(request: Request, body: ChatRequest, state: State, caller: Caller) -> Response:
    """Answer a message from the documents, as the next turn of its session.

    With `stream`, or where the caller accepts only events: `step` (what is done now), `passage` (the best one, before a
    chat model writes), `token` (a part of the content), `response` (the whole), `error` (a problem).
    """
    work = respond_work(body, caller, request.scope)
    state.sessions.check(caller, body.session_id)  # once events have begun, there is no status to tell it by
    if body.stream or MEDIA_TYPE in request.headers.get("accept", ""):
        return StreamingResponse(_events(state, caller, body.session_id, work, request.scope), media_type=MEDIA_TYPE)
    answer = await state.serve(caller, lambda services: work(services, None, None), body.session_id)
    return JSONResponse(_as_json(answer, request.scope))


def respond_work(
    body: ChatRequest, caller: Principal, scope: Scope
) -> Callable[[TenantServices, OnText | None, OnText | None], Answer]:
    """Return the work of answering a message of the request `scope`; it raises Problem where the caller has no such session.

    Raises:
        RequestError: A picture cannot be opened; once events have begun, there is no status to tell it by.
    """
    values = body.model_dump(exclude={"stream", "images", "document_ids"})
    images = tuple(map(picture_of, body.images))
    image_parts(images)
    documents = tuple(body.document_ids)
    request = AssistantRequest(
        **values, document_ids=documents, images=images, user_id=caller.user_id, org_id=caller.org_id
    )

    def work(services: TenantServices, on_text: OnText | None, on_passage: OnText | None) -> Answer:
        sessions, session_id = services.sessions, body.session_id
        if session_id and not sessions.is_of(session_id, caller.user_id):
            raise Problem(404, f"you have no session {session_id!r}; leave session_id out to begin one")
        answer = services.assistant.respond(request, on_text, on_passage)
        trace_steps(scope, answer.timings_ms)
        return answer

    return work


def _as_json(response: Answer, scope: Scope) -> dict[str, Any]:
    body = response.as_json()
    return {**body, "answer": told_answer(scope, body["answer"])}


async def _events(
    state: ServerState,
    caller: Principal,
    session_id: str | None,
    work: Callable[[TenantServices, OnText | None, OnText | None], Answer],
    scope: Scope,
) -> AsyncIterator[str]:
    """Yield the events of an answer; the first at once."""
    yield event("step", {"name": "searching"})
    is_first = True
    try:
        async for part in answer_parts(
            lambda show: state.serve(caller, lambda services: work(services, show, show), session_id)
        ):
            if part is None:
                yield ": still at work\n\n"
            elif isinstance(part, Snippet):
                place = {"document_id": part.document_id, "heading": part.heading, "page": part.page}
                yield event("passage", {**place, "text": part.text[:_MOST_SHOWN]})
                yield event("step", {"name": "answering"})
                is_first = False
            elif isinstance(part, str):
                if is_first:
                    yield event("step", {"name": "answering"})
                    is_first = False
                yield event("token", {"text": part})
            else:
                yield event("response", _as_json(part, scope))
    except Exception as error:
        problem = problem_of(error)
        log_fault(error, problem, scope["request_id"])
        yield event("error", problem_json(told_to(scope, problem), scope["request_id"]))
