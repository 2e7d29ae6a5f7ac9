"""Finds and removes what a store holds of a document that is to be forgotten."""
