"""Conversations and feedback: /v1/sessions, /v1/feedback."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from kohaku_assets.server.german import told_answer
from kohaku_assets.server.problems import Problem
from kohaku_assets.server.schemas import FeedbackRequest, SessionList, SessionMessages
from kohaku_assets.server.state import Caller, State
from kohaku_lib.answering.confidence import confidence_level
from kohaku_lib.conversation import RequestError

router = APIRouter(prefix="/v1", tags=["sessions"])


@router.get("/sessions", summary="List the conversations of the caller")
async def sessions(state: State, caller: Caller, words: Annotated[str, Query(max_length=200)] = "") -> SessionList:
    """List the caller's conversations, the newest first, at most 200; with `words` those whose messages say them all."""
    found = await state.serve(caller, lambda services: services.sessions.of(caller.user_id, words))
    return SessionList.model_validate({"sessions": [asdict(one) for one in found]})


@router.post("/sessions", summary="Begin a conversation", status_code=201)
async def begin(state: State, caller: Caller) -> dict[str, str]:
    """Return the id of a new conversation; it is listed from its first message on."""
    return {"session_id": await state.serve(caller, lambda services: services.sessions.begin(caller.user_id))}


@router.get("/sessions/{session_id}", summary="Read a conversation")
async def messages(session_id: str, request: Request, state: State, caller: Caller) -> SessionMessages:
    """Return the newest 1,000 messages of a conversation, oldest first."""
    found = await state.serve(caller, lambda services: services.sessions.messages(session_id, caller.user_id))
    if found is None:
        raise _unknown(session_id)
    rows = [
        {
            **asdict(one),
            "answer": told_answer(request.scope, one.answer),
            "confidence_level": None if one.confidence_score is None else confidence_level(one.confidence_score),
        }
        for one in found
    ]
    return SessionMessages.model_validate({"session_id": session_id, "messages": rows})


@router.delete("/sessions/{session_id}", summary="Delete a conversation", status_code=204)
async def delete_session(session_id: str, state: State, caller: Caller) -> Response:
    """Delete a conversation with its messages; what was served stays in the record of the operator."""
    if not await state.serve(caller, lambda services: services.sessions.delete(session_id, caller.user_id)):
        raise _unknown(session_id)
    return Response(status_code=204)


@router.post("/feedback", summary="Say whether an answer was right", status_code=204)
async def feedback(body: FeedbackRequest, state: State, caller: Caller) -> Response:
    """Record what the caller says about an answer of theirs; a later judgement goes before an earlier one."""
    try:
        await state.serve(
            caller,
            lambda services: services.assistant.give_feedback(
                body.answer_id,
                body.rating,
                user_id=caller.user_id,
                org_id=caller.org_id,
                correction=body.correction,
                right_source=body.right_source,
            ),
        )
    except RequestError as error:  # the rating was checked: the answer is unknown, or another's
        raise Problem(404, str(error)) from error
    return Response(status_code=204)


def _unknown(session_id: str) -> Problem:
    return Problem(404, f"you have no session {session_id[:80]!r}; GET /v1/sessions lists them")
