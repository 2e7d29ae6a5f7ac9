"""The page at `/`, and what only it asks."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from starlette.responses import FileResponse, JSONResponse

from kohaku_assets.server.assistants import TenantServices
from kohaku_assets.server.german import told
from kohaku_assets.server.routes.local_models import is_at_this_machine, model_in_use
from kohaku_assets.server.state import Caller, State
from kohaku_lib.index import tenant_documents
from kohaku_lib.suggestions.stored import stored_suggestions
from kohaku_lib.text.languages import language_of

FOLDER = Path(__file__).parents[1] / "page"
MOST_SUGGESTED, MOST_REASONS = 3, 3
router = APIRouter(tags=["page"])


@router.get("/", include_in_schema=False)
async def page() -> FileResponse:
    """Return the page."""
    return FileResponse(FOLDER / "index.html", media_type="text/html")


@router.get("/v1/me", summary="Tell who the caller is")
async def me(request: Request, state: State, caller: Caller) -> dict[str, str | bool | None]:
    """Return organisation, role and user that the key stands for, what they may do here, and what is missing for answers."""
    settings = state.project.settings
    owns_index = caller.org_id == settings.corpus.org_id
    is_here = is_at_this_machine(request, state, caller)
    leads = owns_index and caller.may("admin")
    if owns_index and caller.may("editor"):  # a page is open that may add documents
        await state.pool.run(caller, state.runs.prepare)
    return {
        "org_id": caller.org_id,
        "role": caller.role,
        "user_id": caller.user_id,
        "owns_index": owns_index,
        "dagster_url": settings.server.dagster_url if leads else None,
        "may_choose_model": is_here and not settings.uses_chat,
        "missing": await run_sync(state.assistants.missing),
        "local_model": model_in_use(settings) if is_here else None,
    }


@router.get("/v1/suggestions", summary="Suggest questions to begin with")
async def suggestions(state: State, caller: Caller) -> JSONResponse:
    """Return up to three questions that the caller's documents answer; null while none have been tried on this index."""

    def work(services: TenantServices) -> list[str] | None:
        with services.reading() as (index, _):
            stored = stored_suggestions(index.snapshot, caller.org_id)
        return None if stored is None else list(stored[:MOST_SUGGESTED])

    return JSONResponse({"questions": await state.serve(caller, work)})


@router.get("/v1/overview", summary="Tell what has been read")
async def overview(request: Request, state: State, caller: Caller) -> JSONResponse:
    """Return how many documents and pages of the caller the index has, in which languages, and why others are not in it.

    The languages are those stated by at least one document, most frequent first; `reasons` has the three most frequent.
    """

    def work(services: TenantServices) -> dict[str, object]:
        with services.reading() as (index, _):
            rows = tenant_documents(index.snapshot, caller.org_id).to_pylist()
        return documents_overview(rows, partial(told, request.scope))

    return JSONResponse(await state.serve(caller, work))


def documents_overview(rows: Sequence[Mapping[str, Any]], tell: Callable[[str], str] = str) -> dict[str, object]:
    """Return the counts of documents (DOCUMENTS), of those that were read and of those that were not.

    `tell` gives a reason in the language of the caller. A reason is what is said of each file, without its name, or a sentence.

    >>> row = {"status": "parsed", "pages": 3, "metadata_json": '{"language": "de"}', "error": None}
    >>> documents_overview([row, {**row, "status": "failed", "error": "'a.pdf' is empty"}])["reasons"]
    [{'reason': 'is empty', 'count': 1, 'of_file': True}]
    """
    read = [row for row in rows if row["status"] == "parsed"]
    unread = [row for row in rows if row["status"] != "parsed"]
    languages = Counter(filter(None, (language_of(json.loads(row["metadata_json"])) for row in read)))
    reasons = Counter(_reason(row, tell) for row in unread)
    return {
        "documents": len(read),
        "pages": sum(row["pages"] or 0 for row in read),
        "languages": [name for name, _ in languages.most_common()],
        "unread": len(unread),
        "reasons": [
            {"reason": reason, "count": count, "of_file": of_file}
            for (reason, of_file), count in reasons.most_common(MOST_REASONS)
        ],
    }


def _reason(row: Mapping[str, Any], tell: Callable[[str], str]) -> tuple[str, bool]:
    """Return why a document was not read, and whether that is said of its file, as its state is."""
    sentence = tell(row["error"]) if row["error"] else ""
    bare = _NAMED.sub("", sentence)
    return bare or row["status"], bare != sentence or not sentence


_NAMED = re.compile(r"^(?:(['\"]).*?\1|„.*?“):? ")  # the name of the file, before what is wrong with it
