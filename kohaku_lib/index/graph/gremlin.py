"""Neighbours from a graph server with Gremlin over HTTP, such as PuppyGraph, by fixed query templates."""

from __future__ import annotations

import json
import logging
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from operator import attrgetter
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from kohaku_lib.errors import KohakuError
from kohaku_lib.http_exchange import ExchangeError, exchange_client, same_server_only
from kohaku_lib.index.graph.arrays import GraphIndex
from kohaku_lib.index.graph.hits import GraphHits, Keyword
from kohaku_lib.masking import masked, masked_url, remember_password, split_password

# Values are bound, never interpolated, and every template filters by tenant at each step. Labels are named, as the server
# may have other vertices and edges; the most confident relations come first, so that the limit cuts the others.
HEALTH = "g.V().has('org_id', org).limit(1).count()"
NEIGHBOURS = (
    "g.V().has('org_id', org).has('entity_id', within(ids)).as('source')"
    ".bothE('related').order().by('confidence', Order.desc).as('edge')"
    ".otherV().has('org_id', org).has('is_named', true).as('target')"
    ".select('source', 'edge', 'target').by('entity_id').by('confidence').by('entity_id').limit(most)"
)
_LOG = logging.getLogger(__name__)
_MOST_BYTES = 20_000_000  # of a reply; an edge takes a few hundred
MOST_EDGES = 20 * 200  # entities of a query times relations of an entity, some of them between the same two
MOST_OF_ENTITY = 50  # as in the snapshot


class GraphServerError(KohakuError):
    """The graph server returned no usable reply."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation between two entities, by their ids; confidence is 0 to 1."""

    source: str
    target: str
    confidence: float


class GremlinServer:
    """A graph server at `url`, such as "http://localhost:8182".

    Vertices have org_id, entity_id and is_named, edges `related` a confidence.

    Raises:
        GraphServerError: the URL is not an HTTP URL.
    """

    def __init__(self, url: str, timeout_s: float = 30.0, credentials: tuple[str, str] | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            msg = f"the URL of a graph server must be HTTP, such as 'http://localhost:8182', got {masked_url(url)!r}"
            raise GraphServerError(msg)
        remember_password(url)
        address, own = split_password(url)
        self._url = address.rstrip("/") + ("" if parts.path.strip("/") else "/gremlin")
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        self._client = exchange_client(
            _MOST_BYTES, check_redirect=same_server_only, headers=headers, timeout=timeout_s, auth=credentials or own
        )
        weakref.finalize(self, self._client.close)

    def check(self, org_id: str) -> None:
        """Raise GraphServerError unless the server can count one vertex."""
        self._query(HEALTH, {"org": org_id})

    def edges(self, entity_ids: Sequence[str], org_id: str) -> list[Edge]:
        """Return the 50 most confident relations of each of these entities of one tenant, once per target.

        Raises:
            GraphServerError: The server returned no usable reply.
        """
        found = self._query(NEIGHBOURS, {"org": org_id, "ids": list(entity_ids), "most": MOST_EDGES})
        try:
            edges = [
                Edge(str(one["source"]), str(one["target"]), min(1.0, max(0.0, float(one["edge"])))) for one in found
            ]
        except (KeyError, TypeError, ValueError) as error:
            msg = f"the graph server's edges are malformed ({error!r}); expected source, edge and target"
            raise GraphServerError(msg) from error
        best = {(edge.source, edge.target): edge for edge in sorted(edges, key=lambda edge: edge.confidence)}
        ordered = sorted(best.values(), key=lambda edge: (edge.source, -edge.confidence, edge.target))
        return [edge for _, own in groupby(ordered, attrgetter("source")) for edge in islice(own, MOST_OF_ENTITY)]

    def _query(self, template: str, bindings: Mapping[str, Any]) -> list[Any]:
        body = json.dumps({"gremlin": template, "bindings": dict(bindings), "language": "gremlin-groovy"}).encode()
        import httpx

        try:
            reply = self._client.post(self._url, content=body).raise_for_status()
            return _untyped(json.loads(reply.content)["result"]["data"])
        except (httpx.HTTPError, ExchangeError, ValueError, KeyError, TypeError, RecursionError) as error:
            reason = masked(str(error)).partition("\n")[0]
            msg = f"the graph server at {urlsplit(self._url).netloc!r} returned no usable reply ({reason}); is it running?"
            raise GraphServerError(msg) from error


def search_by_server(
    server: GremlinServer, index: GraphIndex, keywords: Sequence[Keyword], max_hops: int, org_id: str
) -> GraphHits:
    """Search `index` along the relations of the server, or along its own if the server fails.

    Names and mentions always come from the snapshot; entities that are unknown to the tenant `org_id` are ignored. A
    failure is logged.
    """

    def neighbours(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        ids = index.entity_ids(rows)
        place = {entity_id: at for at, entity_id in enumerate(ids)}
        edges = [edge for edge in server.edges(ids, org_id) if edge.source in place]
        targets = index.entity_rows([edge.target for edge in edges], org_id)
        of = np.array([place[edge.source] for edge in edges], np.int64)
        confidences = np.array([edge.confidence for edge in edges], np.float64)
        known = targets >= 0
        return of[known], targets[known], confidences[known]

    try:
        if keywords:
            server.check(org_id)
        return index.search(keywords, max_hops, org_id, neighbours)
    except GraphServerError as error:
        _LOG.warning("%s; using the relations of the snapshot instead", error)
        return index.search(keywords, max_hops, org_id)


def _untyped(value: Any) -> Any:
    """Strip the types of GraphSON: {"@type": "g:List", "@value": [...]} becomes the list."""
    if isinstance(value, dict) and "@value" in value:
        inner = value["@value"]
        if value.get("@type") == "g:Map":
            inner = dict(zip(map(_untyped, inner[::2]), inner[1::2], strict=True))
        return _untyped(inner)
    if isinstance(value, dict):
        return {key: _untyped(one) for key, one in value.items()}
    return [_untyped(one) for one in value] if isinstance(value, list) else value
