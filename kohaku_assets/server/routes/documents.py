"""The documents: listed with their states, uploaded, deleted, and shown as text and as pages."""

from __future__ import annotations

import json
from collections.abc import Set
from dataclasses import asdict
from pathlib import PurePosixPath
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Path, Query, Request, UploadFile
from starlette.responses import FileResponse, JSONResponse, Response

from kohaku_assets.operations.fetching import states
from kohaku_assets.pipeline.project import Project
from kohaku_assets.records.change_reports import document_history
from kohaku_assets.server.access.bodies import MEGABYTE, UPLOADS
from kohaku_assets.server.access.principal import Principal
from kohaku_assets.server.assistants import TenantServices
from kohaku_assets.server.document_pages import document_file, page_bytes, page_json
from kohaku_assets.server.document_text import document_json
from kohaku_assets.server.german import told
from kohaku_assets.server.problems import Problem
from kohaku_assets.server.routes.search import node_json
from kohaku_assets.server.schemas import IncludeRequest
from kohaku_assets.server.state import (
    Caller,
    CheckedRoute,
    ServerState,
    State,
    before_the_body,
    check_own_index,
    check_role,
    state_of,
)
from kohaku_assets.server.uploads import store_upload
from kohaku_lib.documents.attachments.file_within import file_at
from kohaku_lib.documents.corpus.file_facts import file_facts
from kohaku_lib.documents.formats.interface import format_suffixes
from kohaku_lib.documents.viewer.quoted_lines import boxes_by_line, quoted_lines
from kohaku_lib.errors import DocumentError, StoreError
from kohaku_lib.index import tenant_documents
from kohaku_lib.index.page_boxes import box_on_page

router = APIRouter(route_class=CheckedRoute, prefix=UPLOADS, tags=["documents"])
Page = Annotated[int, Path(ge=1, le=100_000)]
MOST_FILES = 50


def keeper_of(request: Request) -> Principal:
    """Return the caller, or refuse one who may not change the documents folder."""
    caller, state = check_role(request, "editor"), state_of(request)
    check_own_index(state, caller)
    if state.project.settings.corpus.documents is None:
        raise Problem(409, "corpus.documents is not set; name the folder of documents in kohaku.toml")
    return caller


Keeper = Annotated[Principal, Depends(before_the_body(keeper_of))]


@router.get("", summary="List the documents")
async def documents(request: Request, state: State, caller: Caller) -> JSONResponse:
    """List all documents with their states: indexed, pending until the next run, or failed with the reason.

    `gone` has the paths of those that are indexed until the next run, though their files are gone.
    """
    indexed = await state.pool.run(caller, lambda: _indexed(state, caller))
    rows = await state.pool.run(caller, lambda: _rows(state, caller, indexed))
    rows = [{**row, "reason": row["reason"] and told(request.scope, row["reason"])} for row in rows]
    may_upload = caller.may("editor") and caller.org_id == state.project.settings.corpus.org_id
    gone = _gone({row["path"] for row in rows}, indexed)
    told_all = {"documents": rows, "gone": gone, "formats": list(format_suffixes()), "may_upload": may_upload}
    return JSONResponse(told_all)


@router.post("", summary="Upload documents", status_code=201)
async def upload(
    file: list[UploadFile], request: Request, state: State, caller: Keeper, index: Annotated[bool, Query()] = True
) -> JSONResponse:
    """Store files in the documents folder and start a run that makes them searchable, unless `index` is false.

    `refused` has the name of each file that cannot be stored, and why; the request fails if no file can.
    """
    if len(file) > MOST_FILES:
        raise Problem(413, f"at most {MOST_FILES} files are uploaded at once, got {len(file)}")
    most = int(state.project.settings.server.max_upload_mb * MEGABYTE)
    corpus, removals, by = state.project.settings.corpus, state.project.removals, _name(caller)
    stored, refused, problems = list[str](), list[dict[str, str]](), list[Problem]()
    for one in file:
        try:
            path = await state.pool.run(caller, lambda one=one: store_upload(removals, corpus, by, one, most))
            stored.append(path.name)
        except Problem as problem:
            problems.append(problem)
            refused.append({"name": one.filename or "", "reason": told(request.scope, problem.detail)})
    if len(problems) == 1 and not stored:
        raise problems[0]
    if not stored:
        reasons = "; ".join(one["reason"] for one in refused)
        raise Problem(problems[0].status_code, f"none of these files can be stored: {reasons}")
    run = state.runs.shown(state.runs.start()) if index else None
    return JSONResponse({"files": stored, "refused": refused, "run": run}, 201)


