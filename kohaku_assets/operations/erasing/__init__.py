"""Takes a document out of a project for good."""
