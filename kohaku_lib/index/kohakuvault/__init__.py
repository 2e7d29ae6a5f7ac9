"""Import of an index written by KohakuRAG."""
