"""Steps: one for every stage, plain functions that run without Dagster."""

import subprocess
import sys
from dataclasses import FrozenInstanceError

import pytest

from kohaku_assets.assets.place import Place
from kohaku_assets.assets.stage_assets import stage_assets
from kohaku_assets.assets.usage_assets import ACCEPTED
from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stage_running import run_stages
from kohaku_assets.pipeline.stages import STAGES, with_ancestors
from kohaku_lib.settings.operations_settings import ResourcesSettings, WatchSettings


def test_the_step_of_every_stage_has_its_name_and_a_description():
    assert all(stage.compute.__name__ == name and stage.description for name, stage in STAGES.items())


def test_the_asset_of_a_stage_says_what_the_table_of_stages_says():
    for (name, stage), asset in zip(
        STAGES.items(), stage_assets({"scores": "v7"}, WatchSettings(), ResourcesSettings(), Place()), strict=True
    ):
        [spec] = asset.specs
        assert (spec.key.to_user_string(), spec.group_name, spec.description) == (
            name,
            stage.group,
            stage.description,
        )
        beside = {ACCEPTED} if name == "questions" else set()
        assert {dep.asset_key.to_user_string() for dep in spec.deps} == set(stage.reads) | beside
        assert spec.kinds == set(stage.kinds)
        assert spec.code_version == ("v7" if name == "scores" else "unknown")


def test_steps_sweeps_and_answers_are_loaded_without_dagster():
    modules = (
        "steps.answer",
        "experiments.cells",
        "components.preflight",
        "operations.debugging",
        "operations.estimating",
    )
    imports = "\n".join(f"import kohaku_assets.{name}" for name in modules)
    told = subprocess.run(
        [sys.executable, "-c", f"{imports}\nimport sys\nprint('dagster' in sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout == "False\n"


def test_stages_run_in_order_and_are_found_again(fresh):
    names = with_ancestors(["retrieved_context"])
    stages, progress = [], []
    run = Run(
        fresh("retrieval.top_k=3"),
        on_stage=stages.append,
        on_progress=lambda done, total: progress.append((done, total)),
    )
    run_stages(run, names)
    assert stages == names
    assert list(run.outcomes) == names
    assert run.outcomes["retrieved_context"].computed == 12
    again = Run(run.project)
    run_stages(again, names)
    assert sum(outcome.computed for outcome in again.outcomes.values()) == 0


def test_figures_have_no_caption_if_captions_are_off(built, fresh):
    assert built[0].files.latest_table("image_captions").num_rows > 0
    project = fresh("images.captions=off")
    run_stages(Run(project), with_ancestors(["image_captions"]))
    assert project.files.latest_table("image_captions").num_rows == 0


def test_two_runs_over_a_project_share_no_outcome_and_no_spending(fresh):
    project = fresh()
    one, other = Run(project), Run(project, force=frozenset({"questions"}))
    run_stages(one, ["questions"])
    assert one.outcomes["questions"].computed == 0
    assert other.outcomes == {}
    run_stages(other, ["questions"])
    assert other.outcomes["questions"].computed == 12
    assert one.session.spending is one.session.spending is not other.session.spending


def test_a_project_cannot_be_changed_and_other_settings_make_another(fresh):
    project = fresh()
    with pytest.raises(FrozenInstanceError):
        project.rehash = True
    assert project.with_runs(5).settings.ensemble.runs == 5
    assert project.settings.ensemble.runs != 5
    assert project.with_runs(5).store == project.store
