"""`kohaku settings` changes, shows and promotes the settings of running assistants."""

import json
import tomllib

from kohaku_lib.conversation import AssistantRequest, open_assistant


def sources(assistant):
    found = assistant.respond(AssistantRequest(message="Who won the chess championship of Iceland in amber?"))
    return len(found.trace["snippets"])


def test_a_runtime_setting_is_shown_promoted_and_dropped(kohaku_checked):
    file = kohaku_checked.project.loaded.file
    kohaku_checked("settings", "--runtime", "retrieval.top_k=12", "--runtime", "rerank.verify=quick")
    shown = json.loads(kohaku_checked("settings", "--json").stdout)
    assert shown["retrieval.top_k"]["value"] == 12
    assert shown["retrieval.top_k"]["from"].startswith("runtime, by ")
    comment = file.read_text().splitlines()[0]
    result = kohaku_checked("settings", "--promote", "retrieval.top_k", "--runtime", "rerank.verify=")
    assert result.stderr == "runtime settings: none\n"
    assert tomllib.loads(file.read_text())["retrieval"]["top_k"] == 12
    assert file.read_text().splitlines()[0] == comment
    shown = json.loads(kohaku_checked("settings", "--json").stdout)
    assert shown["retrieval.top_k"]["from"].startswith("kohaku.toml line ")


def test_a_wrong_runtime_setting_is_one_sentence(kohaku_checked):
    for change, sentence in (
        ("retrieval.top_k", "a change of a setting is KEY=VALUE, got 'retrieval.top_k'"),
        ("embedding.dim=128", "a runtime setting is a number, choice or switch of"),
        ("retrieval.top_k=none", "the setting retrieval.top_k must be"),
    ):
        assert sentence in kohaku_checked("settings", "--runtime", change, code=2).stderr
    assert "has no runtime value" in kohaku_checked("settings", "--promote", "retrieval.top_k", code=2).stderr


def test_without_an_assistant_settings_make_no_database(kohaku_checked):
    kohaku_checked("settings", "--json")
    assert not (kohaku_checked.project.store / "assistant.db").exists()


def test_an_assistant_follows_a_runtime_setting(kohaku_checked):
    with open_assistant(kohaku_checked.project.home) as assistant:
        before = sources(assistant)
    kohaku_checked("settings", "--runtime", "retrieval.top_k_final=1")
    with open_assistant(kohaku_checked.project.home) as assistant:
        assert sources(assistant) < before
