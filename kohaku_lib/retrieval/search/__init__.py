"""Query plans to search results per channel."""
