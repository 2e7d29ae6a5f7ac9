"""Parse XML of unknown origin."""

from __future__ import annotations

from typing import Any

from kohaku_lib.errors import DocumentError


def xml_root(data: bytes, name: str) -> Any:
    """Return the root element of the XML `data`, which messages call `name`.

    Entities that the file declares are neither expanded nor fetched: they are left out.

    >>> xml_root(b"<hive><bee>Ann</bee></hive>", "hive.xml")[0].text
    'Ann'

    Raises:
        DocumentError: The XML is damaged, or nests more than 256 elements within each other.

    """
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as fault:
        msg = f"{name!r} is damaged or not XML ({fault})"
        raise DocumentError(msg) from fault
    etree.strip_elements(root, etree.Entity, with_tail=False)
    return root
