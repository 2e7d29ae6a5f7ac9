"""Conversations over the published index: requests, levels, follow-up questions, cache, memory and cited answers."""
