"""Parse XML of unknown origin."""

from __future__ import annotations

from typing import Any

from kohaku_lib.errors import DocumentError


def xml_root(data: bytes, name: str) -> Any:
    """Return the root element of the XML `data`, which messages call `name`.

    Entities that the file declares stand for their text, unless it refers to one that lies elsewhere: see `xml_tree`.

    >>> xml_root(b"<hive><bee>Ann</bee></hive>", "hive.xml")[0].text
    'Ann'

    Raises:
        DocumentError: The XML is damaged, nests more than 256 elements within each other, or its entities expand to
            more than five times its size.

    """
    return xml_tree(data, name)[0]


def xml_tree(data: bytes, name: str) -> tuple[Any, list[str]]:
    """Return the root element as `xml_root` does, and the names of the entities that were left out.

    Where the file refers to an entity that lies in another file, or that it does not declare, all of them are left out;
    none is fetched.

    >>> data = b'<!DOCTYPE a [<!ENTITY b "Bee"><!ENTITY c SYSTEM "c.xml">]><a>%s</a>'
    >>> [(root.text, left_out) for root, left_out in (xml_tree(data % text, "a") for text in (b"&b;!", b"&b;&c;"))]
    [('Bee!', []), (None, ['b', 'c'])]
    """
    try:
        return _parsed(data, "internal"), []
    except ValueError as fault:
        msg = f"{name!r} is damaged or not XML ({fault})"
        raise DocumentError(msg) from fault
    except SyntaxError as fault:
        if "not defined" in str(fault):
            return _without_entities(data, name)
        raise _error_of(fault, name) from fault


def _without_entities(data: bytes, name: str) -> tuple[Any, list[str]]:
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    try:
        root = _parsed(data, resolve=False)
    except SyntaxError as fault:
        raise _error_of(fault, name) from fault
    left_out = sorted({entity.name for entity in root.iter(etree.Entity)})
    etree.strip_elements(root, etree.Entity, with_tail=False)
    return root, left_out


def _parsed(data: bytes, resolve: bool | str) -> Any:
    """Raise SyntaxError where lxml does: XMLSyntaxError is one."""
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    parser = etree.XMLParser(
        resolve_entities=resolve,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    return etree.fromstring(data, parser)


def _error_of(fault: SyntaxError, name: str) -> DocumentError:
    if "Excessive depth" in str(fault):
        return DocumentError(f"{name!r} nests more than 256 elements within each other; split it or leave it out")
    if "amplification" in str(fault):
        return DocumentError(f"the entities of {name!r} expand to far more than the file; leave it out")
    return DocumentError(f"{name!r} is damaged or not XML ({fault})")
