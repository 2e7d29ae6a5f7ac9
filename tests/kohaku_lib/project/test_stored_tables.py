"""The tables of a store as DataFrames, over views of small tables."""

import subprocess
import sys

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kohaku_lib.errors import StoreError
from kohaku_lib.project import StoredTables
from kohaku_lib.storage import write_views
from kohaku_lib.tables.experiments import EXPERIMENTS

SCORES = pa.table({"id": ["q1", "q2"], "score": pa.array([1.0, None], pa.float32()), "ref_id": [["a", "b"], []]})


@pytest.fixture
def store(tmp_path):
    pq.write_table(SCORES, tmp_path / "scores.parquet")
    write_views(tmp_path / "kohaku.duckdb", {"scores": tmp_path / "scores.parquet"}, tmp_path / "llm_calls")
    return tmp_path


def test_columns_keep_their_types_and_what_is_unknown_is_na(store):
    scores = StoredTables(store, "default").scores()
    assert scores.dtypes.map(str).tolist() == ["string[pyarrow]", "float[pyarrow]", "list<l: string>[pyarrow]"]
    assert scores["score"][1] is pd.NA
    assert scores["score"].isna().tolist() == [False, True]
    assert [list(ids) for ids in scores["ref_id"]] == [["a", "b"], []]


def test_without_experiments_and_calls_the_tables_have_columns_and_no_rows(store):
    tables = StoredTables(store, "default")
    assert (len(tables.experiments()), tables.experiments().columns.tolist()) == (0, EXPERIMENTS.names)
    assert (len(tables.ledger()), str(tables.ledger().dtypes["cost_usd"])) == (0, "double[pyarrow]")


@pytest.mark.parametrize("name", ["questions", "answers", "nodes"])
def test_a_table_that_was_not_built_is_an_error_with_the_remedy(store, name):
    with pytest.raises(StoreError, match=r"the table .* cannot be read .*; run 'kohaku refresh' first"):
        getattr(StoredTables(store, "default"), name)()


def test_a_store_without_views_is_an_error_for_every_stored_table(tmp_path):
    for name in ("scores", "experiments"):
        with pytest.raises(StoreError, match="run 'kohaku refresh' first"):
            getattr(StoredTables(tmp_path, "default"), name)()


def test_neither_the_library_nor_the_command_imports_pandas():
    program = (
        "import sys, kohaku_lib, kohaku_lib.project\n"
        "kohaku_lib.open_project\n"
        "from click.testing import CliRunner\n"
        "from kohaku_assets.cli import main\n"
        "assert CliRunner().invoke(main, ['--help']).exit_code == 0\n"
        "print('pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
