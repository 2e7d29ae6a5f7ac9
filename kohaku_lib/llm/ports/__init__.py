"""Chat models behind one port: OpenAI-compatible servers, local models, a dry run."""
