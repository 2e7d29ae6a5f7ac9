"""An administrator at this machine has a language model answer that a server on it offers."""

import json
import tomllib

import pytest
from joined_client import joined_client
from model_servers import ModelServer

from kohaku_assets.server.access.keys import open_keys
from kohaku_lib.llm.servers import local_servers
from kohaku_lib.testing.openai_server import MODEL, OpenAIServer

CHOSEN = "/v1/local-models/chosen"
QUESTION = "How much electricity did the whole workshop use in 2023?"
REPLY = {"answer": "41800 kWh", "answer_value": "41800", "ref_id": [1], "supporting_materials": "41,800 kWh"}


@pytest.fixture
def model(monkeypatch):
    """A server of one model, at the only port that is looked at."""
    with OpenAIServer(reply=lambda request: json.dumps(REPLY)) as server:
        port = int(server.base_url.split(":")[2].removesuffix("/v1"))
        monkeypatch.setattr(local_servers, "PORTS", (port,))
        yield server


def choose(client, offered, **headers):
    named = {key: offered[key] for key in ("name", "base_url", "digest")}
    return client.put(CHOSEN, json=named, headers=headers)


def test_the_model_that_is_chosen_answers_the_next_question_and_stands_in_the_file(fresh, model):
    project = fresh("llm.max_tokens=300")
    with joined_client(project) as client:
        assert client.get("/v1/me").json()["may_choose_model"]
        before = client.post("/v1/answers", json={"question": QUESTION}).json()
        [offered] = client.get("/v1/local-models").json()["models"]
        assert (offered["name"], offered["base_url"]) == (MODEL, model.base_url)
        assert choose(client, offered).json()["settings"]["llm.model"] == MODEL
        assert not client.get("/v1/me").json()["may_choose_model"]
        after = client.post("/v1/answers", json={"question": QUESTION}).json()
    assert (before["answer_value"], after["answer_value"]) == ("41800", "41800")
    [asked] = [request for request in model.requests if "<excerpts>" in request["messages"][-1]["content"]]
    assert (asked["model"], asked["max_tokens"]) == (MODEL, 300)  # what was set by --set stays
    written = tomllib.loads(project.loaded.file.read_text())
    assert (written["llm"]["base_url"], written["answer"]["by"]) == (model.base_url, "checked")


def test_a_model_is_tried_on_a_question_and_nothing_is_written(fresh, model):
    project = fresh()
    text = project.loaded.file.read_text()
    with joined_client(project) as client:
        [offered] = client.get("/v1/local-models").json()["models"]
        trial = {key: offered[key] for key in ("name", "base_url", "digest")} | {"question": QUESTION}
        tried = client.post("/v1/local-models/tried", json=trial).json()
        other = client.post("/v1/local-models/tried", json={**trial, "digest": "0" * 64})
        after = client.post("/v1/answers", json={"question": QUESTION}).json()
        assert client.get("/v1/me").json()["local_model"] is None
    assert (tried["answer_value"], tried["answered_by"]) == ("41800", MODEL)
    assert (other.status_code, after["answered_by"]) == (409, "the built-in reader")
    assert project.loaded.file.read_text() == text


def test_the_built_in_reader_answers_again_as_before(fresh, model):
    project = fresh()
    before = tomllib.loads(project.loaded.file.read_text())
    with joined_client(project) as client:
        [offered] = client.get("/v1/local-models").json()["models"]
        choose(client, offered)
        assert client.get("/v1/me").json()["local_model"] == MODEL
        assert client.post("/v1/answers", json={"question": QUESTION}).json()["answered_by"] == MODEL
        assert client.delete(CHOSEN).status_code == 204
        me = client.get("/v1/me").json()
        after = client.post("/v1/answers", json={"question": QUESTION}).json()
    assert (me["local_model"], me["may_choose_model"], after["answered_by"]) == (None, True, "the built-in reader")
    written = tomllib.loads(project.loaded.file.read_text())
    assert {name: table for name, table in written.items() if table and name != "llm"} == before
    assert set(written["llm"]) <= {"models"}  # how much the model reads is known, should it be chosen again