@router.get("/changes", summary="Tell which documents have changed lately")
async def changes(state: State, caller: Caller) -> JSONResponse:
    """Return when documents were added, changed or removed, by the newest 20 states of the store, newest first."""
    check_own_index(state, caller)

    def work() -> list[dict[str, Any]]:
        history = document_history(Project(state.project.loaded))
        return [
            {"made_at": made_at, "added": one.added, "changed": one.changed, "removed": one.removed}
            for made_at, one in history
        ]

    return JSONResponse({"changes": await state.pool.run(caller, work)})


@router.get("/{document_id:path}/text", summary="Return the parsed text of a document")
async def text(document_id: str, state: State, caller: Caller) -> JSONResponse:
    """Return what a document is, and its headings and paragraphs in their order."""

    def work(services: TenantServices) -> dict[str, Any]:
        row = find_document(services, caller.org_id, document_id)
        with services.reading() as (index, _):
            others = tenant_documents(index.snapshot, caller.org_id).select(["document_id", "path"]).to_pylist()
            return document_json(index.snapshot, row, others, state.project.settings.corpus)

    return JSONResponse(await state.serve(caller, work))


@router.get("/{document_id:path}/file", summary="Download the file of a document")
async def file(document_id: str, state: State, caller: Caller) -> Response:
    """Return the file of a document as it is now; browsers save it, and run nothing of it."""

    def work(services: TenantServices) -> Response:
        row = find_document(services, caller.org_id, document_id, is_read=False)
        path = document_file(state.project.settings.corpus, row["path"])
        safe = {"Content-Security-Policy": "sandbox"}
        if path.is_file():
            return FileResponse(path, media_type=row["mime_type"], filename=path.name, headers=safe)
        try:
            with file_at(path) as unpacked:
                content = unpacked.read_bytes()
        except DocumentError as fault:
            raise Problem(404, str(fault)) from fault
        safe["Content-Disposition"] = f"attachment; filename*=utf-8''{quote(path.name)}"
        return Response(content, media_type=row["mime_type"], headers=safe)

    return await state.serve(caller, work)


@router.get("/{document_id:path}/pages/{page}", summary="Return a page with the boxes of a node or a quote")
async def page(
    document_id: str,
    page: Page,
    state: State,
    caller: Caller,
    node: Annotated[str | None, Query()] = None,
    start: Annotated[int, Query(ge=0)] = 0,
    end: Annotated[int, Query(ge=0)] = 0,
) -> JSONResponse:
    """Return a page of a PDF as an image with its size in points, and on it the boxes of a node.

    With `start` and `end`, which bound a quote in the text of the node, they are the boxes of its lines, if the page has a
    text layer.
    """

    def work(services: TenantServices) -> dict[str, Any]:
        row = find_document(services, caller.org_id, document_id)
        found = node_json(services, caller.org_id, node) if node else None
        with services.reading() as (index, _):
            is_on_it = found is not None and found["document_id"] == document_id
            box = box_on_page(index.snapshot, found["node_id"], page) if found and is_on_it else None
        drawn = state.pages.page(row, page)
        lines = quoted_lines(drawn.lines, found["text"][start:end], box) if found and box else []
        return page_json(drawn, boxes_by_line([line.box for line in lines]) or ([box] if box else []))

    return JSONResponse(await state.serve(caller, work))


@router.get("/{document_id:path}/pages/{page}/image", summary="Return a page as an image")
async def image(document_id: str, page: Page, state: State, caller: Caller) -> Response:
    """Return a page of a PDF as WebP."""

    def work(services: TenantServices) -> bytes:
        return page_bytes(state.pages.page(find_document(services, caller.org_id, document_id), page))

    return Response(await state.serve(caller, work), media_type="image/webp")


@router.get("/{document_id:path}", summary="Describe a document")
async def document(document_id: str, state: State, caller: Caller) -> JSONResponse:
    """Return what the index knows of a document; the paths above go before, as an id may hold slashes."""
    row = await state.serve(caller, lambda services: find_document(services, caller.org_id, document_id, is_read=False))
    return JSONResponse({name: row[name] for name in ("document_id", "title", "path", "pages", "mime_type", "status")})


