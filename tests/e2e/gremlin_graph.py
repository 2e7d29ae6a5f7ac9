"""The Gremlin templates over the sample's graph, on an engine that is not ours; it must find what the snapshot finds.

Run by hand, graphersal (a Gremlin engine in memory) in an environment of its own:
`PYTHONPATH=tests/support .venv/bin/python tests/e2e/gremlin_graph.py --engine-python OTHER/bin/python`. It builds a copy of
the sample, loads its entities, relations and mentions, serves them on the loopback as a Gremlin server does over HTTP, and
compares the relations of every name and the hits of every question. The engine reads the templates as they are but for
quotes (") and values, which are put in where they are bound.

`--url http://HOST:8182 --project FOLDER` asks a server of one's own instead, which has the graph of that project, such as
PuppyGraph after `kohaku export-graph` with deploy/puppygraph/schema.json.
"""

from __future__ import annotations

import argparse
import json
import logging
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from llama_session import built_sample
from served_sample import held
from started_process import started_process

from kohaku_lib.composition import load_settings
from kohaku_lib.index.graph.gremlin import GremlinServer, search_by_server
from kohaku_lib.index.graph.sql import EDGES
from kohaku_lib.project import open_published_index
from kohaku_lib.retrieval.channels.graph import find_keywords

_ENGINE = """
import json, re, sys
from http.server import BaseHTTPRequestHandler, HTTPServer
import graphersal

graph, text = graphersal.Graph(), json.dumps
vertices, edges = json.loads(sys.stdin.readline())

def properties(row):
    return "".join(f".property({text(name)}, {text(value)})" for name, value in row.items())

for label, row in vertices:
    graph.execute(f"g.addV({text(label)}){properties(row)}.next()")
for label, source, target, row in edges:
    ends = [f"g.V().has({text(source[0])}, {text(source[1])}).as('from').V().has({text(target[0])}, {text(target[1])})"]
    graph.execute(f"{ends[0]}.addE({text(label)}).from('from'){properties(row)}.next()".replace("'", '"'))

class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        query = re.sub(r"'([^']*)'|\\b(org|ids|most)\\b", lambda found: text(found[1]) if found[1] is not None
                       else text(asked["bindings"][found[2]]), asked["gremlin"])
        try:
            status, reply = 200, {"result": {"data": graph.query(query)}, "status": {"code": 200}}
        except Exception as error:
            status, reply = 500, {"message": str(error)}
        raw = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_):
        pass

server = HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""


def main() -> None:
    """Compare; an assertion names what differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine-python", default=sys.executable, help="the interpreter that has graphersal")
    parser.add_argument("--url", help="a server that has the project's graph")
    parser.add_argument("--project", type=Path, help="a project that is built; without, a copy of the sample")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = options.project or built_sample(Path(folder))
        if options.url:
            compare(home, options.url)
            return
        with engine(home, options.engine_python) as url:
            compare(home, url)


@contextmanager
def engine(home: Path, python: str) -> Iterator[str]:
    """Serve the graph of a project by graphersal for the block; yields its address."""
    pipe = subprocess.PIPE
    with started_process([python, "-c", _ENGINE], stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(graph_of(home)) + "\n")
        process.stdin.flush()
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"


def graph_of(home: Path) -> tuple[Sequence[object], Sequence[object]]:
    """Return the vertices and edges of deploy/puppygraph/schema.json, with the properties that the templates read."""
    with snapshot_of(home).connect() as connection:
        entities = connection.sql("SELECT org_id, entity_id, is_named FROM entities").fetchall()
        documents = connection.sql("SELECT org_id, document_id FROM documents").fetchall()
        related = connection.sql(
            "SELECT source_entity_id, target_entity_id, confidence::DOUBLE FROM relations"
        ).fetchall()
        mentions = connection.sql("SELECT entity_id, document_id, confidence::DOUBLE FROM entity_mentions").fetchall()
    vertices = [("entity", {"org_id": org, "entity_id": one, "is_named": named}) for org, one, named in entities]
    vertices += [("document", {"org_id": org, "document_id": one}) for org, one in documents]
    edges = [("related", ("entity_id", a), ("entity_id", b), {"confidence": c}) for a, b, c in related]
    edges += [("mentioned_in", ("entity_id", a), ("document_id", b), {"confidence": c}) for a, b, c in mentions]
    return vertices, edges


def compare(home: Path, url: str) -> None:
    """Ask for the relations of every name and the hits of every question, here and there."""
    snapshot, server = snapshot_of(home), GremlinServer(url)
    settings = load_settings(home / "kohaku.toml", environment={}).settings
    org_id = settings.corpus.org_id
    server.check(org_id)
    with snapshot.connect() as connection:
        names = [one for (one,) in connection.sql("SELECT entity_id FROM entities WHERE is_named").fetchall()]
        own = connection.sql(
            f"SELECT one.entity_id, two.entity_id, confidence FROM ({EDGES}) JOIN entities one ON source = one.entity_row "
            "JOIN entities two ON target = two.entity_row ORDER BY 1, 3 DESC, 2"
        ).fetchall()
    found = [
        (one.source, one.target, round(one.confidence, 6)) for name in names for one in server.edges([name], org_id)
    ]
    same = sorted(found) == sorted((a, b, round(c, 6)) for a, b, c in own)
    held(f"{len(names)} names have the same {len(own)} relations", same, (len(found), len(own)))
    held("another tenant has none", server.edges(names, "another") == [], "relations")
    questions = [line.split(",", 2)[1] for line in settings.corpus.questions.read_text().splitlines()[1:]]
    texts = [*questions, *(name for (name,) in named(home))]
    hits = sum(same_hits(snapshot.graph, server, text, org_id) for text in texts)
    held(f"{len(texts)} searches find the same {hits:,} hits", hits > 0, hits)


def same_hits(graph, server, text, org_id) -> int:
    """Return the number of hits of `text`, which are the same by the snapshot and by the server."""
    keywords = find_keywords(text)
    here, there = graph.search(keywords, 2, org_id), search_by_server(server, graph, keywords, 2, org_id)
    assert here.node_rows.tolist() == there.node_rows.tolist(), text
    assert np.allclose(here.scores, there.scores, atol=1e-6), text
    return len(here.node_rows)


def named(home: Path) -> list[tuple[str]]:
    with snapshot_of(home).connect() as connection:
        return connection.sql("SELECT canonical_name FROM entities WHERE is_named ORDER BY 1").fetchall()


def snapshot_of(home: Path):
    return open_published_index(load_settings(home / "kohaku.toml", environment={}).settings.store)


class _Fails(logging.Handler):
    """A search that fell back to the snapshot compares nothing."""

    def emit(self, record: logging.LogRecord) -> None:
        raise AssertionError(record.getMessage())


if __name__ == "__main__":
    logging.getLogger("kohaku_lib.index.graph.gremlin").addHandler(_Fails())
    main()
