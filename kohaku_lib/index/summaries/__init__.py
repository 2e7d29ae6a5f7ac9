"""Summaries of clusters of passages: by the sentences nearest to the centroid, or by a chat model."""

from kohaku_lib.index.summaries.chat_summaries import ChatSummariser
from kohaku_lib.index.summaries.extractive import (
    Cluster,
    EmbeddedPassage,
    ExtractiveSummariser,
    Summariser,
    SummaryReport,
)

__all__ = ["ChatSummariser", "Cluster", "EmbeddedPassage", "ExtractiveSummariser", "Summariser", "SummaryReport"]
