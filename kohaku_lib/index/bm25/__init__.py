"""Lexical search: tokens, postings, BM25 scores."""
