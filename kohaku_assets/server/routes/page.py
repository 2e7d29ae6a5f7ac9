"""The page at `/`, and what only it asks."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, Request
from starlette.responses import FileResponse, JSONResponse

from kohaku_assets.server.assistants import TenantServices
from kohaku_assets.server.routes.local_models import is_at_this_machine
from kohaku_assets.server.state import Caller, State
from kohaku_lib.suggestions.stored import stored_suggestions

FOLDER = Path(__file__).parents[1] / "page"
MOST_SUGGESTED = 3
router = APIRouter(tags=["page"])


@router.get("/", include_in_schema=False)
async def page() -> FileResponse:
    """Return the page."""
    return FileResponse(FOLDER / "index.html", media_type="text/html")


@router.get("/v1/me", summary="Tell who the caller is")
async def me(request: Request, state: State, caller: Caller) -> dict[str, str | bool | None]:
    """Return organisation, role and user that the key stands for, whether the index is theirs, and Dagster's address."""
    settings = state.project.settings
    owns_index = caller.org_id == settings.corpus.org_id
    leads = owns_index and caller.may("admin")
    return {
        "org_id": caller.org_id,
        "role": caller.role,
        "user_id": caller.user_id,
        "owns_index": owns_index,
        "dagster_url": settings.server.dagster_url if leads else None,
        "may_choose_model": is_at_this_machine(request, state, caller) and not settings.uses_chat,
    }


@router.get("/v1/suggestions", summary="Suggest questions to begin with")
async def suggestions(state: State, caller: Caller) -> JSONResponse:
    """Return three questions that were answered from the caller's documents when the index was published."""

    def work(services: TenantServices) -> list[str]:
        with services.reading() as (index, _):
            return list(stored_suggestions(index.snapshot, caller.org_id)[:MOST_SUGGESTED])

    return JSONResponse({"questions": await state.serve(caller, work)})
