"""A bucket on the loopback (moto's S3), whose server fails as a test says."""

from __future__ import annotations

import contextlib
import io
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

Fault = Callable[
    [int, dict[str, Any]], str | None
]  # number of the request, its environment → "503", "cut", "lost" or None
_BUSY = b'<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>'


class FaultyBucket:
    """A WSGI application around moto: `fault` decides about each request; `requests` counts them by method."""

    def __init__(self, application: Callable[..., Iterable[bytes]]) -> None:
        self._application = application
        self._lock = threading.Lock()
        self.fault: Fault = lambda number, environment: None
        self.number = 0
        self.methods: list[str] = []
        self.endpoint = ""
        self.name = f"kohaku-{uuid.uuid4().hex[:8]}"  # moto keeps buckets for all servers of a process
        self.url = f"s3://{self.name}/project"

    def __call__(self, environment: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        with self._lock:
            self.number += 1
            self.methods.append(environment["REQUEST_METHOD"])
            fault = self.fault(self.number, environment)
        if fault == "503":
            environment["wsgi.input"].read(int(environment.get("CONTENT_LENGTH") or 0))
            start_response("503 Slow Down", [("Content-Type", "application/xml"), ("Content-Length", str(len(_BUSY)))])
            return [_BUSY]
        if fault == "cut":
            body = environment["wsgi.input"].read(int(environment.get("CONTENT_LENGTH") or 0))
            half = body[: len(body) // 2]
            environment |= {"wsgi.input": io.BytesIO(half), "CONTENT_LENGTH": str(len(half))}
            for checked in [name for name in environment if "CHECKSUM" in name or "MD5" in name or "TRAILER" in name]:
                del environment[checked]
        if fault == "lost":  # it is written, and its writer never hears of it
            list(self._application(environment, lambda *reply: None))
            start_response("503 Slow Down", [("Content-Type", "application/xml"), ("Content-Length", str(len(_BUSY)))])
            return [_BUSY]
        return self._application(environment, start_response)


@contextlib.contextmanager
def faulty_bucket() -> Iterator[FaultyBucket]:
    """Serve an empty bucket on a free port of the loopback."""
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server

    bucket = FaultyBucket(DomainDispatcherApplication(create_backend_app))
    server = make_server("127.0.0.1", 0, bucket, threaded=True)
    bucket.endpoint = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield bucket
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextlib.contextmanager
def reachable_bucket() -> Iterator[FaultyBucket]:
    """Give an empty bucket whose address and keys stand in the environment while the block runs."""
    import fsspec

    keys = {"AWS_ACCESS_KEY_ID": "kohaku", "AWS_SECRET_ACCESS_KEY": "amber-test-key"}
    with pytest.MonkeyPatch.context() as environment, faulty_bucket() as bucket:
        for name, value in {**keys, "AWS_DEFAULT_REGION": "us-east-1", "AWS_MAX_ATTEMPTS": "1"}.items():
            environment.setenv(name, value)
        environment.setenv("AWS_ENDPOINT_URL", bucket.endpoint)
        fsspec.filesystem("s3", skip_instance_cache=True).mkdir(bucket.name)
        yield bucket
