"""A graph server on the loopback: fixed templates, the tenant in every one, and the snapshot where it fails."""

import json
import logging
import threading
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler

import pytest
from index_material import index_tables, nodes_table
from raw_server import RawServer, sends

from kohaku_lib.index import extract_mentions, open_snapshot, write_snapshot
from kohaku_lib.index.graph import Keyword
from kohaku_lib.index.graph.gremlin import (
    HEALTH,
    MOST_EDGES,
    NEIGHBOURS,
    GraphServerError,
    GremlinServer,
    search_by_server,
)
from kohaku_lib.settings import GraphSettings, Settings
from kohaku_lib.testing.joined_server import JoinedServer

TREE = {
    "a": [[["the park of Amber Bay was sold to Borealis Wind."]]],
    "b": [[["a tunnel runs below Cobalt Pass."]]],
}
KEYWORDS = [Keyword(0, "amber bay", exact=True)]


@contextmanager
def gremlin_server(answer):
    """Serve `answer(request)` as GraphSON on a free port of the loopback; yields its URL and the requests."""
    requests = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            requests.append(body | {"path": self.path, "authorization": self.headers.get("Authorization")})
            status, reply = answer(body)
            raw = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_):
            """Say nothing."""

    with JoinedServer(Handler) as server:
        yield f"http://127.0.0.1:{server.server_port}", requests


def typed(*values):
    return {"result": {"data": {"@type": "g:List", "@value": list(values)}}, "status": {"code": 200}}


def edge(source, target, confidence):
    pairs = ["source", source, "edge", {"@type": "g:Double", "@value": confidence}, "target", target]
    return {"@type": "g:Map", "@value": pairs}


def holding(*edges):
    """A server that has these edges and is well."""

    def answer(body):
        if body["gremlin"] == HEALTH:
            return 200, typed({"@type": "g:Int64", "@value": 1})
        asked = body["bindings"]["ids"]
        return 200, typed(*(edge(*one) for one in edges if one[0] in asked))

    return gremlin_server(answer)


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gremlin")
    mentions, _ = extract_mentions(nodes_table(TREE), GraphSettings())
    write_snapshot(folder, "v1", replace(index_tables(TREE), mentions=mentions), Settings())
    return open_snapshot(folder, "v1")


@pytest.fixture(scope="module")
def ids(snapshot):
    with snapshot.connect() as connection:
        return dict(connection.sql("SELECT name, entity_id FROM entities").fetchall())


def documents(snapshot, hits):
    return [name[0] for name in snapshot.column("node_id", hits.node_rows)]


def searched(snapshot, url, org_id="default", hops=1, timeout_s=60.0):
    return search_by_server(GremlinServer(url, timeout_s), snapshot.graph, KEYWORDS, hops, org_id)


def test_the_relations_of_the_server_are_followed(snapshot, ids):
    with holding((ids["Amber Bay"], ids["Cobalt Pass"], 0.9)) as (url, requests):
        hits = searched(snapshot, url)
    assert set(documents(snapshot, hits)) == {"a", "b"}
    assert "b" not in documents(snapshot, snapshot.graph.search(KEYWORDS, 1, "default"))
    assert [request["path"] for request in requests] == ["/gremlin", "/gremlin"]


def test_only_templates_are_sent_values_are_bound_and_the_tenant_is_in_each(snapshot, ids):
    with holding() as (url, requests):
        search_by_server(
            GremlinServer(url),
            snapshot.graph,
            [Keyword(0, "'); g.V().drop() //", exact=False), *KEYWORDS],
            1,
            "default",
        )
    assert {request["gremlin"] for request in requests} == {HEALTH, NEIGHBOURS}
    assert all(request["bindings"]["org"] == "default" for request in requests)
    assert requests[1]["bindings"] == {"org": "default", "ids": [ids["Amber Bay"]], "most": MOST_EDGES}
    assert NEIGHBOURS.count("has('org_id', org)") == 2  # where it begins and where it ends


def test_entities_of_another_tenant_that_the_server_names_are_passed_over(snapshot, ids):
    with holding((ids["Amber Bay"], "unknown", 0.9), (ids["Cobalt Pass"], ids["Amber Bay"], 0.9)) as (url, _):
        assert set(documents(snapshot, searched(snapshot, url))) == {"a"}
        assert documents(snapshot, searched(snapshot, url, org_id="other")) == []


@pytest.mark.parametrize(
    "reply",
    [
        (500, {"message": "broken"}),
        (200, b"<html>"),
        (200, {"status": {"code": 200}}),
        (200, typed({"source": "only"})),
        (200, typed(edge("a", "b", "high"))),
        (404, b""),
    ],
)
def test_where_the_server_fails_the_snapshot_answers_and_it_is_logged(snapshot, caplog, reply):
    with caplog.at_level(logging.WARNING), gremlin_server(lambda _: reply) as (url, _):
        hits = searched(snapshot, url)
    assert hits.scores.tolist() == snapshot.graph.search(KEYWORDS, 1, "default").scores.tolist()
    assert "using the relations of the snapshot instead" in caplog.text


def test_a_server_that_is_not_there_costs_no_answer(snapshot):
    with gremlin_server(lambda _: (200, {})) as (url, _):
        pass
    assert len(searched(snapshot, url).scores) == len(snapshot.graph.search(KEYWORDS, 1, "default").scores)


def test_a_slow_server_is_left_after_its_time(snapshot):
    searching = threading.Event()

    def slow(_):
        searching.wait(60)  # longer than the search
        return 200, typed()

    with gremlin_server(slow) as (url, requests):
        hits = searched(snapshot, url, timeout_s=0.2)
        searching.set()
    assert (len(hits.scores) > 0, len(requests)) == (True, 1)


def test_credentials_go_in_the_header_and_confidences_are_bounded(ids):
    with holding((ids["Amber Bay"], "x", 7.0), (ids["Amber Bay"], "w", -1.0)) as (url, requests):
        edges = GremlinServer(url, credentials=("puppy", "secret")).edges([ids["Amber Bay"]], "default")
    assert [(one.target, one.confidence) for one in edges] == [("x", 1.0), ("w", 0.0)]
    assert requests[0]["authorization"] == "Basic cHVwcHk6c2VjcmV0"


def test_each_target_counts_once_by_its_best_relation_and_fifty_of_an_entity(ids):
    amber = ids["Amber Bay"]
    many = [(amber, f"t{number:02}", 0.5) for number in range(60)]
    with holding((amber, "x", 0.2), (amber, "x", 0.8), (amber, "x", 0.4), *many) as (url, _):
        edges = GremlinServer(url).edges([amber], "default")
    assert [(one.target, one.confidence) for one in edges[:2]] == [("x", 0.8), ("t00", 0.5)]
    assert (len(edges), edges[-1].target) == (50, "t48")


@pytest.mark.parametrize("url", ["localhost:8182", "ftp://host", "file:///etc/passwd", ""])
def test_only_http_is_asked(url):
    with pytest.raises(GraphServerError, match="must be HTTP"):
        GremlinServer(url)


def test_a_redirect_to_another_server_is_not_followed_and_takes_no_password_along():
    with RawServer() as other:
        head = f"HTTP/1.1 307 Temporary Redirect\r\nLocation: {other.url}/gremlin\r\nContent-Length: 0\r\n\r\n"
        with RawServer(sends(head.encode())) as server:
            with pytest.raises(GraphServerError, match="redirects to another one"):
                GremlinServer(server.url, credentials=("me", "pw")).check("default")
            assert len(server.heads) == 1
    assert other.heads == []
