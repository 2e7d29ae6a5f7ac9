"""Settings of `kohaku serve`: limits, and who may ask. None of them changes an asset."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from kohaku_lib.settings.section import AtOnce, PositiveFloat, PositiveInt, Seconds, Section


class ServerSettings(Section):
    """The server of the page, the HTTP API, the OpenAI protocol and MCP."""

    workers: AtOnce | None = Field(
        default=None,
        description="questions and searches worked on at once, the others wait; by default 8 with a language model, which "
        "they wait for, else one per core",
    )
    max_body_mb: PositiveFloat = Field(
        default=1.0, description="largest body of a request, except uploads and the pictures of messages"
    )
    max_upload_mb: PositiveFloat = Field(default=200.0, description="largest file that is uploaded")
    body_timeout_s: Seconds = Field(
        default=30.0,
        description="longest time in which the body of a request must arrive; of uploads, and of callers who "
        "read a response, the longest pause",
    )
    head_timeout_s: Seconds = Field(
        default=10.0, description="longest time in which the head of a request must arrive, on a new connection too"
    )
    connections_per_peer: PositiveInt = Field(
        default=64,
        description="connections of one address at the same time, those of server.proxies excepted; for another one the "
        "one that has waited longest for a request is ended",
    )
    requests_per_minute: PositiveInt = Field(default=6000, description="requests of one key in a minute")
    requests_at_once: PositiveInt = Field(
        default=128, description="requests of one key at the same time, streams included"
    )
    drain_s: Annotated[Seconds, Field(le=600.0)] = Field(
        default=20.0, description="how long answers under way may take after SIGTERM"
    )
    hosts: tuple[str, ...] = Field(
        default=(), description="names by which the server may be addressed, beside those of this machine"
    )
    origins: tuple[str, ...] = Field(
        default=(),
        description="addresses of pages elsewhere that may call the server (CORS), such as https://wiki.example",
    )
    user_header: str | None = Field(
        default=None,
        min_length=1,
        description="header in which a proxy that signs people in names the user, such as X-Forwarded-Email; only from the "
        "addresses of server.proxies",
    )
    dagster_url: str | None = Field(
        default=None,
        pattern=r"^https?://",
        description="address of Dagster's pages, such as http://127.0.0.1:3000, to which the administration view leads",
    )
    traces: str | None = Field(
        default=None,
        pattern=r"^https?://",
        description="address of an OpenTelemetry collector that traces are sent to, such as "
        "http://127.0.0.1:4318/v1/traces; needs the extra [otel]",
    )
    proxies: tuple[str, ...] = Field(
        default=(),
        description="addresses of proxies, such as 10.0.0.2: their server.user_header is believed, and they may have more "
        "connections than server.connections_per_peer",
    )
