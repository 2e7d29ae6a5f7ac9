"""Vector search: exact scans, quantised scans, approximate graphs."""