def test_a_model_that_is_given_otherwise_is_not_taken_out(fresh, model):
    given = ("answer.by=checked", "llm.provider=openai", f"llm.base_url={model.base_url}", f"llm.model={MODEL}")
    project = fresh(*given)
    text = project.loaded.file.read_text()
    with joined_client(project) as client:
        refused = client.delete(CHOSEN)
    assert (refused.status_code, project.loaded.file.read_text()) == (409, text)
    assert refused.json()["detail"].startswith("--set or an environment variable says what answers;")


def test_what_has_taken_the_place_of_a_model_is_not_chosen_for_it(fresh, monkeypatch):
    project = fresh()
    text = project.loaded.file.read_text()
    shown, other = {"/v1/models": {"data": [{"id": "shown"}]}}, {"/v1/models": {"data": [{"id": "other"}]}}
    with ModelServer(shown) as server, ModelServer({}) as beside, joined_client(project) as client:
        monkeypatch.setattr(local_servers, "PORTS", (beside.port, server.port))
        [offered] = client.get("/v1/local-models").json()["models"]
        beside.replies = other
        client.get("/v1/local-models")  # somebody else lists, and finds another model in the first place
        server.replies, server.asked[:], beside.asked[:] = other, [], []
        refused = choose(client, offered)
        unknown = choose(client, {**offered, "base_url": f"http://127.0.0.1:{beside.port}/v1/../x"})
        assert (beside.asked, "GET /v1/models" in server.asked) == ([], True)  # that address alone was looked at
        assert project.loaded.file.read_text() == text
        server.replies = shown
        assert choose(client, offered).json()["settings"]["llm.base_url"] == server.address
    assert (refused.status_code, unknown.status_code) == (409, 409)
    assert refused.json()["detail"] == f"'shown' at '{server.address}' is not what was listed; list the models again"


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP"])
def test_what_a_proxy_passed_on_is_not_at_this_machine(fresh, model, header):
    project = fresh()
    text, passed_on = project.loaded.file.read_text(), {header: "203.0.113.9"}
    with joined_client(project) as client:
        [offered] = client.get("/v1/local-models").json()["models"]
        refused = client.get("/v1/me", headers=passed_on)  # there is no key yet
    with open_keys(project.store, project.settings.assistant.database) as keys:
        key = keys.add("wiki", project.settings.corpus.org_id, "admin")
    with joined_client(project, key) as client:
        assert client.get("/v1/me").json()["may_choose_model"]
        assert not client.get("/v1/me", headers=passed_on).json()["may_choose_model"]
        trial = {**offered, "question": QUESTION}
        refusals = [
            client.get("/v1/local-models", headers=passed_on),
            choose(client, offered, **passed_on),
            client.post("/v1/local-models/tried", json=trial, headers=passed_on),
            client.delete(CHOSEN, headers=passed_on),
        ]
    assert refused.status_code == 401
    assert refused.json()["detail"].startswith(
        "a proxy passed this on, and without a key only this machine is answered;"
    )
    assert [one.status_code for one in refusals] == [403] * 4
    assert refusals[0].json()["detail"].startswith("models are found and chosen at this machine alone, not by a proxy;")
    assert project.loaded.file.read_text() == text


@pytest.mark.parametrize(("role", "is_loopback"), [("editor", True), ("admin", False)])
def test_only_an_administrator_of_a_server_that_others_do_not_reach_finds_models(fresh, model, role, is_loopback):
    project = fresh()
    with open_keys(project.store, project.settings.assistant.database) as keys:
        key = keys.add("wiki", project.settings.corpus.org_id, role)
    with joined_client(project, key, is_loopback=is_loopback) as client:
        assert client.get("/v1/local-models").status_code == 403
        assert (
            client.put(CHOSEN, json={"name": MODEL, "base_url": model.base_url, "digest": "0" * 64}).status_code == 403
        )
        assert not client.get("/v1/me").json()["may_choose_model"]
    assert model.requests == []
