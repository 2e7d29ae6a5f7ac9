"""Why an answer changed between two states of the project."""
