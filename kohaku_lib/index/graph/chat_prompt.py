"""Requests to a chat model for graph extraction, and the parsing of replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kohaku_lib.digests import digest
from kohaku_lib.errors import ModelError
from kohaku_lib.llm import ChatRequest
from kohaku_lib.prompts import graph_extraction as wording
from kohaku_lib.settings import GraphSettings
from kohaku_lib.text.json_replies import last_json_value

OTHER, RELATED_TO = "OTHER", "RELATED_TO"


class UnusableGraphError(ModelError):
    """A reply is not a JSON object with entities and relations; another attempt may succeed."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A triple stated by a text; confidence is 0 to 1."""

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
    """The prompt of graph extraction for `model`, with the types in the settings."""

    def __init__(self, model: str, settings: GraphSettings) -> None:
        self._model, self._settings = model, settings
        self._types = tuple(dict.fromkeys((*settings.entity_types, OTHER)))
        self._relations = settings.relation_types

    def request(self, name: str, text: str, attempt: int) -> ChatRequest:
        """Return the request for a paragraph; `name` is its node id."""
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
        """Return the cache key of the reply about the text with this hash."""
        inputs = [wording.SYSTEM, list(self._types), list(self._relations), self._settings.max_tokens]
        return digest([wording.VERSION, provider, self._model, *inputs, sha256])

    def parse(self, reply: str) -> Statements:
        """Parse a reply: unknown types become OTHER, unknown predicates RELATED_TO, confidences are clipped to [0, 1].

        Thinking, prose and code fences around the object are ignored, as are malformed entities and relations. Raises
        UnusableGraphError if there is no such object.
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

    def _entity(self, value: Any) -> Sequence[tuple[str, str]]:
        if not isinstance(value, dict) or not _is_text(value.get("name")):
            return ()
        kind = str(value.get("type")).strip().upper().replace(" ", "_")
        return [(value["name"].strip(), kind if kind in self._types else OTHER)]

    def _relation(self, value: Any) -> Relation | None:
        if not isinstance(value, dict) or not (_is_text(value.get("subject")) and _is_text(value.get("object"))):
            return None
        kind = str(value.get("predicate")).strip().upper().replace(" ", "_")
        kind = kind if kind in self._relations else RELATED_TO
        return Relation(value["subject"].strip(), kind, value["object"].strip(), _confidence(value.get("confidence")))


def reply_schema(types: Sequence[str], relations: Sequence[str]) -> dict[str, Any]:
    """Return the JSON schema of a reply, for servers with structured output."""
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


def _confidence(value: Any) -> float:
    """Return a confidence within [0, 1]; 0.5 if missing."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:  # noqa: PLR0124 - NaN
        return 0.5
    return min(1.0, max(0.0, float(value)))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())
