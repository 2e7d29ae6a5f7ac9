"""Text of PDF pages: lines, columns, paragraphs and running headers."""
