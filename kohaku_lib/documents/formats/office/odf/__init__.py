"""Parse OpenDocument files: texts, spreadsheets and presentations."""
