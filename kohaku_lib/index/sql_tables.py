"""The SQL of the snapshot's tables that are derived from others."""

from kohaku_lib.index.graph.sql import CREATE_GRAPH

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
    CREATE TEMP TABLE counted AS
    SELECT term, node_id, count(*)::INTEGER AS tf
    FROM (SELECT node_id, unnest(tokens) AS term FROM arrow_lexical) GROUP BY term, node_id
    """,
    """
    CREATE TABLE lex_terms AS
    SELECT (row_number() OVER (ORDER BY term) - 1)::INTEGER AS term_id, term, df
    FROM (SELECT term, count(*)::INTEGER AS df FROM counted GROUP BY term)
    """,
    """
    CREATE TABLE lex_postings AS
    SELECT term_id, node_id, tf FROM counted JOIN lex_terms USING (term) ORDER BY term_id, node_id
    """,
    "DROP TABLE counted",
    *CREATE_GRAPH,
)
