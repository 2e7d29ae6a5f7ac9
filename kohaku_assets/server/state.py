"""What the requests of one server share."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request
from fastapi.routing import APIRoute
from starlette.responses import Response

from kohaku_assets.pipeline.project import Project
from kohaku_assets.server.access.keys import Keys
from kohaku_assets.server.access.principal import Principal, Role
from kohaku_assets.server.assistants import Assistants, TenantServices
from kohaku_assets.server.document_pages import PageImages
from kohaku_assets.server.metrics import Metrics
from kohaku_assets.server.openai_messages import KnownConversations
from kohaku_assets.server.problems import Problem
from kohaku_assets.server.runs import Runs
from kohaku_assets.server.session_turns import SessionTurns
from kohaku_assets.server.work_pool import WorkPool

Result = TypeVar("Result")


@dataclass(frozen=True)
class ServerState:
    """The parts of a server, made once."""

    keys: Keys
    assistants: Assistants
    pool: WorkPool
    long_pool: WorkPool  # for what may take minutes, such as fetching a store: no question waits for it
    metrics: Metrics
    runs: Runs
    pages: PageImages
    is_loopback: bool
    conversations: KnownConversations = field(default_factory=KnownConversations)
    sessions: SessionTurns = field(default_factory=SessionTurns)

    @property
    def project(self) -> Project:
        """The project as its settings are now."""
        return self.assistants.project

    async def serve(
        self, principal: Principal, work: Callable[[TenantServices], Result], session_id: str | None = None
    ) -> Result:
        """Return what `work` makes of the services of the caller's tenant, computed by a thread of the pool.

        The messages of a session wait for each other before they wait for a thread.
        """
        async with self.sessions.turn(principal, session_id):
            return await self.pool.run(principal, lambda: work(self.assistants.get(principal.org_id)))


def state_of(request: Request) -> ServerState:
    """Return the parts of the server."""
    return request.app.state.server


def principal_of(request: Request) -> Principal:
    """Return the caller, whom the gate found."""
    return request.scope["principal"]


State = Annotated[ServerState, Depends(state_of)]
Caller = Annotated[Principal, Depends(principal_of)]


_CHECKS: set[Callable[..., Principal]] = set()


def caller_with(role: Role) -> Callable[[Request], Principal]:
    """Return a dependency that gives the caller, or refuses one whose role may not do this."""

    def check(request: Request) -> Principal:
        return check_role(request, role)

    return before_the_body(check)


def check_role(request: Request, role: Role) -> Principal:
    """Return the caller of a request; raises Problem for one whose role may not do this."""
    principal = principal_of(request)
    if not principal.may(role):
        msg = f"this needs a key of the role {role}, and yours is {principal.role}; ask for another with 'kohaku keys add'"
        raise Problem(403, msg)
    return principal


def check_own_index(state: ServerState, caller: Principal) -> None:
    """Refuse callers of other organisations than the one whose index this is, which is not named; raises Problem."""
    if caller.org_id != state.project.settings.corpus.org_id:
        msg = "the index and the folder of documents are another organisation's; ask whoever runs the server"
        raise Problem(403, msg)


def before_the_body(check: Callable[[Request], Principal]) -> Callable[[Request], Principal]:
    """Have a dependency decide before the body of a request is read; in routes of the class `CheckedRoute`."""
    _CHECKS.add(check)
    return check


class CheckedRoute(APIRoute):
    """A route that refuses a caller before it reads the body; others read it first and look at dependencies then."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return what answers a request."""
        handle = super().get_route_handler()
        checks = [one.call for one in self.dependant.dependencies if one.call in _CHECKS]

        async def checked(request: Request) -> Response:
            for check in checks:
                check(request)
            return await handle(request)

        return checked


Editor = Annotated[Principal, Depends(caller_with("editor"))]
Admin = Annotated[Principal, Depends(caller_with("admin"))]
