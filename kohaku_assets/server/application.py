"""The application: every request of the server behind the gate, the log and the limits."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import Route
from starlette.staticfiles import StaticFiles

from kohaku_assets.pipeline.project import Project
from kohaku_assets.server.access.gate import AccessRules, Gate
from kohaku_assets.server.access.keys import Keys
from kohaku_assets.server.assistants import Assistants
from kohaku_assets.server.document_pages import PageImages
from kohaku_assets.server.mcp_http import PATH, McpOverHttp
from kohaku_assets.server.metrics import Metrics
from kohaku_assets.server.problems import MEDIA_TYPE, add_handlers
from kohaku_assets.server.request_log import RequestLog
from kohaku_assets.server.routes import (
    admin,
    chat,
    documents,
    figures,
    health,
    local_models,
    openai_protocol,
    page,
    reviews,
    runs,
    search,
    sessions,
)
from kohaku_assets.server.runs import Runs
from kohaku_assets.server.schemas import ProblemBody
from kohaku_assets.server.state import ServerState
from kohaku_assets.server.tracing import Tracing
from kohaku_assets.server.work_pool import WorkPool, worker_count
from kohaku_lib.version import __version__

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

END_S = 2.0  # for threads, after the time for answers
_DESCRIPTION = "Answers from your own documents, with citations you can check. Keys: `Authorization: Bearer KEY`."
_PROBLEM = {"description": "A problem", "content": {MEDIA_TYPE: {"schema": ProblemBody.model_json_schema()}}}


def make_application(
    project: Project,
    keys: Keys,
    assistants: Assistants,
    *,
    is_loopback: bool,
    traces: TracerProvider | None = None,
) -> FastAPI:
    """Return the application that serves `project` by `assistants`, with `traces` of its requests, which it ends."""
    settings, org_id = project.settings.server, project.settings.corpus.org_id
    state = ServerState(
        keys,
        assistants,
        WorkPool(worker_count(project.settings)),
        WorkPool(1),
        Metrics(),
        Runs(project, assistants.follow),
        PageImages(project.settings.corpus, project.settings.documents),
        is_loopback,
    )

    protocol = McpOverHttp(state)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with protocol.running():
            yield
        state.runs.close()
        if traces is not None:
            traces.shutdown()
        state.pool.close(END_S)
        state.long_pool.close(END_S)

    app = FastAPI(
        title="Kohaku",
        version=__version__,
        description=_DESCRIPTION,
        docs_url=None,  # its page would load scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
        responses={"default": _PROBLEM},
        generate_unique_id_function=_operation_id,
    )
    app.state.server = state
    apart = (
        health,
        chat,
        search,
        sessions,
        figures,
        documents,
        runs,
        openai_protocol,
        admin,
        local_models,
        reviews,
        page,
    )
    for routes in apart:
        app.include_router(routes.router)
    app.mount("/page", StaticFiles(directory=page.FOLDER))
    app.router.routes.append(Route(PATH, protocol, name="mcp"))
    add_handlers(app)
    app.add_middleware(Gate, rules=AccessRules(settings, keys, org_id, is_loopback))
    if settings.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.origins),
            allow_methods=["GET", "POST", "DELETE", "PUT"],
            allow_headers=["Authorization", "Content-Type", "Accept"],
        )
    app.add_middleware(RequestLog, metrics=state.metrics)
    if traces is not None:
        app.add_middleware(Tracing, provider=traces)  # the outermost
    return app


def _operation_id(route: APIRoute) -> str:
    return route.name
