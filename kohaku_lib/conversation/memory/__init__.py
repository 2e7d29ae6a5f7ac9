"""What the assistant remembers of a conversation: sessions, turns, and how many of them a prompt can hold."""
