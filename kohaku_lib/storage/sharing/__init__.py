"""One store of several machines: a bucket holds what is complete, each machine works in its own folder."""
