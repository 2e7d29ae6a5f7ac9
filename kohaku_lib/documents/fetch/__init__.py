"""Download the documents whose URLs are in metadata.csv."""
