"""What becomes of served questions: a queue for people, truth for the next index, and figures of use."""
