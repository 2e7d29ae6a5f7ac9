"""The httpx transport: one deadline, limited bodies, checked redirects."""

from __future__ import annotations

import os
import ssl
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import httpcore
import httpx

from kohaku_lib.http_exchange.deadline import Deadline
from kohaku_lib.http_exchange.decoding import decoded, too_large
from kohaku_lib.http_exchange.network import CheckAddress, TimedBackend, check_host

CheckRedirect = Callable[[httpx.URL, httpx.URL], None]  # from, to; raises RedirectError
_DEADLINE = "kohaku_deadline"
_KEPT_OPEN = 20


class ExchangeTransport(httpx.BaseTransport):
    """Sends requests of httpx by connections of its own.

    A request's read time-out is the limit of the whole exchange, its redirects included. Bodies come decompressed. Proxies of
    the environment are used unless `by_proxy` is off.
    """

    def __init__(
        self,
        max_bytes: int,
        check_address: CheckAddress | None = None,
        check_redirect: CheckRedirect | None = None,
        *,
        by_proxy: bool = True,
    ) -> None:
        self._max_bytes, self._check_address, self._check_redirect = max_bytes, check_address, check_redirect
        self._options: dict[str, Any] = {
            "ssl_context": _ssl_context(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")),
            "max_connections": None,  # callers have limits of their own
            "max_keepalive_connections": _KEPT_OPEN,
            "network_backend": TimedBackend(check_address),
        }
        self._direct = httpcore.ConnectionPool(**self._options)
        options = {**self._options, "network_backend": TimedBackend()}  # whose own address is the user's choice
        self._proxies = {
            scheme: _proxy(address, options)
            for scheme, address in (urllib.request.getproxies() if by_proxy else {}).items()
            if scheme in ("http", "https", "all")
        }

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the response once its headers have come; raises errors of httpx and ExchangeError."""
        limit_s = request.extensions.get("timeout", {}).get("read")
        deadline = request.extensions.setdefault(_DEADLINE, Deadline(limit_s))  # redirected requests inherit it
        pool = self._pool(request.url)
        with deadline.applied(), _errors_of_httpx():
            if pool is not self._direct and self._check_address is not None:
                check_host(request.url.host, self._check_address, deadline)
            found = pool.handle_request(_request(request))
        headers = httpx.Headers(found.headers)
        encoding = "" if request.method == "HEAD" else headers.get("content-encoding", "")
        body = _Body(found, deadline, encoding, self._max_bytes)
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
        for pool in (self._direct, *self._proxies.values()):
            pool.close()

    def _pool(self, url: httpx.URL) -> httpcore.ConnectionPool:
        proxy = self._proxies.get(url.scheme) or self._proxies.get("all")
        return self._direct if proxy is None or urllib.request.proxy_bypass(url.host) else proxy

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

    def __init__(self, found: httpcore.Response, deadline: Deadline, encoding: str, max_bytes: int) -> None:
        self._found, self._deadline = found, deadline
        self._parts = decoded(found.iter_stream(), encoding, max_bytes)

    def __iter__(self) -> Iterator[bytes]:
        while True:
            with self._deadline.applied(), _errors_of_httpx():
                part = next(self._parts, None)
            if part is None:
                return
            yield part

    def close(self) -> None:
        with _errors_of_httpx():
            self._found.close()


@lru_cache(maxsize=4)
def _ssl_context(_file: str | None, _folder: str | None) -> ssl.SSLContext:
    """Return what httpx makes of these two variables; certificates take a while to load."""
    return httpx.create_ssl_context()


def _request(request: httpx.Request) -> httpcore.Request:
    url = request.url
    return httpcore.Request(
        method=request.method,
        url=httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
        headers=request.headers.raw,
        content=request.stream,
        extensions=request.extensions,
    )


def _proxy(address: str, options: dict[str, Any]) -> httpcore.ConnectionPool:
    proxy = httpx.Proxy(address if "://" in address else f"http://{address}")
    url = httpcore.URL(
        scheme=proxy.url.raw_scheme, host=proxy.url.raw_host, port=proxy.url.port, target=proxy.url.raw_path
    )
    return httpcore.ConnectionPool(proxy=httpcore.Proxy(url, auth=proxy.raw_auth), **options)


@contextmanager
def _errors_of_httpx() -> Iterator[None]:
    """Turn errors of httpcore into those of httpx, which have the same names."""
    try:
        yield
    except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError) as error:
        raise getattr(httpx, type(error).__name__)(str(error)) from error
    except (httpcore.ProxyError, httpcore.UnsupportedProtocol) as error:
        raise getattr(httpx, type(error).__name__)(str(error)) from error
