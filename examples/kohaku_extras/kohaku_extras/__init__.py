"""Kinds for Kohaku, a file each."""
