"""The server: HTTP, the OpenAI protocol, MCP and the page over one assistant per tenant."""
