"""Word, PowerPoint, Excel and CSV files to payloads."""
