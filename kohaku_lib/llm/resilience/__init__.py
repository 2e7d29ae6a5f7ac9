"""Error handling of calls: attempts, retries, rate limits, circuit breaker."""
