"""A parsed document as one HTML page for inspection."""
