"""The built-in reader: what a question asks for, what its model reads, and the value of what is read."""
