"""From a message of a conversation to the question that is asked."""
