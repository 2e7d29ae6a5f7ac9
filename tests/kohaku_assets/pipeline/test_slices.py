"""A stage reads the settings of its slice and no others, so that no change of a setting leaves old results."""

from contextlib import suppress
from dataclasses import replace

import pytest

from kohaku_assets.operations.refresh import refresh
from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stage_running import run_stage
from kohaku_assets.pipeline.stages import STAGES, readable
from kohaku_lib.composition import load_settings
from kohaku_lib.errors import KohakuError, SliceError

BREACH = (
    r"the stage 'questions' reads the setting 'lexical\.k1', which is not in its slice; add it to the keys of the stage"
)
PLACES = {
    "run": lambda run: run.settings.lexical.k1,
    "session": lambda run: run.session.settings.lexical.k1,
    "project": lambda run: run.project.settings.lexical.k1,
}


def planted(read):
    """The step of the questions, which also reads what it must not, and goes on as after an error in one question."""

    own = STAGES["questions"]

    def compute(run, inputs):
        with suppress(KohakuError):
            read(run)
        return own.compute(run, inputs)

    return replace(own, step=compute)


@pytest.mark.parametrize("read", PLACES.values(), ids=PLACES)
def test_a_step_that_reads_a_setting_outside_of_its_slice_fails_and_writes_nothing(read, fresh):
    project = fresh()
    before = project.files.latest("questions")
    with pytest.raises(SliceError, match=BREACH):
        run_stage(Run(project, frozenset(["questions"])), planted(read))
    assert project.files.latest("questions") == before


def test_an_effect_reads_the_settings_of_all_inputs_and_no_others(fresh):
    project = fresh()
    run_stage(Run(project), replace(STAGES["submission"], effect=lambda run, table: print(run.settings.lexical.k1)))
    with pytest.raises(SliceError, match=BREACH):
        run_stage(Run(project), replace(STAGES["questions"], effect=lambda run, table: print(run.settings.lexical.k1)))


def test_a_refresh_ends_with_the_names_of_the_setting_and_the_stage(fresh, monkeypatch):
    monkeypatch.setitem(STAGES, "questions", planted(PLACES["run"]))
    report = refresh(fresh(), force=["questions"])
    assert "the stage 'questions' reads the setting 'lexical.k1'" in str(report.failure)


def test_a_stage_reads_what_its_slice_states_and_what_is_off(tmp_path):
    settings = load_settings(environment={}, folder=tmp_path).settings
    view = settings.sliced(readable("query_plans", settings))
    assert view.planner.max_queries == settings.planner.max_queries
    assert not view.uses_chat  # which planner.kind states
    with pytest.raises(SliceError, match=r"'query_plans' reads the setting 'planner\.hyde'"):
        print(view.planner.hyde)
    chat = load_settings(overrides=["llm.provider=openai", "llm.model=small"], environment={}, folder=tmp_path).settings
    assert chat.sliced(readable("query_plans", chat)).planner.hyde == chat.planner.hyde
