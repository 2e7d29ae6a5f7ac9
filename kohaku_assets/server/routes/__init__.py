"""The requests of the server, a file per subject."""
