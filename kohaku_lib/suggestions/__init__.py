"""Questions that the documents suggest: made from their own sentences, tables and headings, and tried before they are kept."""
