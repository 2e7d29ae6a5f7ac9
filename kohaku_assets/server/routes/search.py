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
from kohaku_lib.assistant.request import check_length
from kohaku_lib.composition import overlaid
from kohaku_lib.index import tenant_node
from kohaku_lib.retrieval import plan_question
from kohaku_lib.service.open_project import Answer, check_not_empty, search_index

router = APIRouter(prefix="/v1", tags=["search"])
_QUESTION_ID = "search"
_EXPLAINED = 10  # ranks of the question's own search
_NODE_FIELDS = ("node_id", "document_id", "kind", "page", "title", "text", "modality")


@router.post("/search", response_model=SearchResponse, summary="Rank the nodes of the index for a query")
async def search(body: SearchRequest, state: State, caller: Caller) -> JSONResponse:
    """Rank sentences and paragraphs for a query as written; no language model is called."""
    check_length(body.query, state.project.settings.assistant.max_message_chars)
    return JSONResponse(await state.serve(caller, lambda services: ranked(services, body)))


@router.post("/retrieve", response_model=RetrieveResponse, summary="Return the context of a question")
async def retrieve(body: RetrieveRequest, state: State, caller: Caller) -> JSONResponse:
    """Return queries, ranked nodes and the snippets that an answer would be given from."""
    check_length(body.question, state.project.settings.assistant.max_message_chars)

    def work(services: TenantServices) -> dict[str, Any]:
        check_not_empty(body.question, "question", "ask")
        with services.reading() as (parts, settings):
            result = parts.pipeline(settings, body.filter.as_filter()).retrieve(body.question, _QUESTION_ID)
        names = ("node_id", "document_id", "page", "text", "score")
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
        where = body.filter
        return _structured(
            services.project.ask(
                body.question,
                body.unit,
                documents=where.documents,
                collections=where.collections,
                folders=where.folders,
            )
        )

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


def ranked(services: TenantServices, body: SearchRequest) -> dict[str, Any]:
    """Return the ranking of a query as JSON."""
    check_not_empty(body.query, "query", "search for")
    with services.reading() as (parts, settings):
        alone = overlaid(settings, {"planner.max_queries": 1})
        pipeline = parts.pipeline(alone, body.filter.as_filter())
        plan = plan_question(body.query, _QUESTION_ID, alone.planner, None).plan
        [result] = pipeline.retriever.retrieve([plan])
        matches = result.matches[: body.top_k]
        nodes = parts.snapshot.get_nodes([match.node_id for match in matches]) if matches else []
    rows = [
        {**{name: one[name] for name in ("node_id", "document_id", "page", "kind", "text")}, "score": match.score}
        for match, one in zip(matches, nodes, strict=True)
    ]
    return {"matches": rows, "lost_channels": dict(result.trace.get("failed_channels", {}))}


def node_json(services: TenantServices, org_id: str, node_id: str) -> dict[str, Any]:
    """Return a node of a tenant as JSON; raises Problem where there is none of that id."""
    with services.reading() as (parts, _):
        snapshot = parts.snapshot
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


def _structured(found: Answer) -> dict[str, Any]:
    return {
        "question": found.question,
        "answer": found.text,
        "answer_value": found.value,
        "answer_unit": found.unit,
        "ref_id": list(dict.fromkeys(citation.document_id for citation in found.citations)),
        "explanation": found.explanation,
        "confidence": found.confidence,
        "citations": [asdict(citation) for citation in found.citations],
        "error": found.error,
        "lost_channels": dict(found.lost_channels),
    }


def _explanation(services: TenantServices, answer_id: str, user_id: str | None) -> dict[str, Any]:
    row = services.organisation.served.find(answer_id, user_id)
    if row is None:
        raise Problem(404, f"you have no answer {answer_id[:80]!r}; it takes the answer_id of a response")
    with services.reading() as (parts, _):
        result, nodes = search_index(services.session, parts.snapshot, row["question"], _EXPLAINED)
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
