"""Embedding models: sentence-transformers, OpenVINO, servers, Jina, Ray actors."""
