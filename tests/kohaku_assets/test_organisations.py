"""Three organisations in one store: each is answered from its own documents, and told nothing of the others."""

import pytest
from click.testing import CliRunner
from organisations import NAMES, SECRETS, copied_organisations, leaked
from tenant_requests import WEIGHTS, make_requests

from kohaku_assets.cli import main
from kohaku_lib.conversation import AssistantRequest, RequestError, open_assistant
from kohaku_lib.errors import SettingsError

QUESTION = "How many kWh did the ferry use in 2022?"
TOP_K = "retrieval.top_k_final"
ANSWERS = {"acme": "12200", "bolt": "22200", "cobb": "32200"}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    home = tmp_path_factory.mktemp("organisations")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAGSTER_HOME", str(home / "dagster_home"))
        yield copied_organisations(home, tmp_path_factory)


@pytest.fixture(scope="module")
def assistant(project):
    with open_assistant(project.home) as opened:
        yield opened


def ask(assistant, org_id, message=QUESTION, **choices):
    return assistant.respond(AssistantRequest(message=message, org_id=org_id, **choices))


@pytest.mark.slow
def test_random_requests_of_three_organisations_leak_nothing(project):
    findings = make_requests(project, 300)
    assert findings.leaks == []
    assert findings.made.keys() == WEIGHTS.keys()
    telling = {"chat", "search_tool", "search_channel", "inspect", "chat_by_model", "map", "served", "views"}
    assert {kind for kind, number in findings.told.items() if number} == telling
    assert findings.refused["chat"] > 0  # sessions and folders of others


def test_each_organisation_gets_the_value_of_its_own_documents(assistant):
    for _ in range(2):  # the second time from the cache
        for org_id, value in ANSWERS.items():
            response = ask(assistant, org_id)
            assert value in response.content
            owners = [
                source.document_id.split("/") for source in response.sources
            ]  # ids of acme, whose store it is, are bare
            assert {first if rest else "acme" for first, *rest in owners} == {org_id}
    assert assistant.cache_counts.exact >= len(ANSWERS)


@pytest.mark.parametrize(
    ("org_id", "sentence"),
    [
        (None, "the documents are of organisations; name yours in org_id"),
        ("", "name yours in org_id"),
        ("doe", "there are no documents of the organisation 'doe' here; correct org_id"),
    ],
)
def test_a_request_without_an_organisation_of_the_store_is_refused(assistant, org_id, sentence):
    with pytest.raises(RequestError, match=sentence):
        ask(assistant, org_id)
    with pytest.raises(RequestError, match="org_id"):
        assistant.search_knowledge_base(QUESTION, org_id)
    with pytest.raises(RequestError, match="org_id"):
        assistant.served_questions(org_id)


def test_sessions_and_answers_are_their_organisations_own(assistant):
    response = ask(assistant, "acme", "Who maintains the ferry?")
    with pytest.raises(RequestError, match="belongs to another user"):
        ask(assistant, "bolt", "And the furnace?", session_id=response.session_id)
    with pytest.raises(RequestError, match="belongs to another user"):
        assistant.session_settings(response.session_id, {}, org_id="bolt")
    with pytest.raises(RequestError, match="there is no answer"):
        assistant.give_feedback(response.answer_id, 1, org_id="bolt")
    assistant.give_feedback(response.answer_id, 1, org_id="acme")
    assert response.answer_id not in assistant.served_questions("bolt").column("answer_id").to_pylist()


def test_settings_of_the_request_go_before_the_session_the_organisation_all_and_the_level(project, monkeypatch):
    monkeypatch.chdir(project.home)

    def told(*arguments):
        result = CliRunner().invoke(main, ["settings", *arguments])
        assert result.exit_code == 0, result.output
        return result

    def found(session_id=None, **choices):
        with open_assistant(project.home) as assistant:
            message = "List all figures of the ferry"
            return ask(assistant, "bolt", message, session_id=session_id, **choices).trace["settings"]

    told("--runtime", "retrieval.top_k_final=5", "--runtime", "rerank.verify=quick")
    told("--org", "bolt", "--runtime", "retrieval.top_k_final=4")
    told("--org", "acme", "--runtime", "retrieval.top_k_final=3")
    with open_assistant(project.home) as assistant:
        kept = assistant.session_settings("s1", {"retrieval.top_k_final": 2}, org_id="bolt")
    assert kept == {"retrieval.top_k_final": 2}
    level = found(intelligence_level="basic")
    assert (level[TOP_K], level["rerank.verify"]) == (4, "quick")
    session = found("s1", intelligence_level="basic", enable_verification=False)
    assert (session[TOP_K], session["rerank.verify"]) == (2, "none")
    assert "organisation 'bolt', by " in told("--org", "bolt", "--json").stdout
    for org_id in ("bolt", "acme"):
        told("--org", org_id, "--runtime", "retrieval.top_k_final=")
    assert found(intelligence_level="basic")[TOP_K] == 5
    told("--runtime", "retrieval.top_k_final=", "--runtime", "rerank.verify=")


def test_a_wrong_setting_of_a_session_is_refused(assistant):
    with pytest.raises(SettingsError, match="a runtime setting is a number, choice or switch of"):
        assistant.session_settings("s2", {"embedding.model": "minilm"}, org_id="acme")
    with pytest.raises(SettingsError, match=r"retrieval\.top_k must be"):
        assistant.session_settings("s2", {"retrieval.top_k": 0}, org_id="acme")


def test_the_command_line_asks_for_an_organisation(project, monkeypatch):
    monkeypatch.chdir(project.home)
    messages = f"/set retrieval.top_k_final=5\n{QUESTION}\n/right 9 kWh\n"
    result = CliRunner().invoke(main, ["chat", "--org", "cobb", "--json"], input=messages)
    assert result.exit_code == 0, result.output
    assert "settings of this session: retrieval.top_k_final = 5" in result.stderr
    assert ANSWERS["cobb"] in result.stdout
    assert SECRETS["cobb"] in result.stdout
    assert leaked("cobb", result.output) == []
    refused = CliRunner().invoke(main, ["chat"], input=QUESTION)
    assert refused.exit_code == 2
    assert "name yours in org_id" in refused.output
    assert set(NAMES) == set(ANSWERS)
