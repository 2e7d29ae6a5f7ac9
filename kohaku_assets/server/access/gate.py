"""The gate before every request: hosts and origins, keys, and limits of rate and concurrency."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from anyio.to_thread import run_sync
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from kohaku_assets.server.access.bodies import limited
from kohaku_assets.server.access.hosts import host_name, is_forwarded, is_loopback
from kohaku_assets.server.access.keys import Keys
from kohaku_assets.server.access.limits import Limits
from kohaku_assets.server.access.principal import Principal
from kohaku_assets.server.problems import Problem, problem_of, problem_response, told_to
from kohaku_lib.settings import ServerSettings

OPEN_PATHS = frozenset(("/", "/healthz", "/readyz", "/openapi.json"))  # without a key
OPEN_FOLDER = "/page/"
_LOGGER = logging.getLogger("kohaku.server")
_CROSS_SITE = "cross-site"
_PROTECTED = ("/v1/", "/mcp")  # from other sites


@dataclass(frozen=True)
class AccessRules:
    """Who may call: by keys, or anybody on this machine until the first one is added; `org_id` is the tenant then."""

    settings: ServerSettings
    keys: Keys
    org_id: str
    is_loopback: bool

    def check_host(self, headers: Mapping[str, str], path: str) -> None:
        """Refuse names and pages that a browser was led to this server by (DNS rebinding, other sites).

        Raises:
            Problem: The host is not one of this server, or the page that calls is another site's.
        """
        host = headers.get("host", "")
        name = host_name(host)
        if self.is_loopback and not is_loopback(name) and name not in self.settings.hosts:
            msg = f"the host {name[:80]!r} is not served here; call 127.0.0.1, or add it to server.hosts"
            raise Problem(421, msg)
        origin = headers.get("origin")
        if origin is not None and origin not in self.settings.origins and origin.partition("://")[2] != host:
            msg = f"pages of {origin[:80]!r} may not call this server; add the address to server.origins"
            raise Problem(403, msg)
        if origin is None and headers.get("sec-fetch-site") == _CROSS_SITE and path.startswith(_PROTECTED):
            msg = "another site's page may not load this; open the server's own page"
            raise Problem(403, msg)

    def principal(self, headers: Mapping[str, str], peer: str) -> Principal:
        """Return who calls.

        Raises:
            Problem: There is no valid key where one is needed.
        """
        scheme, _, key = headers.get("authorization", "").partition(" ")
        row = self.keys.find(key.strip()) if scheme.lower() == "bearer" and key.strip() else None
        if row is not None:
            if row.revoked_at is not None:
                self._refuse("this key was revoked")
            if row.unconfirmed_since is not None:
                remedy = f"'kohaku keys confirm {row.key_id}' lets it in"
                _LOGGER.warning(
                    "the key %s (%s) is off since a restore and was refused; %s", row.name, row.key_id, remedy
                )
                self._refuse("this key is off")
            return row.principal
        user_header = self.settings.user_header
        if user_header is not None:
            user = headers.get(user_header.lower(), "").strip()
            if user and peer in self.settings.proxies:
                return Principal(self.org_id, "reader", user, f"user:{user}")
        elif self.is_loopback and not self.keys.any_ever():
            if is_forwarded(headers):
                self._refuse("a proxy passed this on, and without a key only this machine is answered")
            return Principal(self.org_id, "admin")
        self._refuse("the key is unknown" if key else "a key is needed")
        raise AssertionError

    @staticmethod
    def _refuse(reason: str) -> None:
        msg = f"{reason}; send 'Authorization: Bearer KEY' with a key of 'kohaku keys add NAME'"
        raise Problem(401, msg, {"WWW-Authenticate": "Bearer"})


class Gate:
    """Lets a request pass that the rules and limits allow, with its caller as `principal` in the scope."""

    def __init__(self, app: ASGIApp, rules: AccessRules) -> None:
        self._app, self._rules = app, rules
        self._limits = Limits(rules.settings.requests_per_minute, rules.settings.requests_at_once)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or answer it with the problem."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return  # there are no websockets
        headers, path = Headers(scope=scope), scope["path"]
        receive, send = limited(scope, receive, send, self._rules.settings)
        try:
            self._rules.check_host(headers, path)
            if path in OPEN_PATHS or path.startswith(OPEN_FOLDER):
                await self._app(scope, receive, send)
                return
            peer = (scope.get("client") or ("", 0))[0]
            principal = scope["principal"] = await run_sync(self._rules.principal, headers, peer)
            caller = principal.key_id or peer
            self._limits.enter(caller)
        except Exception as error:
            problem = told_to(scope, problem_of(error))
            await problem_response(problem, scope["request_id"])(scope, receive, send)
            return
        try:
            await self._app(scope, receive, send)
        finally:
            self._limits.leave(caller)
