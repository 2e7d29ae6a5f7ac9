"""MCP over streamable HTTP as a part of the server; its SDK is imported by the first request."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from anyio.to_thread import run_sync
from starlette.types import ASGIApp, Receive, Scope, Send

from kohaku_assets.server.access.principal import Principal
from kohaku_assets.server.assistants import TenantServices
from kohaku_assets.server.problems import Problem, problem_response
from kohaku_assets.server.state import ServerState

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

PATH = "/mcp"


class McpOverHttp:
    """The application at /mcp, behind the gate, for callers that it let pass.

    Without sessions any process answers any request. The SDK's task group lives in a task of its own, as long as the block
    of `running`.
    """

    def __init__(self, state: ServerState) -> None:
        self._state = state
        self._wanted, self._ready, self._ended = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._app: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; others than POST belong to sessions, and a stream that GET opened would never end."""
        if scope["method"] != "POST":
            allowed = {"Allow": "POST"}
            problem = Problem(405, "MCP is served without sessions; send requests by POST", allowed)
            await problem_response(problem, scope["request_id"])(scope, receive, send)
            return
        if self._app is None:
            self._wanted.set()
            await self._ready.wait()
            assert self._app is not None
        await self._app(scope, receive, send)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Be ready to serve until the block ends."""
        task = asyncio.create_task(self._run())
        try:
            yield
        finally:
            self._ended.set()
            self._wanted.set()
            await task

    async def _run(self) -> None:
        await self._wanted.wait()
        if self._ended.is_set():
            return
        server, app = await run_sync(self._made)
        async with server.session_manager.run():
            self._app = app
            self._ready.set()
            await self._ended.wait()

    def _made(self) -> tuple[MCPServer[Any], ASGIApp]:
        from mcp.server.mcpserver import Context
        from mcp.server.transport_security import TransportSecuritySettings

        from kohaku_assets.server.mcp_tools import make_mcp

        async def serve(
            context: Context[Any], work: Callable[[TenantServices, Principal], Any], session_id: str | None = None
        ) -> Any:
            request = context.request_context.request
            assert request is not None
            principal: Principal = request.scope["principal"]
            return await self._state.serve(principal, lambda services: work(services, principal), session_id)

        server = make_mcp(serve)
        trusting = TransportSecuritySettings(enable_dns_rebinding_protection=False)  # the gate checked the host
        return server, server.streamable_http_app(
            streamable_http_path=PATH, stateless_http=True, json_response=True, transport_security=trusting
        )
