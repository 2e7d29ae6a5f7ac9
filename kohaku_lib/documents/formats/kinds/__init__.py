"""The formats of the house, a file each; what a parser needs is imported with the first file that it reads."""
