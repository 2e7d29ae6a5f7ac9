"""The SQL of the snapshot's tables that are derived from others, or empty so far."""

CREATE_DERIVED = (
    """
    CREATE TABLE documents AS
    SELECT *, metadata_json ->> '$.type' AS doc_type, metadata_json ->> '$.year' AS year,
           metadata_json ->> '$.citation' AS citation, metadata_json ->> '$.url' AS source_url
    FROM arrow_documents
    """,
    """
    CREATE TABLE lex_docs AS
    SELECT node_id, len(tokens)::INTEGER AS len FROM arrow_lexical
    """,
    """
    CREATE TABLE lex_terms AS
    SELECT (row_number() OVER (ORDER BY term) - 1)::INTEGER AS term_id, term, df
    FROM (
        SELECT term, count(DISTINCT node_id)::INTEGER AS df
        FROM (SELECT node_id, unnest(tokens) AS term FROM arrow_lexical) GROUP BY term
    )
    """,
    """
    CREATE TABLE lex_postings AS
    SELECT term_id, node_id, tf
    FROM (
        SELECT term, node_id, count(*)::INTEGER AS tf
        FROM (SELECT node_id, unnest(tokens) AS term FROM arrow_lexical) GROUP BY term, node_id
    ) JOIN lex_terms USING (term)
    ORDER BY term_id, node_id
    """,
    """
    CREATE TABLE entities AS
    SELECT entity_id, any_value(org_id) AS org_id, min(entity_type) AS entity_type, min(name) AS name,
           min(canonical_name) AS canonical_name, min(document_id) AS first_document_id, count(*) AS mentions
    FROM arrow_mentions LEFT JOIN (SELECT document_id, org_id FROM documents) USING (document_id)
    GROUP BY entity_id ORDER BY entity_id
    """,
    """
    CREATE TABLE entity_mentions AS
    SELECT (row_number() OVER () - 1)::BIGINT AS mention_id, mention.entity_id, mention.node_id,
           node.parent_id AS parent_node_id, mention.document_id, mention.span_text, mention.char_start,
           mention.char_end, mention.confidence
    FROM arrow_mentions mention LEFT JOIN nodes node USING (node_id)
    """,
)

CREATE_EMPTY = (
    """
    CREATE TABLE relations(
        relation_id VARCHAR, org_id VARCHAR, source_entity_id VARCHAR, target_entity_id VARCHAR,
        relation_type VARCHAR, confidence FLOAT, source_node_id VARCHAR, document_id VARCHAR)
    """,
)
