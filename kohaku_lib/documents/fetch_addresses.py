"""Which addresses documents are fetched from: those of the public internet, not of this machine or its network."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network

from kohaku_lib.http_exchange import AddressError

_NAT64 = IPv6Network("64:ff9b::/96")  # the last four bytes are an address of IPv4


def check_public(host: str, address: IPv4Address | IPv6Address) -> None:
    """Raise AddressError unless `address`, one of `host`, is public."""
    if not is_public(address):
        msg = f"{host!r} has the address {address}, which is not public; set fetch.allow_private = true if it is meant"
        raise AddressError(msg)


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Return whether `address` is one that the whole internet reaches; of IPv4 within IPv6 the inner one counts.

    >>> [is_public(IPv4Address(text)) for text in ("93.184.215.14", "10.0.0.1", "169.254.169.254", "224.0.0.1")]
    [True, False, False, False]
    >>> is_public(IPv6Address("::ffff:127.0.0.1"))
    False
    """
    inner = _inner(address) if isinstance(address, IPv6Address) else None
    if inner is not None:
        return is_public(inner)
    is_site_local = isinstance(address, IPv6Address) and address.is_site_local
    return address.is_global and not (address.is_multicast or address.is_reserved or is_site_local)


def _inner(address: IPv6Address) -> IPv4Address | None:
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour
