"""The ways to vote and to break a tie."""
