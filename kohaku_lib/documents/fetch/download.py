"""Download one PDF: content checks, retries and address restrictions."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from http.cookiejar import Cookie, CookieJar, DefaultCookiePolicy
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import urlsplit
from urllib.request import Request

from kohaku_lib.llm import Environment
from kohaku_lib.llm.resilience.failures import RETRIED_STATUS, server_hint_s
from kohaku_lib.llm.resilience.retrying import with_retries
from kohaku_lib.masking import masked
from kohaku_lib.settings import FetchSettings
from kohaku_lib.storage import write_atomically

if TYPE_CHECKING:
    import httpx
from ipaddress import IPv4Address, IPv6Address, IPv6Network

from kohaku_lib.http_exchange import AddressError

_HEAD_TIMEOUT_S = 30.0
_LONGEST_HINT_S = 120.0  # less than for models, whose run would end: other rows go on, and the next run resumes
_NO_HEAD = {405, 501}
_MARK, _END = b"%PDF-", b"%%EOF"
_SNIFFED = 1024  # bytes, at the beginning
_TAIL = 2048
_HTML = (b"<!doctype html", b"<html", b"<?xml")
_NAT64 = IPv6Network("64:ff9b::/96")  # the last four bytes are an address of IPv4


class FetchError(Exception):
    """A failed download; the message is one clause.

    `is_skip`: the URL is not one of a fetchable PDF. `may_pass`: another attempt may succeed. `hint_s`: the wait in
    seconds that the server requested, if any.
    """

    def __init__(
        self, message: str, *, is_skip: bool = False, may_pass: bool = False, hint_s: float | None = None
    ) -> None:
        super().__init__(message)
        self.is_skip, self.may_pass, self.hint_s = is_skip, may_pass, hint_s


@dataclass(frozen=True, slots=True)
class DownloadResult:
    """The size in bytes and the SHA-256 of a downloaded file."""

    bytes: int
    sha256: str


def http_client(settings: FetchSettings) -> httpx.Client:
    """Return a client that follows redirects, sends a User-Agent and uses the environment's proxies, if any.

    Exchanges are limited to `settings.timeout_s` and `settings.max_mb`, and to public addresses unless
    `settings.allow_private`.
    """
    from kohaku_lib.http_exchange import exchange_client

    return exchange_client(
        settings.max_mb * 1_000_000,
        check_address=None if settings.allow_private else check_public,
        headers={"User-Agent": settings.user_agent},
        cookies=CookieJar(_SendableCookies()),
    )


def download_pdf(
    client: httpx.Client, url: str, target: Path, settings: FetchSettings, environment: Environment
) -> DownloadResult:
    """Download the PDF at `url` to `target` atomically.

    A URL that does not look like a PDF's is checked by a HEAD request first. Transient failures (the statuses that
    are retried for model servers too, a broken connection, a truncated file) are retried `settings.retries` times, after
    the wait that the server requests or with exponential backoff.

    Raises:
        FetchError: The document is not a PDF or cannot be downloaded.

    """
    if not looks_like_pdf(url):
        _with_retries(lambda: _check_type(client, url, settings, environment), settings, environment)
    results: list[DownloadResult] = []

    def attempt() -> None:
        write_atomically(target, lambda path: results.append(_receive(client, url, path, settings, environment)))

    _with_retries(attempt, settings, environment)
    return results[-1]


def looks_like_pdf(url: str) -> bool:
    """Return whether a URL identifies a PDF: its path ends in .pdf, or it is below arxiv.org's /pdf/.

    >>> looks_like_pdf("https://arxiv.org/pdf/2301.00001v2"), looks_like_pdf("https://example.org/paper")
    (True, False)
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    is_arxiv = host == "arxiv.org" or host.endswith(".arxiv.org")
    return parts.path.lower().endswith(".pdf") or (is_arxiv and parts.path.startswith("/pdf/"))


class _SendableCookies(DefaultCookiePolicy):
    """Policy that rejects non-ASCII cookies: sending one back would break every later request to its host."""

    def set_ok(self, cookie: Cookie, request: Request) -> bool:
        return f"{cookie.name}{cookie.value}".isascii() and super().set_ok(cookie, request)


def _with_retries(attempt: Callable[[], None], settings: FetchSettings, environment: Environment) -> None:
    with_retries(lambda number: attempt(), FetchError, settings.retries, settings.retry_base_s, environment)


def _check_type(client: httpx.Client, url: str, settings: FetchSettings, environment: Environment) -> None:
    """Raise FetchError unless the server reports the content type PDF or does not support HEAD."""
    limit_s = min(settings.timeout_s, _HEAD_TIMEOUT_S)
    with _as_fetch_errors(settings, limit_s):
        response = client.head(url, timeout=limit_s)
    if response.status_code in _NO_HEAD:
        return
    _check_status(response, environment)
    kind = response.headers.get("content-type", "")
    if "pdf" not in kind.lower():
        msg = f"the server calls it {kind.split(';')[0].strip() or 'nothing'!r}, not a PDF"
        raise FetchError(msg, is_skip=True)


def _receive(
    client: httpx.Client, url: str, path: Path, settings: FetchSettings, environment: Environment
) -> DownloadResult:
    limit_s = settings.timeout_s
    with _as_fetch_errors(settings, limit_s), client.stream("GET", url, timeout=limit_s) as response:
        _check_status(response, environment)
        with path.open("wb") as file:
            return _copy(response, file)


