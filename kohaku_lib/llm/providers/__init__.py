"""Chat model implementations: OpenAI-compatible servers, local models, dry run."""
