"""Who may call the server: keys, hosts and origins, limits."""
