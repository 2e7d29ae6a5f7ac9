"""The kinds that settings choose from, one registry per file; each kind names its function, which is imported on use.

The settings check names against this package, so it imports nothing heavy.
"""

from kohaku_lib.kinds.channels import CHANNELS, ChannelKind
from kohaku_lib.kinds.consensus import CONSENSUS, ConsensusKind
from kohaku_lib.kinds.fusions import FUSIONS, FusionKind
from kohaku_lib.kinds.providers import PROVIDERS, ProviderKind, ServerKind
from kohaku_lib.kinds.tie_breaks import TIE_BREAKS, TieBreak
from kohaku_lib.kinds.vote_modes import VOTE_MODES, VoteMode

__all__ = [
    "CHANNELS",
    "CONSENSUS",
    "FUSIONS",
    "PROVIDERS",
    "TIE_BREAKS",
    "VOTE_MODES",
    "ChannelKind",
    "ConsensusKind",
    "FusionKind",
    "ProviderKind",
    "ServerKind",
    "TieBreak",
    "VoteMode",
]
