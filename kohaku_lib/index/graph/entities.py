"""What an entity is: its type, the name by which it is compared, and its id."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from kohaku_lib.digests import digest

ENTITY_TYPES = (
    "PERSON",
    "ORGANIZATION",
    "PRODUCT",
    "CLAUSE",
    "DATE",
    "MONEY",
    "PERCENTAGE",
    "LOCATION",
    "TECHNICAL_TERM",
    "REGULATION",
    "OTHER",
)

_PLURAL_ACRONYM = re.compile(r"[A-Z][A-Z0-9-]*[A-Z0-9]s")


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity's name at a place of a text; confidence is 0 to 1."""

    entity_type: str
    text: str
    start: int
    end: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity of one tenant; `canonical_name` is the form by which names are compared."""

    entity_id: str
    entity_type: str
    name: str
    canonical_name: str


def entity_of(org_id: str, entity_type: str, name: str) -> Entity:
    """Return the entity with this name: one for each tenant, type and canonical name.

    >>> entity_of("default", "PRODUCT", "GPT-3").entity_id == entity_of("default", "PRODUCT", "gpt-3").entity_id
    True
    """
    canonical = canonical_name(name)
    return Entity(digest([org_id, entity_type, canonical]), entity_type, name, canonical)


@lru_cache(2**14)  # texts and queries name the same things again and again
def canonical_name(name: str) -> str:
    r"""Return the form by which names are compared: NFKC, lower case, single blanks, acronyms in the singular.

    >>> canonical_name("  European\u00a0 Union"), canonical_name("GPUs")
    ('european union', 'gpu')
    """
    if name.endswith("s") and _PLURAL_ACRONYM.fullmatch(name):
        name = name[:-1]
    return " ".join(unicodedata.normalize("NFKC", name).lower().split())