def _copy(response: httpx.Response, file: BinaryIO) -> DownloadResult:
    """Write the body to `file`; raise FetchError if it is not a PDF or is truncated."""
    head, tail, size = b"", b"", 0
    sha256 = hashlib.sha256()
    for part in response.iter_bytes():
        if len(head) < _SNIFFED:
            head = (head + part)[: _SNIFFED + len(_MARK)]
            if len(head) >= _SNIFFED:
                _check_mark(head, response)
        size += len(part)
        tail = (tail + part)[-_TAIL:]
        sha256.update(part)
        file.write(part)
    _check_mark(head, response)
    if _END not in tail:
        msg = f"the PDF is cut short: its {size} bytes end without {_END.decode()!r}"
        raise FetchError(msg, may_pass=True)
    return DownloadResult(size, sha256.hexdigest())


def _check_mark(head: bytes, response: httpx.Response) -> None:
    if _MARK in head:
        return
    kind = response.headers.get("content-type", "").split(";")[0].strip()
    if "html" in kind or head.lstrip().lower().startswith(_HTML):
        msg = "the server sent a web page (HTML) instead of a PDF"
    else:
        msg = f"the server sent no PDF (content type {kind!r}, {len(head)} bytes seen, none of them {_MARK.decode()!r})"
    raise FetchError(msg)


def _check_status(response: httpx.Response, environment: Environment) -> None:
    status = response.status_code
    if status == HTTPStatus.OK:
        return
    hint_s = server_hint_s(response.headers, "", environment.now())
    name = f"{status} {response.reason_phrase}".strip()
    if hint_s is not None and hint_s > _LONGEST_HINT_S:
        msg = f"the server answers {name} and asks to wait {hint_s:.0f} s; run again later"
        raise FetchError(msg)
    msg = f"the server answers {name}"
    raise FetchError(msg, may_pass=status in RETRIED_STATUS, hint_s=hint_s)


@contextmanager
def _as_fetch_errors(settings: FetchSettings, limit_s: float) -> Iterator[None]:
    """Convert the errors of an HTTP exchange into FetchError.

    Two errors are retried for model servers but not here. A time-out: the next attempt would receive the same bytes over
    the same line, while a model's next reply may be shorter or its queue empty. An unknown host: it is a wrong URL of
    one document, while the host of a model server was reached before.
    """
    import httpx

    from kohaku_lib.http_exchange import AddressError, ReplyEncodingError, ReplyTooLargeError, UnknownHostError

    try:
        yield
    except ReplyTooLargeError as fault:
        msg = f"it is larger than fetch.max_mb = {settings.max_mb} allows"
        raise FetchError(msg) from fault
    except ReplyEncodingError as fault:
        msg = f"the server's reply cannot be decoded ({_one_line(fault)})"
        raise FetchError(msg) from fault
    except UnknownHostError as fault:
        msg = f"the server cannot be reached ({_one_line(fault)})"
        raise FetchError(msg) from fault
    except AddressError as fault:
        raise FetchError(_one_line(fault), is_skip=True) from fault
    except httpx.TimeoutException as fault:
        msg = f"the server needs longer than {limit_s:g} s for its whole answer"
        raise FetchError(msg) from fault
    except httpx.ConnectError as fault:
        msg = f"the server cannot be reached ({_one_line(fault)})"
        raise FetchError(msg, may_pass=True) from fault
    except httpx.TooManyRedirects as fault:
        msg = "the server redirects in a circle"
        raise FetchError(msg) from fault
    except (httpx.UnsupportedProtocol, httpx.InvalidURL, UnicodeError) as fault:  # UnicodeError: from host names
        msg = f"the URL redirects to one that cannot be fetched ({_one_line(fault)})"
        raise FetchError(msg) from fault
    except httpx.TransportError as fault:
        msg = f"the connection broke before the whole file was received ({_one_line(fault)})"
        raise FetchError(msg, may_pass=True) from fault


def _one_line(fault: Exception) -> str:
    return " ".join(masked(str(fault)).split())[:200] or type(fault).__name__


def check_public(host: str, address: IPv4Address | IPv6Address) -> None:
    """Check that `address`, one of `host`, is public.

    Raises:
        AddressError: It is not.

    """
    if not is_public(address):
        msg = f"{host!r} has the address {address}, which is not public; set fetch.allow_private = true to allow it"
        raise AddressError(msg)


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Return whether `address` is globally reachable; an IPv4 address embedded in IPv6 is judged itself.

    >>> [is_public(IPv4Address(text)) for text in ("93.184.215.14", "10.0.0.1", "169.254.169.254", "224.0.0.1")]
    [True, False, False, False]
    >>> is_public(IPv6Address("::ffff:127.0.0.1"))
    False
    """
    inner = _embedded_ipv4(address) if isinstance(address, IPv6Address) else None
    if inner is not None:
        return is_public(inner)
    is_site_local = isinstance(address, IPv6Address) and address.is_site_local
    return address.is_global and not (address.is_multicast or address.is_reserved or is_site_local)


def _embedded_ipv4(address: IPv6Address) -> IPv4Address | None:
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour
