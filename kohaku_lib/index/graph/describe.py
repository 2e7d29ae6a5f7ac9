"""Summaries of the entities of a name, for display."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kohaku_lib.index.graph.entities import canonical_name

if TYPE_CHECKING:
    import duckdb

_ENTITIES = """
    SELECT entity_id, name, entity_type, mentions, mentioning_documents AS documents,
           (SELECT list(alias ORDER BY alias) FROM entity_aliases WHERE entity_aliases.entity_id = entities.entity_id)
               AS aliases
    FROM entities
    WHERE org_id = $org AND (canonical_name = $name OR entity_id IN (
        SELECT entity_id FROM entity_aliases WHERE alias = $name AND org_id = $org))
    ORDER BY mentions DESC, entity_id
"""
_NEIGHBOURS = """
    SELECT other.name, other.entity_type, relation_type, round(confidence, 3)::DOUBLE AS confidence, source_node_id
    FROM relations JOIN entities other
         ON other.entity_id = CASE WHEN source_entity_id = $entity THEN target_entity_id ELSE source_entity_id END
    WHERE $entity IN (source_entity_id, target_entity_id) AND relations.org_id = $org AND other.org_id = $org
    ORDER BY confidence DESC, other.name, relation_type, source_node_id LIMIT $most
"""


def describe_entities(
    connection: duckdb.DuckDBPyConnection, name: str, org_id: str, most: int = 10
) -> list[dict[str, Any]]:
    """Return the entities of a tenant with `name` as name or alias, most mentioned first.

    Each has its type, aliases, the numbers of its mentions and of mentioning documents, and its `most` most confident
    relations.
    """
    values = {"name": canonical_name(name), "org": org_id}
    found = connection.sql(_ENTITIES, params=values).to_arrow_table().to_pylist()
    for entity in found:
        parameters = {"entity": entity.pop("entity_id"), "org": org_id, "most": most}
        entity["aliases"] = entity["aliases"] or []
        entity["relations"] = connection.sql(_NEIGHBOURS, params=parameters).to_arrow_table().to_pylist()
    return found
