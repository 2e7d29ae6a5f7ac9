"""SQL of the graph's tables in a snapshot: entities, aliases and relations.

Inputs are `arrow_mentions` (MENTIONS), `entity_mentions` (the same with columns of their nodes) and `nodes`. An entity has
the type that most of its mentions with a type have, else OTHER. A relation is either stated by a text (found by the rules
or an extractor) or derived from counts: two names in one sentence between which no text states a relation (RELATED_TO),
or a name in a document whose title is a name (REFERENCES). The confidence of a derived one is the normalised pointwise
mutual information (Bouma 2009), at least 0, for sentences times n / (n + 1) with n common ones; a sentence of more than
twelve names is a list and yields none. Both endpoints always exist and belong to one tenant.
"""

# Each statement groups, joins or sorts once, and relations are numeric until the end: the operators of one DuckDB query
# share its memory limit, and not all of them can spill to disk. Tables are dropped after their last use.
_CREATE_ENTITIES = (
    """
    CREATE TEMP TABLE counted AS
    SELECT entity_id, max({'mentions': CASE WHEN entity_type = 'OTHER' THEN 0 ELSE mentions END, 'type': entity_type}).type
               AS entity_type,
           first(name) AS name, min(canonical_name) AS canonical_name, min(document_id) AS first_document_id,
           sum(mentions)::BIGINT AS mentions
    FROM (
        SELECT entity_id, entity_type, first(name) AS name, min(canonical_name) AS canonical_name,
               min(document_id) AS document_id, count(*) AS mentions
        FROM arrow_mentions GROUP BY entity_id, entity_type
    ) GROUP BY entity_id
    """,
    """
    CREATE TEMP TABLE in_nodes AS
    SELECT entity_id, min(org_id) AS org_id, count(*) AS mentioning_nodes
    FROM (SELECT DISTINCT entity_id, org_id, node_row FROM entity_mentions WHERE node_row IS NOT NULL)
    GROUP BY entity_id
    """,
    """
    CREATE TEMP TABLE in_documents AS
    SELECT entity_id, count(*) AS mentioning_documents
    FROM (SELECT DISTINCT entity_id, document_id FROM arrow_mentions) GROUP BY entity_id
    """,
    """
    CREATE TEMP TABLE found AS
    SELECT entity_id, org_id, entity_type, name, canonical_name, first_document_id, mentions, mentioning_nodes,
           mentioning_documents
    FROM counted JOIN in_nodes USING (entity_id) JOIN in_documents USING (entity_id)
    """,
    """
    CREATE TABLE entities AS
    WITH sizes AS (SELECT org_id, count(*) AS nodes FROM nodes GROUP BY org_id)
    SELECT (row_number() OVER (ORDER BY entity_id) - 1)::INTEGER AS entity_row, found.*,
           entity_type NOT IN ('DATE', 'MONEY', 'PERCENTAGE', 'CLAUSE')
               AND NOT (entity_type = 'TECHNICAL_TERM' AND regexp_matches(canonical_name, '^[0-9]')) AS is_named,
           ln(1 + nodes / mentioning_nodes) / ln(1 + nodes) AS rarity
    FROM found JOIN sizes USING (org_id) ORDER BY entity_id
    """,
    "DROP TABLE counted",
    "DROP TABLE in_nodes",
    "DROP TABLE in_documents",
    "DROP TABLE found",
    """
    CREATE TABLE entity_aliases AS
    SELECT entity_id, org_id, alias, count(*) AS mentions
    FROM (
        SELECT entity_id, org_id, trim(regexp_replace(lower(span_text), '\\s+', ' ', 'g')) AS alias FROM entity_mentions
    ) JOIN entities USING (entity_id, org_id)
    WHERE alias <> canonical_name AND alias <> canonical_name || 's'
    GROUP BY ALL ORDER BY alias, entity_id
    """,
)
_CREATE_PLACES = (
    # Ranks replace ids: the smallest id has the smallest rank.
    """
    CREATE TEMP TABLE document_ranks AS
    SELECT document_id, (row_number() OVER (ORDER BY document_id) - 1)::INTEGER AS document_rank
    FROM (SELECT DISTINCT document_id FROM entity_mentions)
    """,
    """
    CREATE TEMP TABLE node_ranks AS
    SELECT node_row, org_id, node_id, (row_number() OVER (ORDER BY node_id) - 1)::INTEGER AS node_rank
    FROM nodes WHERE node_row IN (SELECT node_row FROM entity_mentions)
    """,
    """
    CREATE TEMP TABLE mentioned AS
    SELECT entity_row, is_named, node_row, document_rank, parent_row = -1 AS is_title
    FROM entity_mentions JOIN (SELECT entity_id, entity_row, is_named FROM entities) USING (entity_id)
         JOIN document_ranks USING (document_id)
    """,
    """
    CREATE TEMP TABLE unranked AS
    SELECT DISTINCT entity_row, node_row, document_rank
    FROM mentioned
    WHERE is_named AND NOT is_title AND node_row NOT IN (
        SELECT node_row FROM mentioned WHERE is_named AND NOT is_title GROUP BY node_row HAVING count(*) > 12
    )
    """,
    "CREATE TEMP TABLE titled AS SELECT DISTINCT entity_row, document_rank FROM mentioned WHERE is_title",
    """
    CREATE TEMP TABLE placed AS
    SELECT unranked.*, node_rank FROM unranked JOIN (SELECT node_row, node_rank FROM node_ranks) USING (node_row)
    """,
    "DROP TABLE mentioned",
    "DROP TABLE unranked",
    """
    CREATE TEMP TABLE totals AS
    WITH of_nodes AS (
        SELECT org_id, count(*) AS nodes
        FROM node_ranks WHERE node_row IN (SELECT node_row FROM placed) GROUP BY org_id
    ), of_documents AS (
        SELECT org_id, count(*) AS documents
        FROM (SELECT any_value(node_row) AS node_row FROM placed GROUP BY document_rank) JOIN node_ranks USING (node_row)
        GROUP BY org_id
    )
    SELECT org_id, greatest(nodes, 2) AS nodes, greatest(documents, 2) AS documents
    FROM of_nodes JOIN of_documents USING (org_id)
    """,
)
_CREATE_RELATIONS = (
    """
    CREATE TEMP TABLE together AS
    SELECT one.entity_row AS source, two.entity_row AS target, count(*) AS common, min(one.node_rank) AS node_rank,
           min(one.document_rank) AS document_rank
    FROM placed one JOIN placed two USING (node_row)
    WHERE one.entity_row < two.entity_row GROUP BY ALL
    """,
    """
    CREATE TEMP TABLE named AS
    SELECT titled.entity_row AS source, placed.entity_row AS target, min(node_rank) AS node_rank, document_rank
    FROM placed JOIN titled USING (document_rank)
    WHERE titled.entity_row <> placed.entity_row GROUP BY ALL
    """,
    """
    CREATE TEMP TABLE stated AS
    SELECT one.entity_row AS source, two.entity_row AS target, relation.relation_type, relation.confidence, node_rank,
           document_rank
    FROM (SELECT entity_id, node_id, document_id, unnest(relations) AS relation FROM arrow_mentions) mention
         JOIN entities one USING (entity_id)
         JOIN entities two ON relation.target_id = two.entity_id AND one.org_id = two.org_id
         JOIN node_ranks USING (node_id) JOIN document_ranks USING (document_id)
    WHERE relation.target_id <> mention.entity_id
    """,
    """
    CREATE TEMP TABLE said AS
    SELECT DISTINCT least(source, target) AS source, greatest(source, target) AS target FROM stated
    """,
    """
    CREATE TEMP TABLE weighted AS
    SELECT source, target, relation_type, greatest(0, least(1, confidence)) AS confidence, node_rank, document_rank
    FROM stated
    UNION ALL
    SELECT source, target, 'RELATED_TO',
           greatest(0, least(1, ln(common * nodes / (one.mentioning_nodes * two.mentioning_nodes)) / ln(nodes / common)))
               * common / (common + 1), node_rank, document_rank
    FROM together JOIN entities one ON source = one.entity_row JOIN entities two ON target = two.entity_row
         JOIN totals ON totals.org_id = one.org_id
         ANTI JOIN said USING (source, target)
    WHERE common < nodes
    UNION ALL
    SELECT source, target, 'REFERENCES', greatest(0, ln(documents / mentioning_documents) / ln(documents)), node_rank,
           document_rank
    FROM named JOIN entities ON target = entity_row JOIN totals USING (org_id)
    """,
    "DROP TABLE placed",
    "DROP TABLE titled",
    "DROP TABLE together",
    "DROP TABLE named",
    "DROP TABLE stated",
    "DROP TABLE said",
    """
    CREATE TEMP TABLE sourced AS
    SELECT weighted.*, org_id, entity_id AS source_entity_id
    FROM weighted JOIN (SELECT entity_row, entity_id, org_id FROM entities) ON source = entity_row
    WHERE confidence > 0
    """,
    "DROP TABLE weighted",
    """
    CREATE TEMP TABLE targeted AS
    SELECT sourced.*, entity_id AS target_entity_id
    FROM sourced JOIN (SELECT entity_row, entity_id FROM entities) ON target = entity_row
    """,
    "DROP TABLE sourced",
    """
    CREATE TEMP TABLE worded AS
    SELECT targeted.*, node_id, document_id
    FROM targeted JOIN (SELECT node_rank, node_id FROM node_ranks) USING (node_rank)
         JOIN document_ranks USING (document_rank)
    """,
    "DROP TABLE targeted",
    """
    CREATE TABLE relations AS
    SELECT md5(concat_ws(':', source_entity_id, relation_type, target_entity_id, node_id)) AS relation_id, org_id,
           source_entity_id, target_entity_id, relation_type, confidence::FLOAT AS confidence, node_id AS source_node_id,
           document_id
    FROM (FROM worded ORDER BY source, relation_type, target, node_rank)
    """,
    "DROP TABLE worded",
    "DROP TABLE node_ranks",
    "DROP TABLE document_ranks",
    "DROP TABLE totals",
)
CREATE_GRAPH = (*_CREATE_ENTITIES, *_CREATE_PLACES, *_CREATE_RELATIONS)

# What a search reads of these tables; the relations of an entity are limited to the most confident.
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
