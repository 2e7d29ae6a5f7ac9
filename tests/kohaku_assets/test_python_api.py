"""The page on Python is true, and an open project behaves as it says."""

import doctest
import shutil
import subprocess
import sys
import threading

import pandas as pd
import pytest
from damaged_stores import add_ledger

from kohaku_assets.experiments.experiment_records import import_experiment
from kohaku_assets.operations.refresh import refresh
from kohaku_assets.operations.scaffold import make_project
from kohaku_assets.pipeline.project import Project
from kohaku_lib import open_project
from kohaku_lib.composition import load_settings
from kohaku_lib.errors import InputFileError, SettingsError, StoreError
from kohaku_lib.testing.openai_server import OpenAIServer

QUESTION = "How much electricity did the whole workshop use in 2023?"


@pytest.fixture
def folder(home, built, tmp_path, monkeypatch):
    shutil.copytree(home, tmp_path / "my-project")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "my-project" / "dagster_home"))
    return tmp_path / "my-project"


def test_the_page_on_python_shows_what_happens(folder, request):
    page = request.config.rootpath / "docs" / "python.md"
    failed, attempted = doctest.testfile(str(page), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert (failed, attempted > 10) == (0, True)


def test_the_tables_of_a_project_are_frames_with_their_types_and_what_is_unknown(folder):
    project = Project(load_settings(folder / "kohaku.toml", []))
    add_ledger(folder)
    import_experiment(project, "theirs", project.submission, None)
    with open_project(folder) as kohaku:
        tables = kohaku.tables
    questions, answers, scores, nodes = tables.questions(), tables.answers(), tables.scores(), tables.nodes()
    assert questions["id"].tolist() == answers["id"].tolist()
    assert len(questions) == 12
    assert scores.groupby("member")["id"].nunique().to_dict() == {"ensemble": 12, "reader.0": 12}
    assert nodes["node_id"][0] == nodes["document_id"][0]
    assert nodes["page"][0] is pd.NA  # of a document
    assert [str(nodes.dtypes[name]) for name in ("text", "page", "searchable")] == [
        "string[pyarrow]",
        "int32[pyarrow]",
        "bool[pyarrow]",
    ]
    assert tables.experiments()["name"].tolist() == ["theirs"]
    [calls] = tables.ledger().to_dict("records")
    assert (calls["model"], calls["stage"], calls["calls"], calls["input_tokens"]) == ("m", "predictions", 3, 9)


def test_an_open_project_loads_no_dagster_and_without_a_model_no_client_of_one(folder):
    asks = "project = kohaku_lib.open_project('my-project'); project.search('energy'); project.ask('How much energy?')"
    program = f"import kohaku_lib, sys; {asks}; print(not {{'dagster', 'openai'}} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder.parent, capture_output=True, text=True, check=True
    )
    assert done.stdout == "True\n"


def test_a_kohaku_toml_is_taken_for_its_project_and_settings_are_checked(folder, tmp_path):
    with open_project(folder / "kohaku.toml", settings={"retrieval.top_k": 3, "corpus.org_id": "default"}) as kohaku:
        assert len(kohaku.search(QUESTION, top_k=2)) == 2
    with pytest.raises(SettingsError, match=r"retrieval\.top_k"):
        open_project(folder, settings={"retrieval.top_k": "many"})
    with pytest.raises(InputFileError, match="there is no project at 'nowhere'"):
        open_project("nowhere")
    make_project(tmp_path / "new")
    with pytest.raises(StoreError, match=r"there is no index in .*; run 'kohaku refresh'"):
        open_project(tmp_path / "new")
    with pytest.raises(StoreError, match="there is no index in"):
        open_project(folder, settings={"store": str(folder / "empty")})


def test_only_the_named_documents_collections_and_folders_are_searched_and_read(folder):
    with open_project(folder) as kohaku:
        assert {hit.document_id for hit in kohaku.search("energy", 30, documents=["model-card"])} == {"model-card"}
        [context] = kohaku.retrieve(QUESTION, documents=["model-card"])
        assert {snippet.document_id for snippet in context.snippets} == {"model-card"}
        assert kohaku.ask(QUESTION, "kWh", documents=["amber-guide"]).citations == ()
        for wrong in ({"documents": ["nosuch"]}, {"collections": ["nosuch"]}, {"folders": ["nosuch"]}):
            with pytest.raises(InputFileError, match="nosuch"):
                kohaku.ask(QUESTION, **wrong)
        for empty in (kohaku.search, kohaku.ask, lambda text: kohaku.answers([QUESTION, text])):
            with pytest.raises(InputFileError, match="is empty"):
                empty(" ")


def test_a_call_may_ask_for_images_and_the_next_one_is_as_before(folder):
    question = "What does the figure of the machine room show?"
    with OpenAIServer() as server:
        model = {
            "llm.provider": "openai",
            "llm.base_url": server.base_url,
            "answer.by": "model",
            "planner.kind": "rule",
        }
        with open_project(folder, settings=model) as kohaku:
            kohaku.ask(question.replace("show", "tell"), with_images=True)  # an equal prompt is asked once
            kohaku.ask(question, top_k_images=1)
            kohaku.ask(question, top_k_images=1, send_images=True)
            kohaku.ask(question)
            with pytest.raises(SettingsError, match=r"answer\.send_images = true needs retrieval\.top_k_images"):
                kohaku.ask(question, send_images=True)
    beside, captions, [text, *pictures], plain = (request["messages"][-1]["content"] for request in server.requests)
    assert ["Referenced media" in prompt for prompt in (beside, captions, text["text"], plain)] == [True] * 3 + [False]
    assert [picture["type"] for picture in pictures] == ["image_url"]


def test_a_citation_bounds_its_quote_in_the_text_of_its_node(folder):
    with open_project(folder) as kohaku:
        [citation] = kohaku.ask(QUESTION, "kWh").citations
        [context] = kohaku.retrieve([QUESTION])
    [text] = [snippet.text for snippet in context.snippets if snippet.node_id == citation.node_id]
    assert text[citation.char_start : citation.char_end].split() == (citation.quote or "").rstrip(".").split()


def test_threads_share_an_open_project(folder):
    found = []
    with open_project(folder) as kohaku:
        threads = [threading.Thread(target=lambda: found.append(kohaku.ask(QUESTION, "kWh").value)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == ["41800"] * 8


def test_an_open_project_follows_the_published_index(folder):
    with open_project(folder) as kohaku:
        before = kohaku.index_version
        changed = Project(load_settings(overrides=["lexical.k1=0.7"], environment={}, folder=folder))
        assert refresh(changed).failure is None
        assert kohaku.index_version != before
        assert kohaku.ask(QUESTION, "kWh").value == "41800"
