"""Views of the DuckDB file of a store that take an answer back to what made it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from kohaku_lib.storage.tenant_sql import path_literal, text_literal

if TYPE_CHECKING:
    import duckdb

OUTPUT_STAGES = pa.schema(
    [
        pa.field("root_key", pa.string(), nullable=False),  # an output that answers were taken from
        pa.field("stage", pa.string(), nullable=False),  # its own stage, or one before it
        pa.field("stage_key", pa.string(), nullable=False),  # under which that stage's output is stored
        pa.field("code_tag", pa.string()),  # this and what follows: None if unknown
        pa.field("settings_json", pa.string()),
        pa.field("files_digest", pa.string()),  # of the user's files that the stage read
        pa.field("dagster_run_id", pa.string()),
        pa.field("computed_at", pa.timestamp("s")),  # UTC
    ]
)
SOURCES = ("ensemble_votes", "predictions", "documents")  # the stages whose tables the views read


@dataclass(frozen=True, slots=True)
class AnswerFiles:
    """What the views read: the stages behind each output, the stored tables of SOURCES, and the served questions."""

    stages: pa.Table = field(default_factory=OUTPUT_STAGES.empty_table)
    tables: Mapping[str, Sequence[Path]] = field(default_factory=dict)
    served: Path | None = None  # a Parquet file of all organisations, its column org_id tells them apart


def create_answer_views(connection: duckdb.DuckDBPyConnection, files: AnswerFiles, org_id: str | None) -> None:
    """Create the table `output_stages` and the views `served_questions`, `answers`, `lineage` and `answer_facts`.

    Rows of served questions and documents are those of `org_id` (None: of all); `files` names no output of others.
    """
    connection.register("held_output_stages", files.stages)
    connection.execute("CREATE TABLE output_stages AS SELECT * FROM held_output_stages")
    connection.unregister("held_output_stages")
    own = "true" if org_id is None else f"org_id = {text_literal(org_id)}"
    tables = {name: _parquet_source(files.tables[name]) if files.tables.get(name) else _EMPTY[name] for name in SOURCES}
    served = _EMPTY["served"] if files.served is None else _parquet_source([files.served])
    connection.execute(f"CREATE VIEW served_questions AS SELECT * EXCLUDE (filename) FROM {served} WHERE {own}")  # noqa: S608
    for name, query in (("answers", _ANSWERS), ("lineage", _LINEAGE), ("answer_facts", _FACTS)):
        connection.execute(f"CREATE VIEW {name} AS {query.format(**tables, own=own)}")


def _parquet_source(paths: Sequence[Path]) -> str:
    listed = ", ".join(path_literal(path) for path in paths)
    return f"read_parquet([{listed}], filename = true, union_by_name = true)"


def _empty_source(**columns: str) -> str:
    listed = ", ".join(f"NULL::{kind} AS {name}" for name, kind in columns.items())
    return f"(SELECT {listed}, NULL::VARCHAR AS filename WHERE false)"


_EMPTY = {
    "ensemble_votes": _empty_source(
        id="VARCHAR", question="VARCHAR", answer="VARCHAR", answer_value="VARCHAR", ref_id="VARCHAR[]"
    ),
    "predictions": _empty_source(
        id="VARCHAR",
        run_label="VARCHAR",
        citations="STRUCT(document_id VARCHAR, node_id VARCHAR, page INTEGER, quote VARCHAR)[]",
    ),
    "documents": _empty_source(document_id="VARCHAR", org_id="VARCHAR", path="VARCHAR", sha256="VARCHAR"),
    "served": _empty_source(
        answer_id="VARCHAR",
        org_id="VARCHAR",
        served_at="TIMESTAMP",
        question="VARCHAR",
        answer="VARCHAR",
        mode="VARCHAR",
        level="VARCHAR",
        index_version="VARCHAR",
        sources_json="VARCHAR",
        trace_json="VARCHAR",
    ),
}
# The name of a stage file is its input key, an index version the first 16 characters of that of vector_tables.
_ANSWERS = """
    WITH roots AS (
        SELECT root_key,
            left(max(stage_key) FILTER (stage = 'vector_tables'), 16) AS index_version,
            max(computed_at) FILTER (stage_key = root_key) AS answered_at
        FROM output_stages GROUP BY root_key
    )
    SELECT 'pipeline' AS door, concat(vote.id, '@', left(root_key, 16)) AS answer_id, vote.id AS question_id,
        vote.question, vote.answer, vote.answer_value, answered_at, index_version, root_key
    FROM {ensemble_votes} AS vote JOIN roots ON root_key = parse_filename(vote.filename, true)
    UNION ALL
    SELECT 'assistant', served.answer_id, NULL,
        served.question, served.answer, NULL, make_timestamp(epoch_us(served.served_at)), served.index_version, root_key
    FROM served_questions AS served LEFT JOIN roots ON left(root_key, 16) = served.index_version
