"""Answers by a chat model: prompts, calls, parsing of replies."""
