"""What the requests of one server share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, TypeVar

from fastapi import Depends, Request

from kohaku_assets.pipeline.project import Project
from kohaku_assets.server.access.keys import Keys
from kohaku_assets.server.access.principal import Principal, Role
from kohaku_assets.server.assistants import Assistants, TenantServices
from kohaku_assets.server.document_pages import PageImages
from kohaku_assets.server.metrics import Metrics
from kohaku_assets.server.openai_messages import KnownConversations
from kohaku_assets.server.problems import Problem
from kohaku_assets.server.runs import Runs
from kohaku_assets.server.work_pool import WorkPool

Result = TypeVar("Result")


@dataclass(frozen=True)
class ServerState:
    """The parts of a server, made once."""

    project: Project
    keys: Keys
    assistants: Assistants
    pool: WorkPool
    long_pool: WorkPool  # for what may take minutes, such as fetching a store: no question waits for it
    metrics: Metrics
    runs: Runs
    pages: PageImages
    conversations: KnownConversations = field(default_factory=KnownConversations)

    async def serve(self, principal: Principal, work: Callable[[TenantServices], Result]) -> Result:
        """Return what `work` makes of the services of the caller's tenant, computed by a thread of the pool."""
        return await self.pool.run(lambda: work(self.assistants.get(principal.org_id)))


def state_of(request: Request) -> ServerState:
    """Return the parts of the server."""
    return request.app.state.server


def principal_of(request: Request) -> Principal:
    """Return the caller, whom the gate found."""
    return request.scope["principal"]


State = Annotated[ServerState, Depends(state_of)]
Caller = Annotated[Principal, Depends(principal_of)]


def caller_with(role: Role) -> Callable[[Request], Principal]:
    """Return a dependency that gives the caller, or refuses one whose role may not do this."""

    def check(request: Request) -> Principal:
        principal = principal_of(request)
        if not principal.may(role):
            msg = f"this needs a key of the role {role}, and yours is {principal.role}; ask for another with 'kohaku keys add'"
            raise Problem(403, msg)
        return principal

    return check


Editor = Annotated[Principal, Depends(caller_with("editor"))]
Admin = Annotated[Principal, Depends(caller_with("admin"))]
