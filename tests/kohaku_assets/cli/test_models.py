"""`kohaku models` finds, tries and chooses models of servers on this machine; `kohaku init` offers them."""

import json
import tomllib

import pytest
from click.testing import CliRunner
from model_servers import ModelServer

from kohaku_assets.cli import main
from kohaku_assets.cli.project.models import keys_at_hand
from kohaku_assets.operations.local_models import choose
from kohaku_lib.llm.servers.local_servers import FoundModel
from kohaku_lib.testing.openai_server import MODEL, OpenAIServer


def port_of(server):
    return server.base_url.split(":")[2].removesuffix("/v1")


def listed(kohaku, *options):
    """Return the models that are listed as JSON; other servers may run on the machine of the test."""
    return json.loads(kohaku("models", *options, "--json").stdout)["models"]


def id_of(kohaku, port, name):
    found = listed(kohaku, "--port", port)
    [its_id] = [one["id"] for one in found if one["name"] == name and port in one["base_url"]]
    return its_id


def test_what_has_taken_the_place_of_a_model_is_not_chosen_for_it(kohaku_checked):
    file = kohaku_checked.project.loaded.file
    before = file.read_text()
    with ModelServer({"/v1/models": {"data": [{"id": "shown"}]}}) as server:
        port = str(server.port)
        its_id = id_of(kohaku_checked, port, "shown")
        server.replies = {"/v1/models": {"data": [{"id": "another"}]}}
        said = kohaku_checked("models", "--port", port, "--choose", its_id, code=2).stderr
    assert f"there is no model '{its_id}'; 'kohaku models' lists the ids" in said
    assert file.read_text() == before


def test_a_model_on_a_given_port_is_listed_and_chosen_and_then_answers(kohaku_checked):
    file = kohaku_checked.project.loaded.file
    with OpenAIServer(reply=lambda request: json.dumps(BLUE)) as server:
        port = port_of(server)
        its_id = id_of(kohaku_checked, port, MODEL)
        assert MODEL in kohaku_checked("models", "--port", port).stdout
        kohaku_checked("models", "--port", port, "--choose", its_id)
        written = tomllib.loads(file.read_text())
        assert (written["answer"]["by"], written["llm"]["provider"]) == ("checked", "openai")
        assert (written["llm"]["base_url"], written["llm"]["model"]) == (server.base_url, MODEL)
        asked = json.loads(kohaku_checked("ask", "How heavy is the blue box?", "--json").stdout)
        assert asked["answered_by"] == MODEL
        assert server.requests[-1]["model"] == MODEL


BLUE = {
    "explanation": "It is stated.",
    "answer": "1.7 litres",
    "answer_value": "1.7",
    "ref_id": ["inventory"],
    "supporting_materials": "The blue kettle in the tea kitchen holds 1.7 litres",
}


def test_a_model_is_tried_with_a_question_over_a_whole_context(kohaku_checked):
    with OpenAIServer(reply=lambda request: json.dumps(BLUE)) as server:
        port = port_of(server)
        its_id = id_of(kohaku_checked, port, MODEL)
        tried = json.loads(kohaku_checked("models", "--port", port, "--test", its_id, "--json").stdout)
        prompt = json.dumps(server.requests[-1])
    assert tried["is_right"]
    assert tried["problem"] is None
    assert 4 * 5_000 < len(prompt) < 4 * 9_000  # about the 6,000 tokens of retrieval.context_tokens


def test_a_slow_model_is_told_with_the_setting_that_makes_it_faster(kohaku_checked, monkeypatch):
    monkeypatch.setattr("kohaku_assets.cli.project.models._PATIENCE_S", 0.0)
    with OpenAIServer(reply=lambda request: json.dumps(BLUE)) as server:
        port = port_of(server)
        its_id = id_of(kohaku_checked, port, MODEL)
        said = kohaku_checked("models", "--port", port, "--test", its_id).stderr
        short = kohaku_checked(
            "models", "--port", port, "--test", its_id, "--set", "retrieval.context_tokens=1200"
        ).stderr
    assert "with retrieval.context_tokens = 1200 the model reads less than the 6000 tokens of now" in said
    assert "context_tokens" not in short


def test_a_server_that_cuts_the_prompt_is_told_of(kohaku_checked):
    def cut(completion):
        completion["usage"]["prompt_tokens"] = 2048

    with OpenAIServer(reply=lambda request: json.dumps(BLUE), adjust=cut) as server:
        port = port_of(server)
        its_id = id_of(kohaku_checked, port, MODEL)
        said = kohaku_checked("models", "--port", port, "--test", its_id).stderr
    assert "the server read 2048 tokens of its prompt and dropped about" in said
    assert "Ollama: num_ctx" in said


def test_a_window_that_the_server_tells_is_written_and_an_embedding_model_embeds(kohaku_checked):
    file = kohaku_checked.project.loaded.file
    replies = {
        "/api/v0/models": {
            "data": [
                {"id": "small-3b", "type": "llm", "loaded_context_length": 8192},
                {"id": "nomic", "type": "embeddings"},
            ]
        }
    }
    with ModelServer(replies) as server:
        port = str(server.port)
        kohaku_checked("models", "--port", port, "--choose", id_of(kohaku_checked, port, "small-3b"))
        said = kohaku_checked("models", "--port", port, "--choose", id_of(kohaku_checked, port, "nomic")).stderr
        tried = kohaku_checked("models", "--port", port, "--test", id_of(kohaku_checked, port, "nomic"), code=2)
    written = tomllib.loads(file.read_text())
    assert written["llm"]["models"]["small-3b"]["context_window"] == 8192
    assert written["embedding"] | {"model": "openai:nomic", "base_url": server.address} == written["embedding"]
    assert "embedded anew" in said
    assert "embeds texts and answers no question" in tried.stderr


def test_the_key_of_the_server_before_is_not_kept_for_the_one_that_is_chosen(tmp_path):
    file = tmp_path / "kohaku.toml"
    file.write_text('[llm]\nprovider = "openrouter"\napi_key_env = "MY_KEY"\n')
    written = choose(file, FoundModel("Ollama", "http://127.0.0.1:11434/v1", "qwen3:8b"))
    assert "api_key_env" not in tomllib.loads(file.read_text())["llm"]
    assert "llm.api_key_env" not in written


def test_a_model_that_is_chosen_is_checked_by_the_reader(tmp_path):
    file = tmp_path / "kohaku.toml"
    file.write_text('[answer]\nby = "reader"\n')
    choose(file, FoundModel("Ollama", "http://127.0.0.1:11434/v1", "qwen3:8b"))
    written = tomllib.loads(file.read_text())
    assert (written["answer"]["by"], written["llm"]["model"]) == ("checked", "qwen3:8b")


@pytest.mark.parametrize("text", ['llm = {provider = "openai"}\n', '[llm]\nmodels = {"x" = {size_b = 3.0}}\n'])
def test_settings_are_written_into_tables_on_one_line_too(text, tmp_path):
    file = tmp_path / "kohaku.toml"
    file.write_text(text)
    choose(file, FoundModel("Ollama", "http://127.0.0.1:11434/v1", "qwen3:8b", None, 8192))
    written = tomllib.loads(file.read_text())["llm"]
    assert (written["model"], written["models"]["qwen3:8b"]["context_window"]) == ("qwen3:8b", 8192)


@pytest.mark.parametrize("is_set", [True, False])
def test_a_key_in_the_environment_is_named_with_its_setting(is_set, monkeypatch, tmp_path):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    if is_set:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test-of-a-key-0123456789")
    assert (("openai", "OPENAI_API_KEY") in keys_at_hand()) is is_set
    said = CliRunner().invoke(main, ["init", str(tmp_path / "project")]).stderr
    assert ("OPENAI_API_KEY holds a key" in said) is is_set
    assert "sk-test" not in said
