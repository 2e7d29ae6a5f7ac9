"""Checks of citations: documents, addresses, quotes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from kohaku_lib.answering import find_quote
from kohaku_lib.tables import Snippet
from kohaku_lib.values import is_blank, parse_refs


@dataclass(frozen=True, slots=True)
class Fault:
    """A faulty citation: the violated `rule`, the document or question, and the detail."""

    rule: str
    of: str
    detail: str


RULES: Mapping[str, str] = {
    "unique_id": "document ids are unique, ignoring case",
    "has_citation": "every document has a citation or a title",
    "web_address": "the url of a document is a complete http(s) address",
    "unique_address": "document urls are unique",
    "known_reference": "every document that an answer cites exists",
    "address_of_reference": "an answer includes the urls of the documents that it cites",
    "quote_in_document": "a quote that was found occurs in the node that it cites",
}


def check_documents(documents: Sequence[Mapping[str, Any]]) -> list[Fault]:
    """Return the faults of documents (rows of DOCUMENTS).

    >>> row = {"document_id": "a", "title": "", "metadata_json": '{"url": "www.example.org"}'}
    >>> [(fault.rule, fault.detail) for fault in check_documents([row])]
    [('has_citation', 'neither citation nor title'), ('web_address', "'www.example.org'")]
    """
    faults = list(
        _duplicate_faults("unique_id", [(row["document_id"], row["document_id"].lower()) for row in documents])
    )
    addresses: list[tuple[str, str]] = []
    for row in documents:
        metadata = json.loads(row["metadata_json"])
        url = str(metadata.get("url") or "").strip()
        if is_blank(str(metadata.get("citation") or "")) and is_blank(row["title"]):
            faults.append(Fault("has_citation", row["document_id"], "neither citation nor title"))
        if url and not is_web_address(url):
            faults.append(Fault("web_address", row["document_id"], repr(url)))
        addresses += [(row["document_id"], url)] if url else []
    return [*faults, *_duplicate_faults("unique_address", addresses)]


def check_answers(rows: Sequence[Mapping[str, str]], documents: Sequence[Mapping[str, Any]]) -> list[Fault]:
    """Return the faults of answers with the WattBot columns, given the existing `documents`."""
    urls = {row["document_id"].lower(): json.loads(row["metadata_json"]).get("url") for row in documents}
    faults: list[Fault] = []
    for row in rows:
        cited_ids = [name.lower() for name in parse_refs(row.get("ref_id"))]
        faults += [
            Fault("known_reference", row.get("id", ""), f"{name!r} is no document")
            for name in cited_ids
            if name not in urls
        ]
        given_urls = parse_refs(row.get("ref_url"))
        missing = [url for name in cited_ids if (url := urls.get(name)) and url not in given_urls]
        faults += [Fault("address_of_reference", row.get("id", ""), f"{url!r} is not given") for url in missing]
    return faults


def check_quotes(predictions: Sequence[Mapping[str, Any]], texts: Mapping[str, str]) -> list[Fault]:
    """Return the found quotes of `predictions` (PREDICTIONS) that do not occur in the cited node.

    `texts` are the current node texts by id. Quotes are matched like during answering, see `find_quote`.
    """
    return [
        Fault("quote_in_document", row["id"], f"{citation['quote']!r} is not in {citation['node_id']!r}")
        for row in predictions
        for citation in row["citations"]
        if citation["quote_found"] and not _is_quoted(citation, texts.get(citation["node_id"]))
    ]


def _is_quoted(citation: Mapping[str, Any], text: str | None) -> bool:
    if text is None:
        return False
    if _one_line(citation["quote"]) in _one_line(text):
        return True
    snippet = Snippet(citation["node_id"], citation["document_id"], "", citation["page"], text, 1, 1.0)
    return find_quote(citation["quote"], [snippet]) is not None


def is_web_address(url: str) -> bool:
    """Return whether `url` is complete: http or https, a host, no white space.

    >>> [is_web_address(url) for url in ("https://arxiv.org/pdf/2404.14395", "http:/x.org", "https://a b.org")]
    [True, False, False]
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and "." in (parts.hostname or "") and not any(map(str.isspace, url))


def _duplicate_faults(rule: str, names: Sequence[tuple[str, str]]) -> Iterator[Fault]:
    counts = Counter(key for _, key in names)
    for of, key in names:
        if counts[key] > 1:
            yield Fault(rule, of, f"{key!r} is that of {counts[key]} documents")


def _one_line(text: str) -> str:
    return " ".join(text.split())
