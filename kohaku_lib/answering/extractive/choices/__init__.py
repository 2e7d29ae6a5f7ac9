"""One of several named options as the answer."""
