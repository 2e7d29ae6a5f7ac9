"""Connections of httpcore that keep to the deadline of the exchange, whatever the server sends or holds back."""

from __future__ import annotations

import errno
import os
import selectors
import socket
import ssl
import threading
from collections.abc import Callable, Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any, TypeVar

import httpcore

from kohaku_lib.http_exchange.deadline import POLL_S, Deadline, current_deadline
from kohaku_lib.http_exchange.faults import UnknownHostError

CONNECT_S = 3.0  # the longest wait for a host's address and a connection to it

Address = IPv4Address | IPv6Address
CheckAddress = Callable[[str, Address], None]  # host, one of its addresses; raises AddressError
_Info = tuple[int, int, int, str, tuple[Any, ...]]  # of socket.getaddrinfo
_Made = TypeVar("_Made")


class TimedBackend(httpcore.NetworkBackend):
    """Connects within `CONNECT_S`, to addresses that `check_address` lets pass: those that it saw, not looked up anew."""

    def __init__(self, check_address: CheckAddress | None = None) -> None:
        self._check_address = check_address

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Return a connection; raises ConnectError or ConnectTimeout of httpcore, UnknownHostError or AddressError."""
        whole = current_deadline(timeout)
        connecting = Deadline(min(CONNECT_S, whole.left_s()))
        found = _looked_up(host, port, connecting)
        if self._check_address is not None:
            _check(host, found, self._check_address)
        connected = _first_connected(found, connecting)
        for option in (*(socket_options or ()), (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)):
            connected.setsockopt(*option)
        return TimedStream(connected)


def check_host(host: str, check_address: CheckAddress, deadline: Deadline) -> None:
    """Ask `check_address` about a host that a proxy connects to, as far as this machine knows its addresses."""
    try:
        found = _looked_up(host, 0, Deadline(min(CONNECT_S, deadline.left_s())))
    except (UnknownHostError, httpcore.ConnectTimeout):  # a name that only the proxy knows
        return
    _check(host, found, check_address)


def _check(host: str, found: list[_Info], check_address: CheckAddress) -> None:
    for info in found:
        check_address(host, ip_address(info[4][0].partition("%")[0]))


class TimedStream(httpcore.NetworkStream):
    """One connection; every wait ends with the deadline of the exchange, or soon after an interrupt."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return what has come, at most `max_bytes`; empty at the end."""
        return self._waited(lambda: self._socket.recv(max_bytes), timeout, httpcore.ReadTimeout, httpcore.ReadError)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all of `buffer`."""
        left = memoryview(buffer)
        while left:
            sent = self._waited(
                lambda part=left: self._socket.send(part), timeout, httpcore.WriteTimeout, httpcore.WriteError
            )
            left = left[sent:]

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """Return the connection as one that is encrypted."""
        if isinstance(self._socket, ssl.SSLSocket):
            self.close()
            msg = "a proxy that is reached by https cannot be used for addresses of https; use its http address"
            raise httpcore.ConnectError(msg)
        secured = ssl_context.wrap_socket(self._socket, server_hostname=server_hostname, do_handshake_on_connect=False)
        stream = TimedStream(secured)
        try:
            stream._waited(secured.do_handshake, timeout, httpcore.ConnectTimeout, httpcore.ConnectError)
        except BaseException:
            stream.close()
            raise
        return stream

    def get_extra_info(self, info: str) -> Any:
        """Return what httpcore asks of a connection: its socket, its TLS object, and whether something has come."""
        if info == "socket":
            return self._socket
        if info == "ssl_object" and isinstance(self._socket, ssl.SSLSocket):
            return self._socket
        if info == "is_readable":
            return self._socket.fileno() < 0 or _is_ready(self._socket, selectors.EVENT_READ, 0.0)
        return None

    def _waited(
        self, act: Callable[[], _Made], timeout: float | None, late: type[Exception], broken: type[Exception]
    ) -> _Made:
        deadline = current_deadline(timeout)
        while True:
            left_s = deadline.left_s()
            if left_s <= 0:
                msg = "the time limit of the exchange is over"
                raise late(msg)
            self._socket.settimeout(min(POLL_S, left_s))
            try:
                return act()
            except TimeoutError:
                continue
            except OSError as error:
                raise broken(str(error)) from error


def _looked_up(host: str, port: int, deadline: Deadline) -> list[_Info]:
    """Return the addresses of `host`; the system's own search knows no time limit, so it goes on beside."""
    found: list[_Info | Exception] = []

    def look() -> None:
        try:
            found.extend(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:  # the latter: of names that are no host's
            found.append(error)

    search = threading.Thread(target=look, name="kohaku-lookup", daemon=True)
    search.start()
    while search.is_alive():
        left_s = deadline.left_s()
        if left_s <= 0:
            msg = f"the address of {host!r} was not found in time"
            raise httpcore.ConnectTimeout(msg)
        search.join(min(POLL_S, left_s))
    failure = next((one for one in found if isinstance(one, Exception)), None)
    if failure is not None:
        if not isinstance(failure, OSError):
            raise httpcore.UnsupportedProtocol(str(failure)) from failure
        msg = f"the host {host!r} is not known ({failure.strerror or failure})"
        raise UnknownHostError(msg) from failure
    return [one for one in found if not isinstance(one, Exception)]


def _first_connected(found: list[_Info], deadline: Deadline) -> socket.socket:
    """Return a connection to the first address that accepts one; each has an equal share of the time that is left."""
    failure: Exception = OSError("the host has no address")
    for place, info in enumerate(found):
        try:
            return _connected(info, Deadline(deadline.left_s() / (len(found) - place)))
        except TimeoutError as error:
            failure = httpcore.ConnectTimeout(str(error))
        except OSError as error:
            failure = httpcore.ConnectError(str(error))
            failure.__cause__ = error
    raise failure


def _connected(info: _Info, deadline: Deadline) -> socket.socket:
    family, kind, protocol, _, address = info
    made = socket.socket(family, kind, protocol)
    try:
        made.setblocking(False)
        code = made.connect_ex(address)
        while code == errno.EINPROGRESS:
            left_s = deadline.left_s()
            if left_s <= 0:
                msg = "nothing answered the connection in time"
                raise TimeoutError(msg)  # noqa: TRY301 - the socket is closed below
            if _is_ready(made, selectors.EVENT_WRITE, min(POLL_S, left_s)):
                code = made.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if code:
            raise OSError(code, os.strerror(code))  # noqa: TRY301
    except BaseException:
        made.close()
        raise
    return made


def _is_ready(waited_for: socket.socket, event: int, seconds: float) -> bool:
    with selectors.DefaultSelector() as selector:
        selector.register(waited_for, event)
        return bool(selector.select(seconds))
