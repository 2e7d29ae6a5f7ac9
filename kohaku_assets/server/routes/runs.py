"""Refreshes: /v1/runs."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import JSONResponse

from kohaku_assets.server.problems import Problem
from kohaku_assets.server.state import Caller, CheckedRoute, Editor, ServerState, State

router = APIRouter(route_class=CheckedRoute, prefix="/v1/runs", tags=["runs"])


@router.get("", summary="List the refreshes")
async def runs(state: State, caller: Caller) -> JSONResponse:
    """List the refreshes that this server started, the newest first."""
    _check_own(state, caller.org_id)
    return JSONResponse({"runs": [state.runs.shown(row) for row in state.runs.rows()]})


@router.post("", summary="Start a refresh", status_code=202)
async def start(state: State, caller: Editor) -> JSONResponse:
    """Start a refresh of the index and its publication; one that waits already is joined."""
    _check_own(state, caller.org_id)
    return JSONResponse(state.runs.shown(state.runs.start()), 202)


@router.get("/{run_id}", summary="Follow a refresh")
async def run(run_id: str, state: State, caller: Caller) -> JSONResponse:
    """Return a refresh as it stands: the stages begun so far, and in the end what they computed or why it failed."""
    _check_own(state, caller.org_id)
    row = state.runs.find(run_id)
    if row is None:
        raise Problem(404, f"this server started no run {run_id[:80]!r}; GET /v1/runs lists them")
    return JSONResponse(state.runs.shown(row))


def _check_own(state: ServerState, org_id: str) -> None:
    own = state.project.settings.corpus.org_id
    if org_id != own:
        raise Problem(403, f"runs index the documents of {own!r}, and your key is of {org_id!r}")
