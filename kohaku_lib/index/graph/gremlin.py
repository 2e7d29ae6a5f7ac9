"""Reads neighbours from a graph server that speaks Gremlin over HTTP, such as PuppyGraph, by fixed templates only."""

from __future__ import annotations

import json
import logging
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from kohaku_lib.errors import KohakuError
from kohaku_lib.http_exchange import ExchangeError, exchange_client, same_server_only
from kohaku_lib.index.graph.arrays import GraphIndex
from kohaku_lib.index.graph.search import GraphHits, Keyword
from kohaku_lib.masking import masked, masked_url, remember_password, split_password

# Values are bound, never written into a query, and every template holds the tenant at each step.
HEALTH = "g.V().has('org_id', org).limit(1).count()"
NEIGHBOURS = (
    "g.V().has('org_id', org).has('entity_id', within(ids)).as('source')"
    ".bothE().as('edge').otherV().has('org_id', org).as('target')"
    ".select('source', 'edge', 'target').by('entity_id').by('confidence').by('entity_id').limit(most)"
)
_LOG = logging.getLogger(__name__)
_MOST_BYTES = 20_000_000  # of a reply; an edge takes some hundreds
MOST_EDGES = 20 * 50  # entities of a query times relations of an entity


class GraphServerError(KohakuError):
    """The graph server gave no usable answer."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation between two entities, by their ids; confidence is 0 to 1."""

    source: str
    target: str
    confidence: float


class GremlinServer:
    """A graph server at `url`, as "http://localhost:8182"; vertices bear org_id and entity_id, edges confidence.

    Raises GraphServerError where the URL is none of HTTP.
    """

    def __init__(self, url: str, timeout_s: float = 30.0, credentials: tuple[str, str] | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            msg = f"a graph server is asked over HTTP, got {masked_url(url)!r}; give it as 'http://localhost:8182'"
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
        """Raise GraphServerError unless the server answers a count of one vertex."""
        self._ask(HEALTH, {"org": org_id})

    def edges(self, entity_ids: Sequence[str], org_id: str) -> list[Edge]:
        """Return the relations of these entities of one tenant, the surest first; raises GraphServerError."""
        found = self._ask(NEIGHBOURS, {"org": org_id, "ids": list(entity_ids), "most": MOST_EDGES})
        try:
            edges = [
                Edge(str(one["source"]), str(one["target"]), min(1.0, max(0.0, float(one["edge"])))) for one in found
            ]
        except (KeyError, TypeError, ValueError) as error:
            msg = f"the graph server's edges have another form ({error!r}); it must give source, edge and target"
            raise GraphServerError(msg) from error
        return sorted(edges, key=lambda edge: (edge.source, -edge.confidence, edge.target))

    def _ask(self, template: str, bindings: Mapping[str, Any]) -> list[Any]:
        body = json.dumps({"gremlin": template, "bindings": dict(bindings), "language": "gremlin-groovy"}).encode()
        import httpx

        try:
            reply = self._client.post(self._url, content=body).raise_for_status()
            return _plain(json.loads(reply.content)["result"]["data"])
        except (httpx.HTTPError, ExchangeError, ValueError, KeyError, TypeError, RecursionError) as error:
            told = masked(str(error)).partition("\n")[0]
            msg = f"the graph server at {urlsplit(self._url).netloc!r} gave no usable answer ({told}); is it running?"
            raise GraphServerError(msg) from error


def search_by_server(
    server: GremlinServer, index: GraphIndex, keywords: Sequence[Keyword], max_hops: int, org_id: str
) -> GraphHits:
    """Return what `index` finds along the relations that the server has, along its own where the server fails.

    Which entities are meant and where they are mentioned is always read from the snapshot; entities that the server
    names and the tenant `org_id` does not have are passed over. A failure is logged.
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
        _LOG.warning("%s; the relations of the snapshot are followed instead", error)
        return index.search(keywords, max_hops, org_id)


def _plain(value: Any) -> Any:
    """Return GraphSON without its types: {"@type": "g:List", "@value": [...]} becomes the list."""
    if isinstance(value, dict) and "@value" in value:
        inner = value["@value"]
        if value.get("@type") == "g:Map":
            inner = dict(zip(map(_plain, inner[::2]), inner[1::2], strict=True))
        return _plain(inner)
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list) else value
