"""Parse Word, PowerPoint, Excel and CSV files."""
