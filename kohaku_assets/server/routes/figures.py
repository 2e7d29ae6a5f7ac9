"""The figures of a document: listed, and as images."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from starlette.responses import JSONResponse, Response

from kohaku_assets.server.access.bodies import UPLOADS
from kohaku_assets.server.assistants import TenantServices
from kohaku_assets.server.problems import Problem
from kohaku_assets.server.routes.documents import Page, find_document
from kohaku_assets.server.state import Caller, State

router = APIRouter(prefix=UPLOADS, tags=["documents"])
Number = Annotated[int, Path(ge=1, le=100_000)]
_NAMES = ("page", "number", "name", "mime_type", "width", "height", "page_caption", "figure_text")
_LIST = """
SELECT page, idx, name, mime, width, height, page_caption, figure_text
FROM image_blobs WHERE document_id = ? ORDER BY page, idx
"""
_ONE = "SELECT mime, bytes FROM image_blobs WHERE document_id = ? AND page = ? AND idx = ?"


@router.get("/{document_id:path}/figures", summary="List the figures of a document")
async def figures(document_id: str, state: State, caller: Caller) -> JSONResponse:
    """List the figures in the index, by page and number on it, with their printed captions and the words within them."""
    rows = await state.serve(caller, lambda services: _select(services, caller.org_id, document_id, _LIST))
    found = [dict(zip(_NAMES, row, strict=True)) for row in rows]
    return JSONResponse({"document_id": document_id, "figures": found})


@router.get("/{document_id:path}/figures/{page}/{number}", summary="Return a figure as an image")
async def figure(document_id: str, page: Page, number: Number, state: State, caller: Caller) -> Response:
    """Return the image of a figure by its page and its number on it."""

    def work(services: TenantServices) -> tuple[str, bytes]:
        rows = _select(services, caller.org_id, document_id, _ONE, page, number)
        if not rows:
            raise Problem(404, f"{document_id[:80]!r} has no figure {number} on page {page}; …/figures lists them")
        return rows[0]

    mime, content = await state.serve(caller, work)
    return Response(content, media_type=mime)


def _select(
    services: TenantServices, org_id: str, document_id: str, statement: str, *values: int
) -> list[tuple[Any, ...]]:
    """Return rows of the figures of a tenant's document; raises Problem where it has no such document."""
    find_document(services, org_id, document_id)
    with services.reading() as (index, _), index.snapshot.connect() as connection:
        return connection.execute(statement, [document_id, *values]).fetchall()
