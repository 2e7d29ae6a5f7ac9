"""Traces in the form of OpenTelemetry: a span per request, and within it one per step of the answer (extra [otel])."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kohaku_assets.server.request_log import route_of
from kohaku_lib.errors import SettingsError
from kohaku_lib.install_command import install_command

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Span

NAME = "kohaku"
SPAN, TRACER = "kohaku.span", "kohaku.tracer"  # of a request, in its scope
STEPS = {"answer": "generate"}  # the other steps have the names of timings_ms: understand, cache, retrieve, read


class Tracing:
    """Wraps the application: a span for each request, with method, route, status and request id, and no words of it."""

    def __init__(self, app: ASGIApp, provider: TracerProvider) -> None:
        self._app, self._tracer = app, provider.get_tracer(NAME)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        from opentelemetry.trace import SpanKind
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        caller = TraceContextTextMapPropagator().extract(dict(Headers(scope=scope)))
        scope[TRACER] = self._tracer
        span = scope[SPAN] = self._tracer.start_span(scope["method"], caller, SpanKind.SERVER)

        async def send_and_note(message: Message) -> None:
            if message["type"] == "http.response.start":
                span.set_attribute("http.response.status_code", message["status"])
            await send(message)

        try:
            await self._app(scope, receive, send_and_note)
        finally:
            route = route_of(scope)
            span.update_name(f"{scope['method']} {route}")
            span.set_attributes({"http.request.method": scope["method"], "http.route": route})
            span.set_attribute("kohaku.request_id", str(scope.get("request_id", "")))
            span.end()


def trace_steps(scope: Mapping[str, Any], timings_ms: Mapping[str, float]) -> None:
    """Add the steps of an answer that has just been made to the span of its request, laid end to end; nothing without one."""
    span: Span | None = scope.get(SPAN)
    if span is None:
        return
    from opentelemetry.trace import set_span_in_context

    within, tracer = set_span_in_context(span), scope[TRACER]
    at_ns = time.time_ns() - int(sum(timings_ms.values()) * 1e6)
    for name, duration_ms in timings_ms.items():
        step = tracer.start_span(STEPS.get(name, name), within, start_time=at_ns)
        at_ns += int(duration_ms * 1e6)
        step.end(at_ns)


def trace_provider(address: str) -> TracerProvider:
    """Return what sends spans to the collector at `address`, in the background.

    Raises:
        SettingsError: The packages of the extra [otel] are missing.
    """
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    except ImportError as error:
        msg = (
            f"server.traces needs the packages of the extra [otel]; run {install_command('otel')}, or drop the setting"
        )
        raise SettingsError(msg) from error
    return provider_for(OTLPSpanExporter(address))


def provider_for(exporter: SpanExporter) -> TracerProvider:
    """Return what hands spans to `exporter`."""
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(resource=Resource.create({SERVICE_NAME: NAME}), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider
