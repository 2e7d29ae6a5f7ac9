"""kohaku compare and kohaku history over the built sample: states, cells, bundles and files of answers."""

import json
import shutil

import pytest
from stage_refresh import refresh_stages

from kohaku_assets.experiments.sweep_runs import run_sweep
from kohaku_assets.operations.comparison_sources import called_prompts, open_source
from kohaku_assets.operations.refresh import refresh
from kohaku_assets.pipeline.project import Project
from kohaku_assets.records.state_history import changed_keys, past_states, record_state
from kohaku_lib.composition import load_settings
from kohaku_lib.errors import InputFileError, KohakuError
from kohaku_lib.storage import read_sealed, write_sealed
from kohaku_lib.testing.openai_server import OpenAIServer

SHORT = "retrieval.context_tokens=60"
SWEEP = "sweep={mine = {line = 'lexical.stemmer', line_values = ['none'], x = 'retrieval.top_k', x_values = [2]}}"


@pytest.fixture(scope="module")
def refreshed(home, built, tmp_path_factory):
    """The home of the built project, refreshed once more with a shorter context."""
    folder = shutil.copytree(home, tmp_path_factory.mktemp("twice") / "copy")
    kept(Project(load_settings(overrides=[SHORT], environment={}, folder=folder)))
    return folder


def kept(project):
    """Refresh a project and keep its state, as each run does."""
    assert refresh_stages(project).failure is None
    record_state(project)


@pytest.fixture
def twice(refreshed, fresh, kohaku_checked):
    """The private copy of the built project, with what the second refresh has made."""
    project = fresh(SHORT)
    shutil.copytree(refreshed, project.home, dirs_exist_ok=True)
    return project


def test_a_refresh_keeps_the_state_and_the_same_one_only_once(fresh, twice):
    newer, older = past_states(twice)
    assert changed_keys(older.records, newer.records) == ["retrieval.context_tokens"]
    assert newer.metrics["wattbot/ensemble/n"] > 0
    assert record_state(twice) == newer
    assert len(past_states(twice)) == 2
    # Going back is the older state again, now the newest.
    assert refresh(fresh()).failure is None
    assert [state.id for state in past_states(twice)] == [older.id, newer.id]


def test_a_state_is_newer_than_those_of_a_clock_that_ran_ahead(twice, fresh):
    newer, older = past_states(twice)
    [path] = (twice.store / "history").glob(f"* {newer.id}.json")
    content = read_sealed(path)
    ahead = "2999-01-01T00:00:00.000000+00:00"
    write_sealed(path.with_name(f"{ahead.replace(':', '-')} {newer.id}.json"), {**content, "made_at": ahead})
    path.unlink()
    kept(fresh())
    assert [state.id for state in past_states(twice)] == [older.id, newer.id]


def test_a_state_of_a_pipeline_with_other_stages_disturbs_no_other(fresh, kohaku_checked):
    project = fresh()
    state = record_state(project)
    [path] = (project.store / "history").glob("*.json")
    content = read_sealed(path)
    records = content["records"]
    former = {name: record for name, record in records.items() if name != "query_plans"}
    write_sealed(path.with_name("2001-01-01 lacking.json"), {**content, "records": former})
    more = {**records, "abandoned": {**records["scores"], "stage": "abandoned"}}
    write_sealed(path.with_name("2002-01-01 withmore.json"), {**content, "records": more})
    assert [one.id for one in past_states(project)] == [state.id, "withmore"]
    assert [row["lost"] for row in json.loads(kohaku_checked("history", "--json").stdout)] == [[], []]


def test_outputs_that_do_not_belong_together_are_no_state(twice, fresh):
    project = fresh("retrieval.context_tokens=90")
    assert refresh_stages(project, ["retrieved_context"]).failure is None
    assert record_state(project) is None


def test_answers_that_held_a_release_back_are_kept_and_marked(fresh):
    project = fresh()
    project.reject("scores", "wattbot is 0.2, in the published index 0.9")
    state = record_state(project)
    assert state.held_back == "wattbot is 0.2, in the published index 0.9"
    project.reject("predictions", "1 of 12 answers failed")
    assert record_state(project) is None


def test_history_lists_the_states_and_what_changed(kohaku_checked, twice):
    rows = json.loads(kohaku_checked("history", "--json").stdout)
    assert [row["changed"] for row in rows] == [["retrieval.context_tokens"], []]
    assert "retrieval.context_tokens" in kohaku_checked("history").stdout


def test_what_was_removed_since_is_lost_and_said(kohaku_checked, twice):
    older = past_states(twice)[1]
    gone = twice.files.path("retrieved_context", older.records["retrieved_context"].input_key)
    gone.unlink()
    assert [row["lost"] for row in json.loads(kohaku_checked("history", "--json").stdout)] == [
        [],
        ["retrieved_context"],
    ]
    text = kohaku_checked("compare", "before", "now", "--question", "k01").stdout
    assert "Not compared: plan, context (not stored for the first)" in text


