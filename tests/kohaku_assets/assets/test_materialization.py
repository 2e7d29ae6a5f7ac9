"""What Dagster's UI shows of a run and of every asset: columns, files, links, warnings, tags."""

import json
from pathlib import Path

import dagster as dg
import pytest

from kohaku_assets.assets.materialization import link
from kohaku_assets.assets.place import Place
from kohaku_assets.assets.warnings import warning_specs, warnings
from kohaku_assets.components.dagster_instance import dagster_instance
from kohaku_assets.definitions import own_defs
from kohaku_assets.operations.refresh import refresh
from kohaku_assets.pipeline.stages import STAGES


@pytest.fixture(scope="module")
def instance(built):
    with dagster_instance(built[0]) as instance:
        yield instance


@pytest.mark.parametrize("name", [name for name, stage in STAGES.items() if stage.switch is None])
def test_every_column_is_described_and_no_row_is_shown(instance, name):
    metadata = instance.get_latest_materialization_event(dg.AssetKey(name)).asset_materialization.metadata
    columns = metadata["dagster/column_schema"].value.columns
    assert [column.name for column in columns if not column.description] == []
    assert Path(metadata["file"].value).exists()
    assert "problems" in json.loads(Path(metadata["manifest"].value).read_text())
    texts = {label for label, value in metadata.items() if isinstance(value, dg.MarkdownMetadataValue)}
    assert texts == ({"report"} if name == "error_report" else set())  # of counts and pictures


def test_every_check_is_described(built):
    definitions = own_defs(built[0])
    specs = [
        spec for part in (*definitions.asset_checks, *definitions.assets) for spec in getattr(part, "check_specs", ())
    ]
    assert len(specs) == 14
    assert [spec.name for spec in specs if not spec.description] == []


def test_the_warnings_of_the_sample_pass_and_each_warns_above_its_limit(built, fresh):
    assets = [name for name in STAGES if warning_specs(name, Place())]
    assert assets == ["documents", "ensemble_votes", "published_index"]
    assert [one.check_name for name in assets for one in warnings(built[0], name) if not one.passed] == []
    strict = fresh("watch.blank_answers=0", "watch.failed_documents=0")
    results = [one for name in assets for one in warnings(strict, name)]
    assert {one.severity for one in results} == {dg.AssetCheckSeverity.WARN}
    for one in results:
        if "share" in one.metadata and one.metadata["limit"].value == 0:
            assert one.passed == (one.metadata["share"].value == 0)


def test_a_failed_document_warns_and_blocks_nothing(fresh):
    project = fresh("watch.failed_documents=0.01")
    (project.settings.corpus.documents / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    assert refresh(project, ["documents"]).failure is None
    [result] = warnings(project, "documents")
    assert not result.passed
    assert result.description.endswith(" is more than watch.failed_documents = 0.01")
    with dagster_instance(project) as instance:
        [run] = instance.get_runs(limit=1)
        assert (run.job_name, run.status) == ("refresh", dg.DagsterRunStatus.SUCCESS)
        assert run.tags["kohaku/why"] == "source_files: files changed"
        assert run.tags["kohaku/by"]
        assert run.tags["kohaku/set"] == "watch.failed_documents=0.01"


def test_reports_are_links_where_the_store_is_served(fresh):
    page = fresh().store / "reports" / "error report.html"
    assert link(fresh(), page) == dg.MetadataValue.path(str(page))
    served = fresh("watch.files_url=https://kohaku.example/files/")
    assert link(served, Path(page)) == dg.MetadataValue.url("https://kohaku.example/files/reports/error%20report.html")


def test_an_index_has_a_freshness_policy_only_where_one_is_set(fresh):
    def policies(project):
        specs = own_defs(project).resolve_all_asset_specs()
        return [spec.key.to_user_string() for spec in specs if spec.freshness_policy]

    assert policies(fresh()) == []
    assert policies(fresh("watch.published_within_days=7")) == ["published_index"]
