"""Mentions with the relations that their text states."""

from __future__ import annotations

from dataclasses import dataclass

from kohaku_lib.index.graph.names import NamedMention


@dataclass(frozen=True, slots=True)
class Link:
    """A relation from the entity of a mention to another entity, by type and name; confidence is 0 to 1.

    `own_type` is that of a NamedMention.
    """

    relation_type: str
    entity_type: str
    name: str
    confidence: float
    own_type: str | None = None


@dataclass(slots=True)
class LinkedMention:
    """A mention in a text with the name of its entity, and the relations that the text states about it."""

    named: NamedMention
    links: tuple[Link, ...] = ()
