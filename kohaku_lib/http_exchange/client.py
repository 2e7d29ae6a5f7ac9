"""The client for every HTTP exchange: one deadline, a size limit, and the caller's checks of addresses and redirects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kohaku_lib.http_exchange.decoding import ACCEPTED
from kohaku_lib.http_exchange.faults import RedirectError

if TYPE_CHECKING:
    import httpx

    from kohaku_lib.http_exchange.network import CheckAddress
    from kohaku_lib.http_exchange.transport import CheckRedirect


def exchange_client(
    max_bytes: int,
    *,
    check_address: CheckAddress | None = None,
    check_redirect: CheckRedirect | None = None,
    headers: dict[str, str] | None = None,
    follow_redirects: bool = True,
    **options: Any,
) -> httpx.Client:
    """Return a client whose time-outs hold for a whole exchange and whose replies have at most `max_bytes`.

    A time-out of 10 s, given here or with a request, means: 10 s after its start the exchange is over, with all
    redirects, headers and the whole body, however slowly they come. It is over 1.5 s after an interrupt, too (see
    `interruptible_pool`). Bodies are decompressed and counted while they are read. `check_address` is asked about
    every address of a host before it is connected to, `check_redirect` before a redirect is followed. The loopback is
    never reached by a proxy of the environment; errors name the proxy by which another host was asked. Further
    `options` are those of `httpx.Client`. Raises errors of httpx, and ExchangeError for what is ended here.
    """
    import httpx

    from kohaku_lib.http_exchange.transport import ExchangeTransport

    return httpx.Client(
        transport=ExchangeTransport(max_bytes, check_address, check_redirect),
        follow_redirects=follow_redirects,
        headers={"Accept-Encoding": ACCEPTED, **(headers or {})},
        **options,
    )


def same_server_only(origin: httpx.URL, target: httpx.URL) -> None:
    """Raise RedirectError unless `target` is of the server of `origin`: a key must not travel to another one.

    >>> import httpx
    >>> same_server_only(httpx.URL("http://a.org/v1"), httpx.URL("https://a.org/v1/"))  # to the encrypted one
    """
    is_same = (origin.scheme, origin.host, _port(origin)) == (target.scheme, target.host, _port(target))
    is_upgrade = origin.host == target.host and (_port(origin), _port(target)) == (80, 443) and target.scheme == "https"
    if not is_same and not is_upgrade:
        msg = (
            f"the server redirects to another one, {target.scheme}://{target.netloc.decode('ascii', 'replace')}, "
            "which is not followed"
        )
        raise RedirectError(msg)


def _port(url: httpx.URL) -> int | None:
    return url.port or {"http": 80, "https": 443}.get(url.scheme)
