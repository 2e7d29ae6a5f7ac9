"""An administrator at this machine has a language model answer that a server on it offers."""

import json
import tomllib

import pytest
from joined_client import joined_client

from kohaku_assets.server.access.keys import open_keys
from kohaku_lib.llm.servers import local_servers
from kohaku_lib.testing.openai_server import MODEL, OpenAIServer

QUESTION = "How much electricity did the machine room use in 2023?"
REPLY = {"answer": "29260 kWh", "answer_value": "29260", "ref_id": [1], "supporting_materials": "29,260 kWh"}


@pytest.fixture
def model(monkeypatch):
    """A server of one model, at the only port that is looked at."""
    with OpenAIServer(reply=lambda request: json.dumps(REPLY)) as server:
        port = int(server.base_url.split(":")[2].removesuffix("/v1"))
        monkeypatch.setattr(local_servers, "PORTS", (port,))
        yield server


def test_the_model_that_is_chosen_answers_the_next_question_and_stands_in_the_file(fresh, model):
    project = fresh("llm.max_tokens=300")
    with joined_client(project) as client:
        assert client.get("/v1/me").json()["may_choose_model"]
        before = client.post("/v1/answers", json={"question": QUESTION}).json()
        [offered] = client.get("/v1/local-models").json()["models"]
        assert (offered["number"], offered["name"], offered["base_url"]) == (1, MODEL, model.base_url)
        assert client.put("/v1/local-models/1").json()["settings"]["llm.model"] == MODEL
        assert not client.get("/v1/me").json()["may_choose_model"]
        after = client.post("/v1/answers", json={"question": QUESTION}).json()
    assert (before["answer_value"], after["answer_value"]) == ("29260", "29260")
    [asked] = [request for request in model.requests if "<excerpts>" in request["messages"][-1]["content"]]
    assert (asked["model"], asked["max_tokens"]) == (MODEL, 300)  # what was set by --set stays
    written = tomllib.loads(project.loaded.file.read_text())
    assert (written["llm"]["base_url"], written["answer"]["by"]) == (model.base_url, "model")


def test_a_number_that_was_not_listed_is_refused_and_nothing_is_written(fresh, model):
    project = fresh()
    text = project.loaded.file.read_text()
    with joined_client(project) as client:
        assert client.put("/v1/local-models/1").status_code == 404
        client.get("/v1/local-models")
        assert client.put("/v1/local-models/2").json()["detail"] == "there is no model 2; 1 were found"
    assert project.loaded.file.read_text() == text


@pytest.mark.parametrize(("role", "is_loopback"), [("editor", True), ("admin", False)])
def test_only_an_administrator_of_a_server_that_others_do_not_reach_finds_models(fresh, model, role, is_loopback):
    project = fresh()
    with open_keys(project.store, project.settings.assistant.database) as keys:
        key = keys.add("wiki", project.settings.corpus.org_id, role)
    with joined_client(project, key, is_loopback=is_loopback) as client:
        assert client.get("/v1/local-models").status_code == 403
        assert client.put("/v1/local-models/1").status_code == 403
        assert not client.get("/v1/me").json()["may_choose_model"]
    assert model.requests == []
