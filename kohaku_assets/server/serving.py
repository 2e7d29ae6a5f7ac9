"""`kohaku serve`: one process that listens, answers, and ends in order."""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress

import uvicorn

from kohaku_assets.pipeline.project import Project
from kohaku_assets.server.access.hosts import is_loopback
from kohaku_assets.server.access.keys import Keys, open_keys
from kohaku_assets.server.assistants import Assistants
from kohaku_assets.server.stalled_connections import StalledConnections
from kohaku_lib.errors import InputFileError

KEEP_ALIVE_S = 75  # longer than clients and proxies, so that none sends a request on a connection that is being closed
BACKLOG = 512
TICKS_BETWEEN_CUTS = 10  # a second
SWITCH_S = 0.0005  # between threads that compute: a short request changes threads five times, each behind all of them


def serve(project: Project, host: str, port: int, announce: Callable[[str], object]) -> None:
    """Serve a project until SIGTERM or Ctrl-C; answers under way are finished within server.drain_s.

    Args:
        project: The project; it may have no index yet.
        host: An address of this machine; one that others reach needs keys.
        port: 0 takes a free one.
        announce: Called with the address once requests are accepted.

    Raises:
        InputFileError: The address is not free, or others reach it and there is no key.
    """
    settings = project.settings
    with open_keys(project.store, settings.assistant.database) as keys, _listening(host, port) as listener:
        _check_exposure(project, keys, host)
        assistants = Assistants(project)
        assistants.open_soon()  # models load while the libraries of the server are imported
        try:
            _serve(project, keys, assistants, host, listener, announce)
        finally:
            assistants.close()


def _serve(
    project: Project,
    keys: Keys,
    assistants: Assistants,
    host: str,
    listener: socket.socket,
    announce: Callable[[str], object],
) -> None:
    from kohaku_assets.server.application import make_application
    from kohaku_assets.server.connections import connection_limits, limited_protocol
    from kohaku_assets.server.request_log import log_to_standard_error
    from kohaku_assets.server.tracing import trace_provider

    address = project.settings.server.traces
    traces = trace_provider(address) if address is not None else None
    config = uvicorn.Config(
        make_application(project, keys, assistants, is_loopback=is_loopback(host), traces=traces),
        http=limited_protocol(connection_limits(project.settings.server)),
        backlog=BACKLOG,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=int(project.settings.server.drain_s) or 1,
    )
    log_to_standard_error()
    sys.setswitchinterval(SWITCH_S)
    shown = f"[{host}]" if ":" in host else host
    with suppress(KeyboardInterrupt):  # uvicorn raises the signal that ended it again
        address = f"http://{shown}:{listener.getsockname()[1]}"
        stalled = StalledConnections(project.settings.server.head_timeout_s, project.settings.server.body_timeout_s)
        _Server(config, lambda: announce(address), stalled).run([listener])


class _Server(uvicorn.Server):
    """A server that says when it accepts requests, and ends connections that stall."""

    def __init__(self, config: uvicorn.Config, on_start: Callable[[], object], stalled: StalledConnections) -> None:
        super().__init__(config)
        self._on_start, self._stalled = on_start, stalled

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_start()

    async def on_tick(self, counter: int) -> bool:
        if counter % TICKS_BETWEEN_CUTS == 0:
            self._stalled.cut(self.server_state.connections, time.monotonic())
        return await super().on_tick(counter)


def _listening(host: str, port: int) -> socket.socket:
    try:
        [(family, kind, protocol, _, address), *_] = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        msg = f"{host}:{port} cannot be served ({error.strerror}); choose another --host or --port"
        raise InputFileError(msg) from error
    return listener


def _check_exposure(project: Project, keys: Keys, host: str) -> None:
    own = project.settings.server
    if is_loopback(host) or keys.any_valid() or (own.user_header and own.proxies):
        return
    if keys.any_unconfirmed():
        msg = f"others reach {host!r}, and the keys are off since a restore; run 'kohaku keys confirm NAME'"
        raise InputFileError(msg)
    msg = (
        f"others reach {host!r}, so callers need keys and there is none; run 'kohaku keys add NAME', or serve 127.0.0.1"
    )
    raise InputFileError(msg)
