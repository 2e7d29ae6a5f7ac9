"""The httpx transport: one deadline, limited bodies, checked redirects."""

from __future__ import annotations

import os
import ssl
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from importlib.util import find_spec
from ipaddress import ip_address

import httpcore
import httpx

from kohaku_lib.http_exchange.deadline import Deadline
from kohaku_lib.http_exchange.decoding import decoded, too_large
from kohaku_lib.http_exchange.faults import UnknownHostError
from kohaku_lib.http_exchange.network import CheckAddress, TimedBackend, check_host
from kohaku_lib.install_command import pip_command

CheckRedirect = Callable[[httpx.URL, httpx.URL], None]  # from, to; raises RedirectError
_DEADLINE = "kohaku_deadline"
_KEPT_OPEN = 20
_NAMED_ALIKE = (  # in httpcore and httpx
    httpcore.TimeoutException,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.UnsupportedProtocol,
)


class ExchangeTransport(httpx.BaseTransport):
    """Sends requests of httpx by connections of its own.

    A request's read time-out is the limit of the whole exchange, its redirects included. Bodies come decompressed. Proxies of
    the environment are used for all hosts but the loopback, and errors name them.
    """

    def __init__(
        self,
        max_bytes: int,
        check_address: CheckAddress | None = None,
        check_redirect: CheckRedirect | None = None,
    ) -> None:
        self._max_bytes, self._check_address, self._check_redirect = max_bytes, check_address, check_redirect
        self._new_pool = partial(
            httpcore.ConnectionPool,
            ssl_context=_ssl_context(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")),
            max_connections=None,  # callers have limits of their own
            max_keepalive_connections=_KEPT_OPEN,
        )
        self._direct = self._new_pool(network_backend=TimedBackend(check_address))
        self._proxies = urllib.request.getproxies()
        self._pools: dict[str, httpcore.ConnectionPool] = {}  # by the address of their proxy

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the response once its headers have come; raises errors of httpx and ExchangeError."""
        limit_s = request.extensions.get("timeout", {}).get("read")
        deadline = request.extensions.setdefault(_DEADLINE, Deadline(limit_s))  # redirected requests inherit it
        proxy = self._proxy_for(request.url)
        with deadline.applied(), _errors_of_httpx(proxy):
            if proxy and self._check_address is not None:
                check_host(request.url.host, self._check_address, deadline)
            found = (self._pool(proxy) if proxy else self._direct).handle_request(_request(request))
        headers = httpx.Headers(found.headers)
        encoding = "" if request.method == "HEAD" else headers.get("content-encoding", "")
        body = _Body(found, deadline, proxy, decoded(found.iter_stream(), encoding, self._max_bytes))
        try:
            self._check(request, found.status, headers)
        except BaseException:
            body.close()
            raise
        if encoding:
            del headers["content-encoding"]
            headers.pop("content-length", None)
        return httpx.Response(found.status, headers=headers, stream=body, extensions=found.extensions)

    def close(self) -> None:
        """Close all connections."""
        for pool in (self._direct, *self._pools.values()):
            pool.close()

    def _proxy_for(self, url: httpx.URL) -> str:
        """Return the address of the proxy for `url`; empty where there is none."""
        address = self._proxies.get(url.scheme) or self._proxies.get("all") or ""
        if not address or _is_loopback(url.host) or urllib.request.proxy_bypass(url.host):
            return ""
        return address if "://" in address else f"http://{address}"

    def _pool(self, proxy: str) -> httpcore.ConnectionPool:
        if proxy not in self._pools:  # the proxy's own address is the user's choice
            self._pools.setdefault(proxy, self._new_pool(proxy=_proxy(proxy), network_backend=TimedBackend()))
        return self._pools[proxy]

    def _check(self, request: httpx.Request, status: int, headers: httpx.Headers) -> None:
        length = headers.get("content-length", "")
        if request.method != "HEAD" and length.isdecimal() and int(length[:20]) > self._max_bytes:
            raise too_large(self._max_bytes)
        if self._check_redirect is not None and status in (301, 302, 303, 307, 308) and "location" in headers:
            try:
                target = request.url.join(headers["location"])
            except httpx.InvalidURL:
                return  # httpx says so
            self._check_redirect(request.url, target)


class _Body(httpx.SyncByteStream):
    """The decompressed body of a response, read under the deadline of its exchange."""

    def __init__(self, found: httpcore.Response, deadline: Deadline, proxy: str, parts: Iterator[bytes]) -> None:
        self._found, self._deadline, self._proxy, self._parts = found, deadline, proxy, parts

    def __iter__(self) -> Iterator[bytes]:
        while True:
            with self._deadline.applied(), _errors_of_httpx(self._proxy):
                part = next(self._parts, None)
            if part is None:
                return
            yield part

    def close(self) -> None:
        with _errors_of_httpx(self._proxy):
            self._found.close()


@lru_cache(maxsize=4)
def _ssl_context(_file: str | None, _folder: str | None) -> ssl.SSLContext:
    """Return what httpx makes of these two variables; certificates take a while to load."""
    return httpx.create_ssl_context()


def _request(request: httpx.Request) -> httpcore.Request:
    return httpcore.Request(
        method=request.method,
        url=_url(request.url),
        headers=request.headers.raw,
        content=request.stream,
        extensions=request.extensions,
    )


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _proxy(address: str) -> httpcore.Proxy:
    """Return the proxy at `address`; raises ConnectError where it cannot be used."""
    try:
        proxy = httpx.Proxy(address)
    except (ValueError, httpx.InvalidURL) as error:  # such as another scheme
        raise httpcore.ConnectError(str(error)) from error
    if proxy.url.scheme.startswith("socks") and find_spec("socksio") is None:
        msg = f"SOCKS needs a package that is not installed; run {pip_command('socksio')}, or set a proxy of HTTP"
        raise httpcore.ConnectError(msg)
    return httpcore.Proxy(_url(proxy.url), auth=proxy.raw_auth)


def _url(url: httpx.URL) -> httpcore.URL:
    return httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)


@contextmanager
def _errors_of_httpx(proxy: str) -> Iterator[None]:
    """Turn errors of httpcore into those of httpx; they name the `proxy`."""
    scheme, _, rest = proxy.partition("://")
    via = f"by the proxy {scheme}://{rest.rpartition('@')[2]}: " if proxy else ""  # without its password
    try:
        yield
    except (*_NAMED_ALIKE, UnknownHostError) as error:
        msg = f"{via}{error}"
        raise getattr(httpx, type(error).__name__, UnknownHostError)(msg) from error
