"""The files within files, such as those attached to an e-mail: documents of their own under that of the file."""