@router.delete("/{document_id:path}", summary="Delete a document", status_code=202)
async def delete_document(document_id: str, state: State, caller: Keeper) -> JSONResponse:
    """Take a document out: an upload goes to the trash, any other file stays, left out of the index; then start a run."""

    def work() -> str:
        rows = [
            one
            for one in states(Project(state.project.loaded), caller.org_id)
            if one.document_id == document_id and one.path
        ]
        if not rows:
            raise Problem(404, f"there is no document {document_id[:80]!r}; GET /v1/documents lists them")
        document_file(state.project.settings.corpus, rows[0].path)
        return state.project.removals.remove(rows[0].path, _name(caller))

    removed = await state.pool.run(caller, work)
    return JSONResponse({"removed": removed, "run": state.runs.shown(state.runs.start())}, 202)


@router.post("/included", summary="Read a document again that was left out", status_code=202)
async def include_document(body: IncludeRequest, state: State, caller: Keeper) -> JSONResponse:
    """Take a file into the index again that DELETE left out; then start a run."""

    def work() -> None:
        own = {one.path for one in states(Project(state.project.loaded), caller.org_id)}
        if body.path not in own or body.path not in state.project.removals.left_out():
            raise Problem(404, f"{body.path[:200]!r} is not left out; GET /v1/documents lists what is")
        state.project.removals.include(body.path)

    await state.pool.run(caller, work)
    return JSONResponse({"run": state.runs.shown(state.runs.start())}, 202)


def find_document(services: TenantServices, org_id: str, document_id: str, *, is_read: bool = True) -> dict[str, Any]:
    """Return the row (DOCUMENTS) of a tenant's document in the index.

    Raises:
        Problem: There is none, or it could not be read and `is_read` is asked for.
    """
    with services.reading() as (index, _):
        rows = tenant_documents(index.snapshot, org_id).to_pylist()
    row = next((row for row in rows if row["document_id"] == document_id), None)
    if row is None:
        raise Problem(404, f"the index has no document {document_id[:80]!r}; GET /v1/documents lists them")
    if is_read and row["status"] != "parsed":
        raise Problem(404, f"{document_id[:80]!r} could not be read; GET /v1/documents gives the reason")
    return row


def _indexed(state: ServerState, caller: Principal) -> dict[str, dict[str, Any]]:
    """Return the documents of the published index by id; none without an index."""
    try:
        with state.assistants.get(caller.org_id).reading() as (index, _):
            rows = tenant_documents(index.snapshot, caller.org_id).to_pylist()
    except StoreError:
        return {}
    return {row["document_id"]: row for row in rows if row["status"] == "parsed"}


def _rows(state: ServerState, caller: Principal, indexed: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    if caller.org_id != state.project.settings.corpus.org_id or state.project.settings.corpus.documents is None:
        names = ("document_id", "path", "status", "pages", "title")
        return [
            {**{name: row[name] for name in names}, **_NO_FILE, "collection": _collection(row), "indexed": True}
            for row in indexed.values()
        ]
    left_out, folder = state.project.removals.left_out(), state.project.settings.corpus.documents
    return [
        {
            **asdict(one),
            "title": row["title"] if row else one.path,
            "indexed": row is not None,
            "is_upload": bool(one.path) and state.project.removals.is_upload(one.path),
            "is_left_out": one.path in left_out,
            "collection": _collection(row) if row else None,
            **file_facts(folder / one.path if one.path else None)._asdict(),
        }
        for one in states(Project(state.project.loaded), caller.org_id)
        for row in [indexed.get(one.document_id or "")]
    ]


def _gone(listed: Set[str], indexed: dict[str, dict[str, Any]]) -> list[str]:
    """Return the paths in the index that are neither listed nor within a file that is."""
    paths = [row["path"] for row in indexed.values() if row["path"]]
    return [path for path in paths if listed.isdisjoint({path, *map(str, PurePosixPath(path).parents)})]


_NO_FILE = {"reason": None, "size_bytes": None, "modified_at": None, "is_upload": False, "is_left_out": False}


def _collection(document: dict[str, Any]) -> str | None:
    """Return what the metadata of a document (a row of DOCUMENTS) names as its collection."""
    return json.loads(document["metadata_json"]).get("collection")


def _name(caller: Principal) -> str:
    return caller.user_id or "a caller without a key"
