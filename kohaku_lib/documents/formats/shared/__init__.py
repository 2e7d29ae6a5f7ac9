"""What formats share: the decoding of bytes, and tables as Markdown."""
