"""Reduces the frequency of garbage collection, which takes longer than many commands."""

from __future__ import annotations

import gc

# Thresholds of the youngest generation (new objects) and of the older ones (collections of the younger).
NEW_OBJECTS, ROUNDS = 100_000, 50


def collect_garbage_rarely() -> None:
    """Raise the thresholds of the cyclic garbage collector for this process.

    Importing the libraries of a run creates several hundred thousand long-lived objects, which Python would otherwise
    traverse repeatedly.
    """
    gc.set_threshold(NEW_OBJECTS, ROUNDS)
