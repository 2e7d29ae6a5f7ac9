"""The call of a chat model for a paragraph, and the reading of its reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kohaku_lib.digests import digest
from kohaku_lib.errors import ModelError
from kohaku_lib.index.graph.entities import ENTITY_TYPES
from kohaku_lib.llm import ChatRequest
from kohaku_lib.prompts import graph_extraction as wording
from kohaku_lib.settings import GraphSettings
from kohaku_lib.text.json_replies import last_json_value

OTHER, RELATED_TO = "OTHER", "RELATED_TO"


class UnusableGraphError(ModelError):
    """A reply is no JSON object with entities and relations; another attempt may bring one."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A triple that a text states; confidence is 0 to 1."""

    subject: str
    relation_type: str
    object: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Statements:
    """The entities of a text with their types, and its relations."""

    entities: Mapping[str, str]
    relations: tuple[Relation, ...]


class GraphPrompt:
    """The prompt of graph extraction with the types of the settings, for `model`."""

    def __init__(self, model: str, settings: GraphSettings) -> None:
        self._model, self._settings = model, settings
        self._types, self._relations = ENTITY_TYPES, settings.relation_types

    def request(self, name: str, text: str, attempt: int) -> ChatRequest:
        """Return the call for a paragraph; `name` is its node id."""
        return ChatRequest(
            model=self._model,
            system=wording.SYSTEM,
            user=wording.USER.format(types=", ".join(self._types), relations=", ".join(self._relations), text=text),
            temperature=0.0,
            max_tokens=self._settings.max_tokens,
            seed=0,
            run=attempt,
            stage="knowledge_graph",
            question_id=name,
            json_schema=reply_schema(self._types, self._relations),
        )

    def key(self, provider: str, sha256: str) -> str:
        """Return the key under which the reply about the text with this hash is cached."""
        asked = [wording.SYSTEM, list(self._types), list(self._relations), self._settings.max_tokens]
        return digest([wording.VERSION, provider, self._model, *asked, sha256])

    def parse(self, reply: str) -> Statements:
        """Return what a reply states: unknown types are OTHER, unknown predicates RELATED_TO, confidences in [0, 1].

        Thinking, prose and code fences environment the object do not matter; an entity or relation of another form is left
        out. Raises UnusableGraphError where there is no such object.
        """
        found = last_json_value(
            reply, lambda value: isinstance(value, dict) and isinstance(value.get("entities"), list)
        )
        if found is None:
            msg = f"a reply must be a JSON object with 'entities', got {reply[:80]!r}; try another graph.model"
            raise UnusableGraphError(msg)
        entities = {name: kind for one in found["entities"] for name, kind in self._entity(one)}
        relations = found.get("relations")
        triples = [self._relation(one) for one in relations] if isinstance(relations, list) else []
        return Statements(entities, tuple(triple for triple in triples if triple is not None))

    def _entity(self, given: Any) -> Sequence[tuple[str, str]]:
        if not isinstance(given, dict) or not _is_text(given.get("name")):
            return ()
        kind = str(given.get("type")).strip().upper().replace(" ", "_")
        return [(given["name"].strip(), kind if kind in self._types else OTHER)]

    def _relation(self, given: Any) -> Relation | None:
        if not isinstance(given, dict) or not (_is_text(given.get("subject")) and _is_text(given.get("object"))):
            return None
        kind = str(given.get("predicate")).strip().upper().replace(" ", "_")
        kind = kind if kind in self._relations else RELATED_TO
        return Relation(given["subject"].strip(), kind, given["object"].strip(), _confidence(given.get("confidence")))


def reply_schema(types: Sequence[str], relations: Sequence[str]) -> dict[str, Any]:
    """Return the JSON schema of a reply, for servers that hold replies to one."""
    text = {"type": "string"}
    entity = _object({"name": text, "type": {"type": "string", "enum": list(types)}})
    predicate = {"type": "string", "enum": list(relations)}
    relation = _object({"subject": text, "predicate": predicate, "object": text, "confidence": {"type": "number"}})
    return _object({"entities": {"type": "array", "items": entity}, "relations": {"type": "array", "items": relation}})


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _confidence(given: Any) -> float:
    """Return a confidence within [0, 1]; 0.5 where none is given."""
    if isinstance(given, bool) or not isinstance(given, (int, float)) or given != given:  # noqa: PLR0124 - NaN
        return 0.5
    return min(1.0, max(0.0, float(given)))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())
