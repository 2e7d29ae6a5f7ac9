"""How a language asks for what a document states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Phrasing:
    """The questions of one language, each None where no grammatical one is known; the last argument is the document's text.

    A sentence is asked for its number or its date, a label for what stands behind it, a cell by its row and its column, and a
    heading for what stands below it.
    """

    of_sentence: Callable[[str, str], str | None]
    of_label: Callable[[str, str], str | None]
    of_cell: Callable[[str, str, str], str | None]
    of_heading: Callable[[str, str], str | None]
