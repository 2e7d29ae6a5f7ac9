"""The ledger of every call of a language model."""
