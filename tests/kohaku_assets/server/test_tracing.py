"""Spans of requests and of the steps of answers, by OpenTelemetry's in-memory exporter and by a collector on the loopback."""

import threading
from http.server import BaseHTTPRequestHandler

import pytest
from running_server import running_server
from starlette.testclient import TestClient

from kohaku_assets.server.access.keys import open_keys
from kohaku_assets.server.application import make_application
from kohaku_assets.server.assistants import Assistants
from kohaku_assets.server.tracing import provider_for, trace_steps
from kohaku_lib.testing.joined_server import JoinedServer

pytest.importorskip("opentelemetry.sdk", reason="the extra [otel] is not installed")
QUESTION = "How much electricity did the machine room use in 2023?"
CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def test_a_request_is_a_span_of_the_callers_trace_and_its_steps_lie_within(fresh):
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    project, kept = fresh(), InMemorySpanExporter()
    provider, assistants = provider_for(kept), Assistants(project)
    with open_keys(project.store, None) as keys:
        app = make_application(project, keys, assistants, is_loopback=True, traces=provider)
        with TestClient(app, base_url="http://127.0.0.1") as client:
            client.post("/v1/chat", json={"message": QUESTION}, headers={"traceparent": CALLER, "X-Request-ID": "r-1"})
            client.get("/v1/nodes/secret-id")
            provider.force_flush()
            spans = kept.get_finished_spans()
        assistants.close()
    [chat] = [one for one in spans if one.name == "POST /v1/chat"]
    assert f"{chat.context.trace_id:032x}" == CALLER.split("-")[1]
    assert dict(chat.attributes) == {
        "http.request.method": "POST",
        "http.route": "/v1/chat",
        "http.response.status_code": 200,
        "kohaku.request_id": "r-1",
    }
    steps = {one.name: one for one in spans if one.parent and one.parent.span_id == chat.context.span_id}
    assert {"understand", "cache", "retrieve", "read", "generate"} == set(steps)
    assert all(one.start_time <= one.end_time <= chat.end_time for one in steps.values())
    assert all(QUESTION not in str(one.to_json()) and "secret-id" not in one.to_json() for one in spans)


def test_without_the_setting_nothing_is_traced():
    trace_steps({}, {"read": 5.0})


def test_spans_are_sent_to_the_collector_that_the_setting_names(fresh):
    received = threading.Event()

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path == "/v1/traces" and b"kohaku" in body:
                received.set()
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args):
            """Keep standard error clean."""

    with JoinedServer(Collector) as collector:
        home = fresh().home
        with (home / "kohaku.toml").open("a") as file:
            file.write(f'\n[server]\ntraces = "http://127.0.0.1:{collector.server_address[1]}/v1/traces"\n')
        with running_server(home) as running:
            assert running.client.get("/healthz").status_code == 200
            assert running.stop() == 0  # what waits is sent at the end
        assert received.wait(60)
