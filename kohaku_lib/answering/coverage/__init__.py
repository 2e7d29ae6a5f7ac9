"""Whether passages can answer a question: content words, similarities, contradictions."""
