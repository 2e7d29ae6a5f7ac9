"""Names and addresses that mean this machine."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping

_OF_PROXIES = ("forwarded", "x-forwarded-", "x-real-ip", "via")  # how names of headers begin that proxies add


def host_name(host: str) -> str:
    """Return the name in a Host header, without its port.

    >>> host_name("localhost:8321"), host_name("[::1]:8321"), host_name("KOHAKU.example")
    ('localhost', '::1', 'kohaku.example')
    """
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].lower()


def is_loopback(name: str) -> bool:
    """Return whether a name or address means this machine.

    >>> is_loopback("localhost"), is_loopback("127.0.0.2"), is_loopback("::1"), is_loopback("127.0.0.1.example")
    (True, True, True, False)
    """
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def is_forwarded(headers: Mapping[str, str]) -> bool:
    """Return whether a proxy passed a request on, so that its caller may be at another machine.

    >>> is_forwarded({"x-forwarded-for": "203.0.113.9"}), is_forwarded({"host": "127.0.0.1"})
    (True, False)
    """
    return any(name.lower().startswith(_OF_PROXIES) for name in headers)
