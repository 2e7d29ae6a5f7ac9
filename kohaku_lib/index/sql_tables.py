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
    # Numbers instead of texts are what is grouped and sorted.
    """
    CREATE TEMP TABLE said AS SELECT text_row, unnest(tokens) AS term FROM arrow_lexical
    """,
    """
    CREATE TEMP TABLE words AS
    SELECT (row_number() OVER (ORDER BY term) - 1)::INTEGER AS term_id, term FROM (SELECT DISTINCT term FROM said)
    """,
    """
    CREATE TEMP TABLE counted AS
    SELECT term_id, text_row, count(*)::INTEGER AS tf FROM said JOIN words USING (term) GROUP BY term_id, text_row
    """,
    """
    CREATE TABLE lex_terms AS
    SELECT term_id, term, df
    FROM words JOIN (SELECT term_id, count(*)::INTEGER AS df FROM counted GROUP BY term_id) USING (term_id)
    ORDER BY term_id
    """,
    """
    CREATE TABLE lex_postings AS
    SELECT term_id, node_id, tf
    FROM (SELECT * FROM counted ORDER BY term_id, text_row)
        JOIN (SELECT text_row, node_id FROM arrow_lexical) USING (text_row)
    """,
    "DROP TABLE said",
    "DROP TABLE words",
    "DROP TABLE counted",
    *CREATE_GRAPH,
)
