"""What machines ask: /healthz, /readyz, /metrics."""

from __future__ import annotations

from anyio.to_thread import run_sync
from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from kohaku_assets.server.metrics import MEDIA_TYPE
from kohaku_assets.server.state import State
from kohaku_lib.version import __version__

router = APIRouter(tags=["health"])


@router.get("/healthz", summary="Tell that the process lives")
async def healthz() -> dict[str, str]:
    """Return the version."""
    return {"status": "ok", "version": __version__}


@router.get("/readyz", summary="Tell whether questions can be answered")
async def readyz(state: State) -> JSONResponse:
    """Return 200 once questions can be answered; else 503 with what is missing."""
    org_id = state.project.settings.corpus.org_id
    missing = await run_sync(state.assistants.readiness, org_id)
    if missing is None:
        return JSONResponse({"status": "ready"})
    return JSONResponse({"status": "not ready", "detail": missing}, 503)


@router.get("/metrics", summary="Return counts and times for Prometheus")
async def metrics(state: State) -> Response:
    """Return the metrics of this process."""
    counts = state.assistants.cache_counts()
    return Response(state.metrics.text(state.pool.waiting, counts), media_type=MEDIA_TYPE)
