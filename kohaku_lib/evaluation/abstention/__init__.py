"""How sure an answer is, what answering less would gain, and where to stop."""
