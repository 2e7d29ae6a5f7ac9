"""The kinds that settings choose from, one registry per file; each kind names its function, which is imported on use.

This package is what the settings check names against, so it imports nothing heavy.
"""

from kohaku_lib.kinds.rerankers import RERANKERS, RerankerKind

__all__ = ["RERANKERS", "RerankerKind"]
