"""Entities: type, canonical name and id."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from kohaku_lib.digests import digest

_PLURAL_ACRONYM = re.compile(r"[A-Z][A-Z0-9-]*[A-Z0-9]s")
_DOT_OF_SUFFIX = re.compile(r"(?<=\s(?:Inc|Ltd))\.$|(?<=\sCorp)\.$|(?<=\s(?:Co|Jr|Sr))\.$")


@dataclass(frozen=True, slots=True)
class Mention:
    """An occurrence of an entity's name in a text; confidence is 0 to 1."""

    entity_type: str
    text: str
    start: int
    end: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity of one tenant; names are compared by `canonical_name`."""

    entity_id: str
    entity_type: str
    name: str
    canonical_name: str


def entity_of(org_id: str, entity_type: str, name: str, own_type: str | None = None) -> Entity:
    """Return the entity with this name: one for each tenant, type and canonical name.

    The id is by `own_type`, the type that the name tells by itself, if it is given: documents that tell different types of
    a name then speak of one entity.

    >>> entity_of("default", "PRODUCT", "GPT-3").entity_id == entity_of("default", "PRODUCT", "gpt-3").entity_id
    True
    """
    canonical = canonical_name(name)
    return Entity(digest([org_id, own_type or entity_type, canonical]), entity_type, name, canonical)


@lru_cache(2**14)  # texts and queries repeat names
def canonical_name(name: str) -> str:
    r"""Normalise a name for comparison: NFKC, lower case, single blanks, acronyms in the singular, "Inc." without its dot.

    >>> canonical_name("  European\u00a0 Union"), canonical_name("GPUs"), canonical_name("Lumen Corp.")
    ('european union', 'gpu', 'lumen corp')
    """
    if name.endswith("s") and _PLURAL_ACRONYM.fullmatch(name):
        name = name[:-1]
    name = _DOT_OF_SUFFIX.sub("", name)
    return " ".join(unicodedata.normalize("NFKC", name).lower().split())
