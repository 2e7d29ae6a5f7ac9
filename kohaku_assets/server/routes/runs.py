"""Refreshes: /v1/runs."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse

from kohaku_assets.server.german import told
from kohaku_assets.server.problems import Problem
from kohaku_assets.server.state import Caller, CheckedRoute, Editor, State, check_own_index

router = APIRouter(route_class=CheckedRoute, prefix="/v1/runs", tags=["runs"])


@router.get("", summary="List the refreshes")
async def runs(state: State, caller: Caller) -> JSONResponse:
    """List the refreshes that this server started, the newest first."""
    check_own_index(state, caller)
    return JSONResponse({"runs": [state.runs.shown(row) for row in state.runs.rows()]})


@router.post("", summary="Start a refresh", status_code=202)
async def start(state: State, caller: Editor) -> JSONResponse:
    """Start a refresh of the index and its publication; one that waits already is joined."""
    check_own_index(state, caller)
    return JSONResponse(state.runs.shown(state.runs.start()), 202)


@router.get("/{run_id}", summary="Follow a refresh")
async def run(run_id: str, request: Request, state: State, caller: Caller) -> JSONResponse:
    """Return a refresh as it stands: the stages begun so far, and in the end what they computed or why it failed."""
    check_own_index(state, caller)
    row = state.runs.find(run_id)
    if row is None:
        raise Problem(404, f"this server started no run {run_id[:80]!r}; GET /v1/runs lists them")
    shown = state.runs.shown(row)
    return JSONResponse(shown | {"messages": [told(request.scope, one) for one in shown["messages"]]})
