"""Download of the documents that metadata.csv names by address."""
