"""The semantic cache: answers to questions that were asked before, in the same or in other words."""
