"""The files of a corpus and their metadata."""
