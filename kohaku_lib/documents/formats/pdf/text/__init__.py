"""Text of PDF pages: lines, columns, paragraphs, running headers."""
