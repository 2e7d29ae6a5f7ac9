"""The bytes of a reply, decompressed a little at a time and counted, so that no reply can fill the memory."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

from kohaku_lib.http_exchange.faults import ReplyEncodingError, ReplyTooLargeError

ACCEPTED = "gzip"
_PLAIN, _ZLIB = {"", "identity"}, {"gzip", "x-gzip", "deflate"}
_PIECE = 64 * 1024  # bytes that are decompressed at once
_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS


def decoded(parts: Iterable[bytes], encoding: str, max_bytes: int) -> Iterator[bytes]:
    """Yield the body in `parts`, of the Content-Encoding `encoding`, up to `max_bytes` decompressed bytes.

    Raises ReplyTooLargeError beyond them, and ReplyEncodingError where the body is compressed twice, by something
    else than gzip or deflate, or cannot be decompressed.

    >>> import gzip
    >>> b"".join(decoded([gzip.compress(b"yes")], "gzip", max_bytes=3))
    b'yes'
    """
    name = encoding.strip().lower()
    if name not in _PLAIN | _ZLIB:
        msg = f"the body has the Content-Encoding {encoding[:80]!r}; only one of gzip and deflate is read"
        raise ReplyEncodingError(msg)
    size = 0
    for part in parts if name in _PLAIN else _inflated(parts):
        size += len(part)
        if size > max_bytes:
            raise too_large(max_bytes)
        yield part


def too_large(max_bytes: int) -> ReplyTooLargeError:
    """Return the error of a body of more than `max_bytes`."""
    return ReplyTooLargeError(f"the body is larger than {max_bytes / 1e6:g} MB")


def _inflated(parts: Iterable[bytes]) -> Iterator[bytes]:
    decoder, part = zlib.decompressobj(_GZIP_OR_ZLIB), b""
    try:
        for part in parts:
            waiting = part
            while waiting:
                if decoder.eof:  # gzip may hold several members
                    decoder = zlib.decompressobj(_GZIP_OR_ZLIB)
                yield decoder.decompress(waiting, _PIECE)
                waiting = decoder.unconsumed_tail or decoder.unused_data
            if not decoder.eof:
                yield decoder.decompress(b"", _PIECE)  # what a piece had no room for
    except zlib.error as error:
        msg = f"the body cannot be decompressed ({error})"
        raise ReplyEncodingError(msg) from error
    if not decoder.eof and part:
        msg = "the compressed body ends too early"
        raise ReplyEncodingError(msg)
