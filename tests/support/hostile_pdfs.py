"""Small PDFs that cost a reader everything: endless work, or all memory. Plain PDF syntax, made here."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

_FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"


def endless_pdf(depth: int = 7, width: int = 30) -> bytes:
    """Return a page whose forms draw each other, `width` times each, `depth` deep: width ** depth drawings of nothing."""
    first = 5  # after catalog, page tree, page and contents
    forms = [
        _stream(b"/X Do " * width, b"/Type/XObject/Subtype/Form/BBox[0 0 300 300]" + _draws(first + level + 1))
        for level in range(depth)
    ]
    last = _stream(b"q Q", b"/Type/XObject/Subtype/Form/BBox[0 0 300 300]")
    resources = b"/Resources<</XObject<</X %d 0 R>>/Font<</F %s>>>>" % (first, _FONT)
    return _pdf([_page(resources), _stream(b"BT /F 10 Tf 20 100 Td (bee) Tj ET /X Do"), *forms, last])


def greedy_pdf(text_bytes: int = 300_000_000) -> bytes:
    """Return a page of some kilobytes that unpack, twice, to `text_bytes` of text."""
    unit = (b"(" + b"a" * 80 + b") Tj 0 -1 Td\n") * 10_000
    packer = zlib.compressobj(9)
    parts = [
        packer.compress(b"BT /F 1 Tf 20 100 Td "),
        *(packer.compress(unit) for _ in range(text_bytes // len(unit))),
    ]
    packed = zlib.compress(b"".join(parts) + packer.flush(), 9)
    resources = b"/Resources<</Font<</F " + _FONT + b">>>>"
    return _pdf([_page(resources), _stream(packed, b"/Filter[/FlateDecode/FlateDecode]")])


def _draws(form: int) -> bytes:
    return b"/Resources<</XObject<</X %d 0 R>>>>" % form


def _page(resources: bytes) -> bytes:
    return b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R%s>>" % resources


def _stream(data: bytes, extra: bytes = b"") -> bytes:
    return b"<</Length %d%s>>stream\n%s\nendstream" % (len(data), extra, data)


def _pdf(objects: Sequence[bytes]) -> bytes:
    """Join objects, of which the first is the page with number 3, to a file with catalog and page tree."""
    numbered = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 1/Kids[3 0 R]>>", *objects]
    body, starts = b"%PDF-1.7\n", []
    for number, content in enumerate(numbered, 1):
        starts.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % start for start in starts)
    size = len(numbered) + 1
    head = b"xref\n0 %d\n0000000000 65535 f \n" % size
    return body + head + table + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (size, len(body))
