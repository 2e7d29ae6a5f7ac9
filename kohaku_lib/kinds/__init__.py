"""The kinds that settings choose from, one registry per file; each kind names its function, which is imported on use.

The settings check names against this package, so it imports nothing heavy.
"""

from kohaku_lib.kinds.channels import CHANNELS, ChannelKind
from kohaku_lib.kinds.consensus import CONSENSUS, ConsensusKind
from kohaku_lib.kinds.fusions import FUSIONS, FusionKind
from kohaku_lib.kinds.rerankers import RERANKERS, RerankerKind

__all__ = [
    "CHANNELS",
    "CONSENSUS",
    "FUSIONS",
    "RERANKERS",
    "ChannelKind",
    "ConsensusKind",
    "FusionKind",
    "RerankerKind",
]
