"""Access to model servers: addresses, API keys, and endpoints of texts."""
