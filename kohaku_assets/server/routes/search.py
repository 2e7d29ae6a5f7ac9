"""Searches and structured answers: /v1/search, /v1/retrieve, /v1/answers, /v1/tools, /v1/nodes."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from fastapi import APIRouter
from starlette.responses import JSONResponse

from kohaku_assets.server.assistants import TenantServices
from kohaku_assets.server.problems import Problem
from kohaku_assets.server.schemas import (
    AnswerRequest,
    AnswerResponse,
    RetrieveRequest,
    RetrieveResponse,
    SearchRequest,
    SearchResponse,
    ToolRequest,
    ToolResponse,
)
from kohaku_assets.server.state import Caller, State
from kohaku_lib.answering import answer_all
from kohaku_lib.conversation.request import check_length
from kohaku_lib.index import SearchFilter, tenant_node
from kohaku_lib.project.open_index import HIT_FIELDS, check_not_empty
from kohaku_lib.tables import Question

router = APIRouter(prefix="/v1", tags=["search"])
_QUESTION_ID = "ask"
_EXPLAINED = 10  # ranks of the question's own search
_NODE_FIELDS = ("node_id", "document_id", "kind", "page", "title", "text", "modality")


@router.post("/search", response_model=SearchResponse, summary="Rank the nodes of the index for a query")
async def search(body: SearchRequest, state: State, caller: Caller) -> JSONResponse:
    """Rank sentences and paragraphs for a query as written; no language model is called."""
    check_length(body.query, state.project.settings.assistant.max_message_chars)

    def work(services: TenantServices) -> dict[str, Any]:
        with services.reading() as (index, settings):
            result, nodes = index.search(body.query, body.top_k, body.filter.as_filter(), settings)
        rows = [
            {**{name: nodes[match.node_id][name] for name in HIT_FIELDS}, "score": match.score}
            for match in result.matches[: body.top_k]
        ]
        return {"matches": rows, "lost_channels": dict(result.trace.get("failed_channels", {}))}

    return JSONResponse(await state.serve(caller, work))


@router.post("/retrieve", response_model=RetrieveResponse, summary="Return the context of a question")
async def retrieve(body: RetrieveRequest, state: State, caller: Caller) -> JSONResponse:
    """Return queries, ranked nodes and the snippets that an answer would be given from."""
    check_length(body.question, state.project.settings.assistant.max_message_chars)

    def work(services: TenantServices) -> dict[str, Any]:
        check_not_empty(body.question, "question", "ask")
        with services.reading() as (index, settings):
            result = index.engine(body.filter.as_filter(), settings).context(Question(_QUESTION_ID, body.question))
        names = ("node_id", "document_id", "page", "text", "score", "heading")
        return {
            "queries": list(result.queries),
            "matches": [asdict(match) for match in result.matches],
            "snippets": [{name: getattr(one, name) for name in names} for one in result.snippets],
        }

    return JSONResponse(await state.serve(caller, work))


@router.post("/answers", response_model=AnswerResponse, summary="Answer a question by one value")
async def answer(body: AnswerRequest, state: State, caller: Caller) -> JSONResponse:
    """Return value, unit, explanation and citations, as `kohaku answer` writes them; no conversation is held."""
    check_length(body.question, state.project.settings.assistant.max_message_chars)

    def work(services: TenantServices) -> dict[str, Any]:
        check_not_empty(body.question, "question", "ask")
        with services.reading() as (index, settings):
            engine = index.engine(body.filter.as_filter(), settings)
            return answer_all(engine, [Question(_QUESTION_ID, body.question, body.unit)])[0].as_json()

    return JSONResponse(await state.serve(caller, work))


@router.get("/answers/{answer_id}", summary="Tell how an answer came about")
async def explain(answer_id: str, state: State, caller: Caller) -> JSONResponse:
    """Return the question as understood, the searches, claims and times of an answer, and the ranks of its passages."""

    def work(services: TenantServices) -> dict[str, Any]:
        return _explanation(services, answer_id, caller.user_id)

    return JSONResponse(await state.serve(caller, work))


@router.post("/tools/search_knowledge_base", response_model=ToolResponse, summary="Search for an agent")
async def search_knowledge_base(body: ToolRequest, state: State, caller: Caller) -> JSONResponse:
    """Return the best passages for a query; an unknown category is a refusal with its reason."""

    def work(services: TenantServices) -> dict[str, Any]:
        found = services.assistant.search_knowledge_base(body.query, caller.org_id, body.limit, body.category)
        return asdict(found)

    return JSONResponse(await state.serve(caller, work))


@router.get("/nodes/{node_id:path}", summary="Return a node of the index")
async def node(node_id: str, state: State, caller: Caller) -> JSONResponse:
    """Return a node's text, page and box, and the ids of its parent and children."""
    return JSONResponse(await state.serve(caller, lambda services: node_json(services, caller.org_id, node_id)))


def node_json(services: TenantServices, org_id: str, node_id: str) -> dict[str, Any]:
    """Return a node of a tenant as JSON; raises Problem where there is none of that id."""
    with services.reading() as (index, _):
        snapshot = index.snapshot
        found = tenant_node(snapshot, org_id, node_id)
        if found is None:
            raise Problem(404, f"the index has no node {node_id[:200]!r}; /v1/search names some")
        rows = snapshot.children(snapshot.row_of(node_id))
        return {
            **{name: found[name] for name in _NODE_FIELDS},
            "document_title": snapshot.document_titles.get(found["document_id"], found["document_id"]),
            "box": found["bbox"],
            "parent_id": found["parent_id"],
            "children": snapshot.column("node_id", rows),
            "index_version": snapshot.version,
        }


def _explanation(services: TenantServices, answer_id: str, user_id: str | None) -> dict[str, Any]:
    row = services.organisation.served.find(answer_id, user_id)
    if row is None:
        raise Problem(404, f"you have no answer {answer_id[:80]!r}; it takes the answer_id of a response")
    with services.reading() as (index, settings):
        result, nodes = index.search(row["question"], _EXPLAINED, SearchFilter(), settings, explained=_EXPLAINED)
    ranks = [
        {
            "node_id": one["node_id"],
            "score": one["score"],
            "ranks": one["ranks"][0],
            "text": nodes[one["node_id"]]["text"],
        }
        for one in result.trace.get("matches", ())
        if one["node_id"] in nodes
    ]
    return {
        "answer_id": row["answer_id"],
        "message": row["message"],
        "question": row["question"],
        "mode": row["mode"],
        "level": row["level"],
        "cached": row["cached"],
        "index_version": row["index_version"],
        "sources": json.loads(row["sources_json"]),
        "trace": json.loads(row["trace_json"]),
        "timings_ms": json.loads(row["timings_json"]),
        "ranking": ranks,
        "dropped": result.trace.get("dropped", []),
    }
