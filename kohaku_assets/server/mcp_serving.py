"""MCP over streamable HTTP as a part of the server, and over standard input and output by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import FastAPI
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.transport_security import TransportSecuritySettings

from kohaku_assets.pipeline.project import Project
from kohaku_assets.server.access.principal import Principal
from kohaku_assets.server.assistants import Assistants, TenantServices
from kohaku_assets.server.mcp_tools import make_mcp
from kohaku_assets.server.state import ServerState
from kohaku_assets.server.work_pool import WorkPool

PATH = "/mcp"
Work = Callable[[TenantServices, Principal], Any]


def add_mcp(app: FastAPI, state: ServerState) -> MCPServer[Any]:
    """Serve MCP at /mcp behind the gate of `app`; its session manager runs as long as the application."""

    async def serve(context: Context[Any], work: Work) -> Any:
        request = context.request_context.request
        assert request is not None
        principal: Principal = request.scope["principal"]
        return await state.serve(principal, lambda services: work(services, principal))

    server = make_mcp(serve)
    # Hosts and origins were checked by the gate. Without sessions any process answers any request.
    trusting = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    part = server.streamable_http_app(
        streamable_http_path=PATH, stateless_http=True, json_response=True, transport_security=trusting
    )
    app.router.routes.extend(part.routes)
    return server


def serve_stdio(project: Project) -> None:
    """Serve MCP over standard input and output until the input ends, for whoever started the process."""
    assistants, pool = Assistants(project), WorkPool(project.settings.server.workers)
    principal = Principal(project.settings.corpus.org_id, "reader")
    pool.start(lambda: assistants.get(principal.org_id))

    async def serve(_: Context[Any], work: Work) -> Any:
        return await pool.run(lambda: work(assistants.get(principal.org_id), principal))

    try:
        make_mcp(serve).run("stdio")
    finally:
        assistants.close()
