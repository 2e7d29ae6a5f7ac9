"""Names and addresses that mean this machine."""

from __future__ import annotations

import ipaddress


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
