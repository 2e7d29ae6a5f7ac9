"""Records of past runs: state history, provenance, release gate, error reports, runs that died."""
