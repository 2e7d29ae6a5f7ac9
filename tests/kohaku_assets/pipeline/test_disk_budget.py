"""A stage whose output will not fit is told before it runs."""

import logging
import re

from kohaku_assets.operations.refresh import refresh
from kohaku_assets.pipeline.disk_budget import disk_warning


def test_what_fits_is_not_told_and_what_is_unknown_neither(built, fresh, tmp_path):
    assert disk_warning(built[0], "vector_tables") is None
    empty = fresh("watch.store_budget_gb=1e-9", f"store={tmp_path / 'empty'}")
    assert disk_warning(empty, "documents") is None


def test_a_stage_that_exceeds_the_budget_warns_before_it_runs_and_runs_all_the_same(fresh, caplog):
    project = fresh("watch.store_budget_gb=0.001", "lexical.k1=0.7", "release.gate=false")
    warning = disk_warning(project, "vector_tables")
    assert re.match(r"'vector_tables' will write about 0\.00\d+ GB, with which the store has 0\.0", warning)
    assert warning.endswith(" GB, more than watch.store_budget_gb = 0.001")
    with caplog.at_level(logging.WARNING):
        report = refresh(project, ["vector_tables"])
    assert report.failure is None
    [problem] = report.outcomes["vector_tables"].problems
    assert problem in caplog.messages
    assert re.match(r"'vector_tables' will write about 0\.00\d+ GB, ", problem)
