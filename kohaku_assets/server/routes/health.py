"""What machines ask: /healthz, /readyz, /metrics."""

from __future__ import annotations

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from kohaku_assets.server.assistants import MISSING
from kohaku_assets.server.metrics import MEDIA_TYPE
from kohaku_assets.server.state import Caller, State, check_own_index, check_role
from kohaku_lib.documents.corpus.organisations import is_shared
from kohaku_lib.version import __version__

router = APIRouter(tags=["health"])


@router.get("/healthz", summary="Tell that the process lives")
async def healthz() -> dict[str, str]:
    """Return the version."""
    return {"status": "ok", "version": __version__}


@router.get("/readyz", summary="Tell whether questions can be answered")
async def readyz(state: State) -> JSONResponse:
    """Return 200 once questions can be answered; else 503 with what is missing."""
    missing = await run_sync(state.assistants.missing)
    if missing is None:
        return JSONResponse({"status": "ready"})
    return JSONResponse({"status": "not ready", "detail": MISSING[missing]}, 503)


@router.get("/metrics", summary="Return counts and times for Prometheus")
async def metrics(request: Request, state: State, caller: Caller) -> Response:
    """Return the metrics of this process; of several organisations, to administrators of the index's own only."""
    if await run_sync(is_shared, state.project.settings.corpus):
        check_own_index(state, caller)
        check_role(request, "admin")
    counts = state.assistants.cache_counts()
    return Response(state.metrics.text(state.pool.waiting, counts), media_type=MEDIA_TYPE)
