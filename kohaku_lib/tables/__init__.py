"""The Arrow schemas of the tables between stages, and the payload classes of parsers.

A stage function takes tables of these schemas and returns one. Columns that end in `_json` contain a JSON
object as text. `None` means unknown; pages count from 1.
"""

from kohaku_lib.tables.answers import (
    CITATION,
    ENSEMBLE_VOTES,
    PREDICTIONS,
    QUESTIONS,
    SUBMISSION,
    Question,
    StructuredAnswer,
)
from kohaku_lib.tables.columns import BOX, STRINGS
from kohaku_lib.tables.documents import (
    DOCUMENT_IMAGES,
    DOCUMENTS,
    IMAGE_CAPTIONS,
    SOURCE_FILES,
    DocumentPayload,
    ParagraphPayload,
    SectionPayload,
    SentencePayload,
)
from kohaku_lib.tables.index import (
    LEXICAL,
    MENTIONS,
    PUBLISHED_INDEX,
    RELATION,
    SUMMARY_LEAVES,
    TOKEN_VECTORS,
    VECTOR_TABLES,
    summaries_schema,
    themes_schema,
    vector_schema,
)
from kohaku_lib.tables.nodes import NODES
from kohaku_lib.tables.report import TO_RETRY, StageReport, empty_table, joined_report
from kohaku_lib.tables.retrieval import (
    IMAGE_MATCH,
    MATCH,
    PLAN,
    QUERY,
    QUERY_PLANS,
    RETRIEVED_CONTEXT,
    SNIPPET,
    ImageMatch,
    Match,
    PlannedQuery,
    QueryPlan,
    RetrievalResult,
    Snippet,
)
from kohaku_lib.tables.scores import ERROR_REPORT, RETRIEVAL_SCORES, SCORES, SWEEP_SCORES

__all__ = [
    "BOX",
    "CITATION",
    "DOCUMENTS",
    "DOCUMENT_IMAGES",
    "ENSEMBLE_VOTES",
    "ERROR_REPORT",
    "IMAGE_CAPTIONS",
    "IMAGE_MATCH",
    "LEXICAL",
    "MATCH",
    "MENTIONS",
    "NODES",
    "PLAN",
    "PREDICTIONS",
    "PUBLISHED_INDEX",
    "QUERY",
    "QUERY_PLANS",
    "QUESTIONS",
    "RELATION",
    "RETRIEVAL_SCORES",
    "RETRIEVED_CONTEXT",
    "SCORES",
    "SNIPPET",
    "SOURCE_FILES",
    "STRINGS",
    "SUBMISSION",
    "SUMMARY_LEAVES",
    "SWEEP_SCORES",
    "TOKEN_VECTORS",
    "TO_RETRY",
    "VECTOR_TABLES",
    "DocumentPayload",
    "ImageMatch",
    "Match",
    "ParagraphPayload",
    "PlannedQuery",
    "QueryPlan",
    "Question",
    "RetrievalResult",
    "SectionPayload",
    "SentencePayload",
    "Snippet",
    "StageReport",
    "StructuredAnswer",
    "empty_table",
    "joined_report",
    "summaries_schema",
    "themes_schema",
    "vector_schema",
]
