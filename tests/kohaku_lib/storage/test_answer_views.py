"""Views of answers: which outputs and passages each came from, over outputs of several runs and of none."""

from datetime import datetime

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kohaku_lib.storage import write_views
from kohaku_lib.storage.answer_views import OUTPUT_STAGES, AnswerFiles

INDEX = "0123456789abcdef0123"  # the key of vector_tables, whose first 16 characters are the index version
STAGES = [
    {"root_key": "v1", "stage": "ensemble_votes", "stage_key": "v1", "code_tag": "5", "dagster_run_id": "r2"},
    {"root_key": "v1", "stage": "predictions", "stage_key": "p1", "settings_json": '{"ensemble.runs": 2}'},
    {"root_key": "v1", "stage": "vector_tables", "stage_key": INDEX},
    {"root_key": "v1", "stage": "documents", "stage_key": "d1"},
    {"root_key": INDEX, "stage": "vector_tables", "stage_key": INDEX},
    {"root_key": INDEX, "stage": "documents", "stage_key": "d1"},
]
VOTE = {"id": "q1", "question": "How many?", "answer": "Two.", "answer_value": "2", "ref_id": ["a", "b"]}
CITED = [{"document_id": "a", "node_id": "a:1", "page": 3}, {"document_id": "c", "node_id": "c:1", "page": 1}]
DOCUMENTS = [
    {"document_id": "a", "org_id": "acme", "path": "a.pdf", "sha256": "aa"},
    {"document_id": "b", "org_id": "bee", "path": "b.pdf", "sha256": "bb"},
]
SERVED = {
    "answer_id": "s1",
    "org_id": "acme",
    "served_at": datetime(2026, 1, 2),
    "question": "How many?",
    "answer": "Two [Source 1].",
    "mode": "chat",
    "level": None,
    "index_version": INDEX[:16],
    "sources_json": '[{"chunk_id": "a:1", "document_id": "a", "page_number": 3, "cited": true},'
    ' {"chunk_id": "a:2", "document_id": "a", "page_number": null, "cited": false}]',
    "trace_json": '{"settings": {"retrieval.top_k": 7}}',
}


@pytest.fixture
def ask(tmp_path):
    tables = {
        "ensemble_votes": ("v1", [VOTE]),
        "predictions": ("p1", [{"id": "q1", "run_label": run, "citations": CITED} for run in ("m.0", "m.1")]),
        "documents": ("d1", DOCUMENTS),
    }
    files = {name: tmp_path / name / f"{key}.parquet" for name, (key, _) in tables.items()}
    for name, (_, made) in tables.items():
        files[name].parent.mkdir()
        pq.write_table(pa.Table.from_pylist(made), files[name])
    pq.write_table(
        pa.Table.from_pylist([SERVED, SERVED | {"answer_id": "s2", "org_id": "bee"}]), tmp_path / "s.parquet"
    )
    stages = [row | {"computed_at": datetime(2026, 1, 1)} for row in STAGES]
    answers = AnswerFiles(
        pa.Table.from_pylist(stages, schema=OUTPUT_STAGES),
        {name: [file] for name, file in files.items()},
        tmp_path / "s.parquet",
    )
    write_views(tmp_path / "k.duckdb", {}, tmp_path, org_id="acme", answers=answers)
    return lambda query: sorted(duckdb.connect(tmp_path / "k.duckdb", read_only=True).sql(query).fetchall())


def test_the_answers_of_all_doors_have_one_row_each(ask):
    first, second = datetime(2026, 1, 1), datetime(2026, 1, 2)
    assert ask("SELECT answer_id, door, question_id, answer_value, answered_at, index_version FROM answers") == [
        ("q1@v1", "pipeline", "q1", "2", first, INDEX[:16]),
        ("s1", "assistant", None, None, second, INDEX[:16]),
    ]


def test_a_vote_has_the_passages_that_its_runs_cite_of_the_documents_it_names(ask):
    query = "SELECT DISTINCT document_id, node_id, page, run, path, file_sha256 FROM lineage WHERE answer_id = 'q1@v1'"
    found = ask(f"SELECT * FROM ({query}) WHERE document_id = 'a'")
    assert found == [("a", "a:1", 3, "m.0", "a.pdf", "aa"), ("a", "a:1", 3, "m.1", "a.pdf", "aa")]
    assert ask(f"SELECT * FROM ({query}) WHERE document_id <> 'a'") == [("b", None, None, None, None, None)]


def test_a_served_answer_has_the_passages_that_it_cites_and_the_stages_of_its_index(ask):
    query = "SELECT stage, stage_key, node_id, page, file_sha256 FROM lineage WHERE answer_id = 's1'"
    assert ask(query) == [("documents", "d1", "a:1", 3, "aa"), ("vector_tables", INDEX, "a:1", 3, "aa")]


def test_the_facts_of_an_answer_have_a_value_each(ask):
    assert ask("SELECT stage, fact, value FROM answer_facts WHERE answer_id = 's1' AND value IS NOT NULL") == [
        ("answer", "door", "assistant"),
        ("answer", "index version", INDEX[:16]),
        ("answer", "text", "Two [Source 1]."),
        ("assistant", "mode", "chat"),
        ("assistant", "retrieval.top_k", "7"),
        ("documents", "file a.pdf", "aa"),
        ("documents", "key", "d1"),
        ("vector_tables", "key", INDEX),
    ]
    assert ask("SELECT stage, value FROM answer_facts WHERE answer_id = 'q1@v1' AND fact = 'ensemble.runs'") == [
        ("predictions", "2")
    ]


def test_without_any_answer_the_views_are_empty(tmp_path):
    write_views(tmp_path / "k.duckdb", {}, tmp_path, answers=AnswerFiles())
    with duckdb.connect(tmp_path / "k.duckdb", read_only=True) as connection:
        for name in ("answers", "lineage", "answer_facts", "output_stages", "served_questions"):
            assert connection.sql(f"SELECT * FROM {name}").fetchall() == []
