"""Parse Word, PowerPoint, Excel, OpenDocument and CSV files."""
