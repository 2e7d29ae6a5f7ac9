"""Reports for people: what went wrong with answers, and what a sweep has shown."""
