"""What the server counts of itself, for Prometheus."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest


class Telemetry:
    """Requests by route and outcome, and how long they took. No names, no values."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "cobogo_requests_total", "Requests", ["method", "route", "status"], registry=self._registry
        )
        self._seconds = Histogram("cobogo_request_seconds", "Seconds a request takes", registry=self._registry)

    def note(self, method: str, route: str, status: int, seconds: float) -> None:
        """One request more."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.observe(seconds)

    def text(self) -> str:
        """In Prometheus' format."""
        return generate_latest(self._registry).decode()
