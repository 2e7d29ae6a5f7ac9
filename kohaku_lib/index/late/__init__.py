"""Late interaction: compressed token vectors of the leaves, and MaxSim over candidates."""

from kohaku_lib.index.late.token_index import TokenIndex, write_tokens

__all__ = ["TokenIndex", "write_tokens"]
