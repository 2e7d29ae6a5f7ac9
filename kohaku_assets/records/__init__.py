"""What is kept about past runs: states, releases, error reports, comparison sources."""
