"""SQL of the snapshot's derived tables, except those of terms, which are written from postings."""

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
    *CREATE_GRAPH,
)
