"""Parse PDFs: text in reading order, tables, images, sections."""
