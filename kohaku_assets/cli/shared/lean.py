"""Spares the command line most searches for cycles of garbage, which take longer than many a command."""

from __future__ import annotations

import gc

# Python looks for cycles of garbage after so many new objects, and among older ones after so many rounds.
NEW_OBJECTS, ROUNDS = 100_000, 50


def search_garbage_rarely() -> None:
    """Let this process look for cycles of garbage rarely.

    Loading the libraries of a run makes some hundred thousand objects that stay, and Python would look at them all
    again and again.
    """
    gc.set_threshold(NEW_OBJECTS, ROUNDS)
