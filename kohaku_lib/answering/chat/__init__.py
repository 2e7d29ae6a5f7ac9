"""Answers by a chat model: prompts, parsing, deeper retrieval."""
