"""Question answering over document trees: parsing, retrieval, answering, voting and scoring, without any orchestrator."""

__version__ = "0.1.0"
