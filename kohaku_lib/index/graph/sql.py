"""The graph's tables in a snapshot: entities, their aliases and mentions, and the relations between them.

What they read: the views `arrow_mentions` (MENTIONS), `nodes` and `documents`. A relation is stated by a text (an
extractor found it), or follows from counts: two names in one sentence (RELATED_TO), a name in a document whose title is
one (REFERENCES). Its confidence is then the normalised pointwise mutual information (Bouma 2009), at least 0, for
sentences times n / (n + 1) for n common ones; a sentence of more than twelve names is a list that relates nothing.
Endpoints always exist, and both belong to one tenant.
"""

CREATE_GRAPH = (
    """
    CREATE TABLE entities AS
    WITH sizes AS (SELECT org_id, count(*) AS nodes FROM nodes GROUP BY org_id), found AS (
        SELECT entity_id, any_value(org_id) AS org_id, min(entity_type) AS entity_type, first(name) AS name,
               min(canonical_name) AS canonical_name, min(document_id) AS first_document_id, count(*) AS mentions,
               count(DISTINCT node_id) AS mentioning_nodes, count(DISTINCT document_id) AS mentioning_documents
        FROM arrow_mentions JOIN (SELECT node_id, org_id FROM nodes) USING (node_id)
        GROUP BY entity_id
    )
    SELECT (row_number() OVER (ORDER BY entity_id) - 1)::INTEGER AS entity_row, found.*,
           entity_type NOT IN ('DATE', 'MONEY', 'PERCENTAGE', 'CLAUSE')
               AND NOT (entity_type = 'TECHNICAL_TERM' AND regexp_matches(canonical_name, '^[0-9]')) AS is_named,
           ln(1 + nodes / mentioning_nodes) / ln(1 + nodes) AS rarity
    FROM found JOIN sizes USING (org_id) ORDER BY entity_id
    """,
    """
    CREATE TABLE entity_mentions AS
    SELECT (row_number() OVER () - 1)::BIGINT AS mention_id, mention.entity_id, node.org_id, mention.node_id,
           node.node_row, node.parent_id AS parent_node_id, node.parent_row, mention.document_id, mention.span_text,
           mention.char_start, mention.char_end, mention.confidence
    FROM arrow_mentions mention LEFT JOIN nodes node USING (node_id)
    """,
    """
    CREATE TABLE entity_aliases AS
    SELECT entity_id, org_id, alias, count(*) AS mentions
    FROM (
        SELECT entity_id, org_id, trim(regexp_replace(lower(span_text), '\\s+', ' ', 'g')) AS alias FROM entity_mentions
    ) JOIN entities USING (entity_id, org_id)
    WHERE alias <> canonical_name AND alias <> canonical_name || 's'
    GROUP BY ALL ORDER BY alias, entity_id
    """,
    """
    CREATE TABLE relations AS
    WITH titled AS (
        SELECT DISTINCT org_id, document_id, entity_id FROM entity_mentions WHERE parent_row = -1
    ), stated AS (
        SELECT org_id, entity_id AS source_entity_id, relation.target_id AS target_entity_id, relation.relation_type,
               relation.confidence, node_id, document_id
        FROM (
            SELECT entity_id, node_id, document_id, unnest(relations) AS relation FROM arrow_mentions
        ) JOIN (SELECT entity_id, org_id FROM entities) USING (entity_id)
        WHERE relation.target_id <> entity_id
          AND (relation.target_id, org_id) IN (SELECT (entity_id, org_id) FROM entities)
    ), placed AS (
        SELECT DISTINCT mention.org_id, node_id, document_id, entity_id, mentioning_nodes, mentioning_documents
        FROM entity_mentions mention JOIN entities USING (entity_id)
        WHERE is_named AND mention.parent_row <> -1
        QUALIFY count(*) OVER (PARTITION BY node_id) <= 12
    ), totals AS (
        SELECT org_id, greatest(count(DISTINCT node_id), 2) AS nodes, greatest(count(DISTINCT document_id), 2) AS documents
        FROM placed GROUP BY org_id
    ), together AS (
        SELECT one.org_id, one.entity_id AS source_entity_id, two.entity_id AS target_entity_id, count(*) AS common,
               any_value(one.mentioning_nodes) AS of_one, any_value(two.mentioning_nodes) AS of_two,
               min(one.node_id) AS node_id, min(one.document_id) AS document_id
        FROM placed one JOIN placed two USING (node_id)
        WHERE one.entity_id < two.entity_id GROUP BY ALL
    ), named AS (
        SELECT DISTINCT placed.org_id, titled.entity_id AS source_entity_id, placed.entity_id AS target_entity_id,
               placed.mentioning_documents, min(placed.node_id) AS node_id, placed.document_id
        FROM placed JOIN titled USING (org_id, document_id)
        WHERE titled.entity_id <> placed.entity_id GROUP BY ALL
    ), found AS (
        SELECT org_id, source_entity_id, target_entity_id, relation_type, greatest(0, least(1, confidence)) AS confidence,
               node_id, document_id
        FROM stated
        UNION ALL
        SELECT org_id, source_entity_id, target_entity_id, 'RELATED_TO',
               greatest(0, least(1, ln(common * nodes / (of_one * of_two)) / ln(nodes / common))) * common / (common + 1),
               node_id, document_id
        FROM together JOIN totals USING (org_id) WHERE common < nodes
        UNION ALL
        SELECT org_id, source_entity_id, target_entity_id, 'REFERENCES',
               greatest(0, ln(documents / mentioning_documents) / ln(documents)), node_id, document_id
        FROM named JOIN totals USING (org_id)
    )
    SELECT md5(concat_ws(':', source_entity_id, relation_type, target_entity_id, node_id)) AS relation_id, org_id,
           source_entity_id, target_entity_id, relation_type, confidence::FLOAT AS confidence, node_id AS source_node_id,
           document_id
    FROM found WHERE confidence > 0
    ORDER BY source_entity_id, relation_type, target_entity_id, node_id
    """,
)

# What the search reads of these tables, so that its arrays and its statement agree.
NAMES = """
    SELECT canonical_name AS name, entity_row FROM entities WHERE is_named
    UNION
    SELECT alias, entity_row FROM entity_aliases JOIN entities USING (entity_id) WHERE is_named
"""
EDGES = """
    WITH named AS (
        SELECT one.entity_row AS source, two.entity_row AS target, confidence::DOUBLE AS confidence
        FROM relations JOIN entities one ON source_entity_id = one.entity_id
             JOIN entities two ON target_entity_id = two.entity_id AND one.org_id = two.org_id
        WHERE one.is_named AND two.is_named
    )
    SELECT source, target, max(confidence) AS confidence
    FROM (FROM named UNION ALL SELECT target, source, confidence FROM named) GROUP BY source, target
    QUALIFY row_number() OVER (PARTITION BY source ORDER BY max(confidence) DESC, target) <= 50
"""
PLACES = """
    SELECT entity_row, node_row, max(confidence)::DOUBLE AS confidence FROM (
        SELECT entity_row, unnest([node_row, parent_row]) AS node_row, confidence
        FROM entity_mentions JOIN entities USING (entity_id, org_id) WHERE parent_row <> -1 AND is_named
    ) GROUP BY entity_row, node_row
"""