"""
_LINEAGE = """
    WITH cited AS (
        SELECT answers.answer_id, referred.document_id, quoted.node_id, quoted.page, quoted.run
        FROM answers
        JOIN {ensemble_votes} AS vote ON vote.id = question_id AND root_key = parse_filename(vote.filename, true)
        CROSS JOIN unnest(vote.ref_id) AS referred(document_id)
        LEFT JOIN output_stages AS made ON made.root_key = answers.root_key AND made.stage = 'predictions'
        LEFT JOIN (
            SELECT parse_filename(filename, true) AS key, id, run_label AS run, citation.document_id, citation.node_id,
                citation.page
            FROM {predictions} CROSS JOIN unnest(citations) AS each_one(citation)
        ) AS quoted
        ON quoted.key = made.stage_key AND quoted.id = question_id AND quoted.document_id = referred.document_id
        UNION ALL
        SELECT answer_id, source.document_id, source.chunk_id, source.page_number, NULL
        FROM served_questions
        CROSS JOIN unnest(from_json(sources_json, '[{{"document_id": "VARCHAR", "chunk_id": "VARCHAR",
            "page_number": "INTEGER", "cited": "BOOLEAN"}}]')) AS each_one(source)
        WHERE source.cited
    )
    SELECT answers.* EXCLUDE (root_key), cited.run, cited.document_id, cited.node_id, cited.page, read.path,
        read.sha256 AS file_sha256, made.* EXCLUDE (root_key)
    FROM answers
    LEFT JOIN cited USING (answer_id)
    LEFT JOIN output_stages AS made ON made.root_key = answers.root_key
    LEFT JOIN output_stages AS parsed ON parsed.root_key = answers.root_key AND parsed.stage = 'documents'
    LEFT JOIN (
        SELECT parse_filename(filename, true) AS key, document_id, path, sha256 FROM {documents} WHERE {own}
    ) AS read ON read.key = parsed.stage_key AND read.document_id = cited.document_id
"""
_FACTS = """
    WITH made AS (SELECT answer_id, output_stages.* FROM answers JOIN output_stages USING (root_key))
    SELECT answer_id, stage, 'key' AS fact, stage_key AS value FROM made
    UNION ALL SELECT answer_id, stage, 'code tag', code_tag FROM made
    UNION ALL
    SELECT answer_id, stage, setting.key, setting.value::VARCHAR
    FROM made CROSS JOIN json_each(made.settings_json) AS setting
    UNION ALL
    SELECT answer_id, stage, concat('file ', path), sha256
    FROM made JOIN {documents} AS read ON stage = 'documents' AND parse_filename(read.filename, true) = stage_key
    WHERE {own} AND path IS NOT NULL
    UNION ALL
    SELECT answer_id, 'assistant', setting.key, setting.value::VARCHAR
    FROM served_questions CROSS JOIN json_each(trace_json, '$.settings') AS setting
    UNION ALL SELECT answer_id, 'assistant', 'mode', mode FROM served_questions
    UNION ALL SELECT answer_id, 'assistant', 'level', level FROM served_questions
    UNION ALL SELECT answer_id, 'answer', 'door', door FROM answers
    UNION ALL SELECT answer_id, 'answer', 'text', answer FROM answers
    UNION ALL SELECT answer_id, 'answer', 'value', answer_value FROM answers
    UNION ALL SELECT answer_id, 'answer', 'index version', index_version FROM answers
"""
