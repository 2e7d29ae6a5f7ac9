"""Records of past runs: state history, releases, error reports, comparison sources."""
