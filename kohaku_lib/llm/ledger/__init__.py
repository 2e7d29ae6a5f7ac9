"""The ledger of all calls to language models."""
