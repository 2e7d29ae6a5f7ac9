"""What a profile consists of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kohaku_lib.settings.profiles.neutral import NEUTRAL


@dataclass(frozen=True, slots=True)
class Profile:
    """A system as settings: `own` gives, by key, a value and the paragraph of the specification that it is from.

    Every other setting that may change a result has its neutral value, so that no default of ours is part of a profile.
    """

    name: str
    system: str  # one sentence
    own: Mapping[str, tuple[Any, str]]

    @property
    def values(self) -> dict[str, Any]:
        """The value of every setting that the profile sets.

        >>> Profile("tiny", "A search.", {"retrieval.top_k": (3, "RET-1")}).values["retrieval.top_k"]
        3
        """
        return NEUTRAL | {key: value for key, (value, _) in self.own.items()}
