"""With a chat model, questions about the documents as such are answered from what the documents are."""

import os
import re

import pytest

from kohaku_lib.conversation import AssistantRequest, open_assistant
from kohaku_lib.prompts import documents_overview
from kohaku_lib.testing.openai_server import OpenAIServer, prompt_of

ABOUT = documents_overview.SYSTEM[:40]


def is_about(request):
    return request["messages"][0]["content"].startswith(ABOUT)


def model_of(say):
    """Return a server that finds nothing in passages, and says of the documents what `say` makes of the prompt."""
    return OpenAIServer(
        reply=lambda request: say(prompt_of(request)) if is_about(request) else "The sources do not say."
    )


def chatting(home, server):
    settings = {
        "answer.by": "model",
        "llm.provider": "openai",
        "llm.base_url": server.base_url,
        "llm.model": "m-8b",
        "llm.call_retries": 0,
    }
    return open_assistant(home, settings=settings)


def number_of(prompt, file):
    return re.search(rf"\[Source (\d+): [^\]]*\] Document \d+ of \d+: {re.escape(file)}", prompt)[1]


def test_which_documents_there_are_is_told_with_each_as_a_source(fresh):
    def say(prompt):
        files = re.findall(r"\[Source (\d+): [^\]]*\] Document \d+ of \d+: ([^;\n]+);", prompt)
        return "\n".join(f"- {file} [Source {number}]" for number, file in files)

    with model_of(say) as server, chatting(fresh().home, server) as assistant:
        response = assistant.respond(AssistantRequest(message="What documents do you have?"))
    assert response.is_answer
    cited = {source.document_name for source in response.sources if source.cited}
    assert {"kohaku-energy-report.pdf", "amber-guide.md", "model-card.md"} <= cited
    assert "The documents do not say." not in response.content


def test_a_document_that_is_named_comes_first_with_its_headings_and_the_day_of_its_change(fresh):
    asked = []

    def say(prompt):
        asked.append(prompt)
        return f"It tells how amber is found [Source {number_of(prompt, 'amber-guide.md')}]."

    with model_of(say) as server:
        project = fresh()
        os.utime(project.settings.corpus.documents / "amber-guide.md", (1_700_000_000, 1_700_000_000))
        with chatting(project.home, server) as assistant:
            response = assistant.respond(AssistantRequest(message="What is the amber guide about?"))
    [prompt] = asked
    first = prompt.partition("[Source 2")[0]
    assert re.search(r"Document 1 of \d+: amber-guide\.md; .*changed on 2023-11-14\.\n", first)
    assert [source.document_id for source in response.sources] == ["amber-guide"]


@pytest.mark.parametrize("reply", ["NONE", "I am not sure.", "They are many [Source 999]."])
def test_without_a_source_the_answer_stays_as_it_was(fresh, reply):
    with model_of(lambda prompt: reply) as server:
        with chatting(fresh().home, server) as assistant:
            response = assistant.respond(AssistantRequest(message="Who won the chess championship of Iceland?"))
        assert sum(map(is_about, server.requests)) == 1
    assert not response.is_answer
    assert reply not in response.content


def test_only_documents_that_are_asked_are_told_of(fresh):
    asked = []
    with model_of(lambda prompt: asked.append(prompt) or "NONE") as server, chatting(fresh().home, server) as assistant:
        assistant.respond(AssistantRequest(message="What documents do you have?", document_ids=("amber-guide",)))
    assert re.findall(r"Document \d+ of (\d+): ([^;\n]+);", asked[0]) == [("1", "amber-guide.md")]


def test_a_model_that_fails_there_leaves_the_answer_as_it_was(fresh):
    said = {"kind": "ok", "text": "The sources do not say."}
    with OpenAIServer(reply=lambda request: "The sources do not say.") as server:
        with chatting(fresh().home, server) as assistant:
            before = assistant.respond(AssistantRequest(message="Who won the chess championship of Iceland?"))
            asked = len(server.requests)
            server.faults = [said] * (asked - 1) + [{"kind": "status", "status": 400, "message": "no"}]
            after = assistant.respond(AssistantRequest(message="Who won the chess championship of Norway?"))
        assert [is_about(request) for request in server.requests] == [*[False] * (asked - 1), True] * 2
    assert (before.is_answer, after.is_answer) == (False, False)
