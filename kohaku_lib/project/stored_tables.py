"""The tables of a project as pandas DataFrames: questions, answers, scores, nodes, experiments, the ledger."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from kohaku_lib.errors import StoreError
from kohaku_lib.storage import StorePaths
from kohaku_lib.tables.experiments import EXPERIMENTS

if TYPE_CHECKING:
    import pandas as pd


class StoredTables:
    """The current tables of the tenant `org_id` in a store.

    Each is read anew when it is asked for. Columns keep their Arrow types, and what is unknown is `pd.NA`. docs/python.md
    shows them at work.
    """

    def __init__(self, store: Path, org_id: str) -> None:
        self._paths, self._org_id = StorePaths(store), org_id

    def questions(self) -> pd.DataFrame:
        """Return the questions of `corpus.questions`, their truth in `row_json`; StoreError before they were read."""
        return _frame(self._stored("questions"))

    def answers(self) -> pd.DataFrame:
        """Return an answer per question, voted from all runs; StoreError before there are any."""
        return _frame(self._stored("ensemble_votes"))

    def scores(self) -> pd.DataFrame:
        """Return the scores per question, metric and run; StoreError before there are any."""
        return _frame(self._stored("scores"))

    def nodes(self) -> pd.DataFrame:
        """Return the documents, sections, paragraphs and sentences of the published index; StoreError without one."""
        return _frame(self._stored("current_index.nodes"))

    def experiments(self) -> pd.DataFrame:
        """Return a row per experiment; none where there are none."""
        import duckdb

        try:
            return _frame(self._stored("experiments"))
        except StoreError as error:
            if isinstance(error.__cause__, duckdb.CatalogException):  # the view comes with the first one
                return _frame(EXPERIMENTS.empty_table())
            raise

    def ledger(self) -> pd.DataFrame:
        """Return calls of language models, tokens and cost by model, run, stage and day; no row before the first call."""
        from kohaku_lib.llm.ledger.summary import summarise_ledger

        return _frame(summarise_ledger(self._paths.llm_calls, self._org_id))

    def _stored(self, name: str) -> pa.Table:
        import duckdb

        path = self._paths.views
        try:
            with duckdb.connect(path, read_only=True) as connection:
                return connection.sql(f"SELECT * FROM {name}").to_arrow_table()  # noqa: S608 - own names
        except duckdb.Error as error:
            reason = str(error).partition("\n")[0]
            msg = f"the table {name!r} cannot be read from {str(path)!r} ({reason}); run 'kohaku refresh' first"
            raise StoreError(msg) from error


def _frame(table: pa.Table) -> pd.DataFrame:
    import pandas as pd

    return table.to_pandas(types_mapper=pd.ArrowDtype)
