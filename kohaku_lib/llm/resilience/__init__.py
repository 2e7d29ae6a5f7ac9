"""Calls that fail: attempts, retries, rate limits, a circuit breaker."""
