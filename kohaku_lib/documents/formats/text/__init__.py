"""Parse Markdown, plain text, RTF, e-mails, JSON and XML."""
