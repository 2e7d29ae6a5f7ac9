"""Counts and times of the server in the form of Prometheus."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_BOUNDS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Metrics:
    """The metrics of one server; requests are counted by route, never by path, so that their number stays small."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self._requests = Counter("kohaku_requests", "Requests answered.", labels, registry=self._registry)
        self._seconds = Histogram(
            "kohaku_request_seconds",
            "Time from a request to the end of its response.",
            ("route",),
            buckets=_BOUNDS_S,
            registry=self._registry,
        )
        self._active = Gauge("kohaku_requests_active", "Requests under way.", registry=self._registry)
        self._waiting = Gauge("kohaku_work_waiting", "Questions that wait for a thread.", registry=self._registry)
        self._cache = Gauge(
            "kohaku_cache_lookups", "Answers by the semantic cache.", ("result",), registry=self._registry
        )

    def begin(self) -> None:
        """Count a request as under way."""
        self._active.inc()

    def end(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request as answered."""
        self._active.dec()
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def text(self, waiting: int, cache: dict[str, int]) -> bytes:
        """Return all metrics, with the work that waits and the lookups of the cache by result now."""
        self._waiting.set(waiting)
        for result, count in cache.items():
            self._cache.labels(result).set(count)
        return generate_latest(self._registry)