def test_the_prompts_and_replies_of_a_chat_model_are_compared(fresh, kohaku_checked, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "a-key-of-the-tests")
    with OpenAIServer() as server:
        chat = (
            "llm.provider=openai",
            "answer.by=model",
            f"llm.base_url={server.base_url}",
            "planner.kind=rule",
            "answer.max_retries=0",
        )
        chat = (*chat, "release.gate=false")
        for overrides in (chat, (*chat, SHORT)):
            kept(fresh(*overrides))
    text = kohaku_checked("compare", "before", "now", "--question", "k01").stdout
    assert "lines of difference:" in text
    assert "  -" in text
    for side in ("first", "second"):
        assert f"The ledger has a call with the prompt of the {side}" in text


def test_two_states_are_compared_by_name_and_by_id(kohaku_checked, twice):
    older = past_states(twice)[1].id
    by_word = json.loads(kohaku_checked("compare", "before", "now", "--json", "--at", "282").stdout)[0]
    by_id = json.loads(kohaku_checked("compare", older, "now", "--json").stdout)[0]
    assert by_word["flips"] == by_id["flips"]
    score = by_word["differences"][0]
    assert score["n"] == len(twice.files.latest_table("questions"))
    assert score["detectable_at"]["282"] == pytest.approx(score["detectable"] * (score["n"] / 282) ** 0.5)


def test_a_question_is_followed_from_the_setting_to_the_vote(kohaku_checked, twice):
    name = twice.files.latest_table("questions")["id"][0].as_py()
    [found] = json.loads(kohaku_checked("compare", "before", "now", "--question", name, "--json").stdout)
    assert (found["changes"][0]["step"], found["changes"][0]["second"]) == ("settings", 60)
    assert any(move["second_rank"] is None for move in found["snippets"])
    text = kohaku_checked("compare", "before", "now", "--question", name).stdout
    assert "Why: settings retrieval.context_tokens differs; " in text
    assert "snippets out" in text


def test_a_file_of_answers_is_a_side_and_what_it_lacks_is_said(kohaku_checked, twice):
    name = twice.files.latest_table("questions")["id"][0].as_py()
    text = kohaku_checked("compare", str(twice.submission), "now", "--question", name).stdout
    assert "The same: vote, score" in text
    assert "Not compared: code, settings, documents, question, plan, context, reply, answer (not stored for the" in text


def test_a_bundle_is_a_side_with_its_settings(kohaku_checked, twice):
    kohaku_checked("bundle", "e.zip")
    name = twice.files.latest_table("questions")["id"][0].as_py()
    [found] = json.loads(kohaku_checked("compare", "before", "e.zip", "--question", name, "--json").stdout)
    settings = [change["of"] for change in found["changes"] if change["step"] == "settings"]
    assert settings == ["retrieval.context_tokens (read by retrieved_context, predictions)"]
    assert set(found["not_kept"]) >= {"plan", "context"}


def test_a_cell_of_a_sweep_is_a_side(fresh, kohaku_checked):
    project = fresh(SWEEP)
    with pytest.raises(InputFileError, match=r"the answers of 'mine/none/2' do not exist \(any more\)"):
        open_source(project, "mine/none/2")
    run_sweep(project, "mine", lambda text: None)
    side = open_source(project, "mine/none/2")
    assert len(side.rows) == len(project.files.latest_table("questions"))
    assert side.tables.stages["lexical_index"]["settings"]["lexical.stemmer"] == "none"
    with pytest.raises(KohakuError, match="has no cell 'none/3'; its cells are none/2"):
        open_source(project, "mine/none/3")


@pytest.mark.parametrize("how", [[], ["--question", "k01"]])
def test_a_truth_without_ids_is_one_sentence(kohaku_checked, tmp_path, how):
    answers, truth = tmp_path / "answers.csv", tmp_path / "truth.csv"
    answers.write_text("id,answer_value\nk01,5\n")
    truth.write_text("number,answer_value\nk01,5\n")
    said = kohaku_checked("compare", str(answers), str(answers), "--truth", str(truth), *how, code=2).stderr
    assert "lacks the column 'id' (columns found: 'number', 'answer_value'); add it to the header" in said


def test_unknown_names_are_one_sentence(kohaku_checked, twice):
    assert (
        "there is no comparison source 'elsewhere'; use a CSV file"
        in kohaku_checked("compare", "elsewhere", "now", code=2).stderr
    )
    assert "no question" not in kohaku_checked("compare", "before", "now", "--question", "q?", code=2).stdout
    assert (
        "neither source has a question 'q?'"
        in kohaku_checked("compare", "before", "now", "--question", "q?", code=2).stderr
    )
    assert "cannot be read" in kohaku_checked("compare", "missing.csv", "now", code=2).stderr


def test_without_a_state_before_the_present_one_the_sentence_says_how_to_get_one(fresh):
    with pytest.raises(InputFileError, match="there is no state before the current one; change a setting"):
        open_source(fresh(), "before")


def test_the_ledger_tells_the_prompts_of_a_question(fresh):
    project = fresh()
    assert called_prompts(project, "q1") is None
    calls = [
        {"question_id": "q1", "stage": "predictions", "prompt_sha256": "one"},
        {"question_id": "q2", "stage": "predictions", "prompt_sha256": "two"},
        {"question_id": "q1", "stage": "query_plans", "prompt_sha256": "three"},
    ]
    folder = project.store / "llm_calls"
    folder.mkdir()
    (folder / "one.jsonl").write_text("\n".join([*map(json.dumps, calls), '{"torn']))
    assert called_prompts(project, "q1") == {"one"}
