"""The prompt for the summary of a cluster of related passages."""

VERSION = "cluster_summary.v1"

SYSTEM = (
    "You summarise related passages from documents for a search index. Say what they have in common and keep the names, "
    "figures, units and dates that a question could ask for. Use only what the passages say. Reply with the summary alone, "
    "as plain text."
)
USER = "Summarise these passages in at most {words} words.\n\n{passages}"
