"""MCP over standard input and output, for the program that started the process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcp.server.mcpserver import Context

from kohaku_assets.pipeline.project import Project
from kohaku_assets.server.access.principal import Principal
from kohaku_assets.server.assistants import Assistants, TenantServices
from kohaku_assets.server.mcp_tools import make_mcp
from kohaku_assets.server.session_turns import SessionTurns
from kohaku_assets.server.work_pool import WorkPool, worker_count

END_S = 10.0


def serve_stdio(project: Project) -> None:
    """Serve MCP until the input ends, as a reader of the project's tenant."""
    assistants, pool = Assistants(project), WorkPool(worker_count(project.settings))
    principal, sessions = Principal(project.settings.corpus.org_id, "reader"), SessionTurns()
    assistants.open_soon()

    async def serve(
        context: Context[Any], work: Callable[[TenantServices, Principal], Any], session_id: str | None = None
    ) -> Any:
        async with sessions.turn(principal, session_id):
            return await pool.run(principal, lambda: work(assistants.get(principal.org_id), principal))

    try:
        make_mcp(serve).run("stdio")
    finally:
        pool.close(END_S)
        assistants.close()
