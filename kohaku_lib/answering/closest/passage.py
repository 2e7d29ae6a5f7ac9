"""A passage that comes closest to answering a question."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

LIKELY = 0.5  # from this score on a passage answers likelier than not


@dataclass(frozen=True, slots=True)
class ClosestPassage:
    """A sentence or row with what stands around it, at most 300 characters, and where it stands.

    `marked` bounds the words in `text` that answer. `score` is the probability that they do, 0 to 1.
    """

    text: str
    marked: tuple[int, int]
    score: float
    document_id: str
    node_id: str
    heading: str
    page: int | None

    def as_json(self) -> dict[str, Any]:
        """Return the passage as the JSON object of the server."""
        return asdict(self) | {"marked": list(self.marked)}

    def with_marks(self, mark: str = "**") -> str:
        """Return the text with `mark` around the words that answer.

        >>> ClosestPassage("Bring ten euros.", (6, 15), 0.7, "d", "d:p1", "", None).with_marks()
        'Bring **ten euros**.'
        """
        start, end = self.marked
        return f"{self.text[:start]}{mark}{self.text[start:end]}{mark}{self.text[end:]}"


@dataclass(frozen=True, slots=True)
class Closest:
    """The passages nearest to a question, the likeliest to answer first.

    `silence` is the probability that the documents do not say it, None where nothing was read. `needs_whole` tells that rows
    or items were left out, which answer only all together: "How many are listed?".
    """

    passages: tuple[ClosestPassage, ...] = ()
    silence: float | None = None
    needs_whole: bool = False
