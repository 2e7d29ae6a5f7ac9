"""Conversations over small documents: follow-ups are answered about what they ask for, and about nothing else."""

import pytest

from kohaku_assets.operations.refresh import refresh
from kohaku_assets.pipeline.project import Project
from kohaku_lib.composition import load_settings
from kohaku_lib.conversation import AssistantRequest, open_assistant
from kohaku_lib.testing.openai_server import OpenAIServer, prompt_of

COURSES = """# Language courses

## A1

The A1 course costs 240 EUR. It is taught by Jean Fabre.
The A1 course in Paris starts on 1 September 2026, the one in Lyon on 8 September 2026.

## B1

The B1 course costs 310 EUR. It is taught by Marta Solberg.
The B1 course in Paris starts on 3 September 2026, the one in Lyon on 10 September 2026.
"""
GUARANTEE = "# Audio guides\n\nThe guarantee on audio guides is 24 months. It covers broken headphones.\n"
SALES = """Year,Region,Revenue (EUR),Employees
2022,North,135000,14
2023,North,150000,15
2022,South,99000,10
2023,South,110000,11
"""
# message, what stands in the response, whether it answers (None: nothing was searched for)
TALKS = [
    [
        ("What does the A1 course cost?", "240", True),
        ("And B1?", "310", True),
        ("Who teaches it?", "Marta Solberg", True),
        ("When does it start?", "3 September 2026", True),
        ("And in Lyon?", "10 September 2026", True),
        ("Thanks!", "You're welcome.", None),
        ("What does the swimming course cost?", "do not say", False),
        ("yes", "What would you like to know?", None),
        ("no, I meant the A1 course", "240", True),
        ("And the price?", "240", True),  # of the A1 course
        ("Who teaches it?", "Jean Fabre", True),
        ("vacation policy", "do not say", False),
        ("And B1?", "Marta Solberg", True),
    ],
    [
        ("What was the revenue of the North region in 2022?", "135000", True),
        ("and in 2023?", "150000", True),
        ("And the South region?", "110000", True),
        ("How many employees did it have?", "11", True),  # in 2023, not the 10 of 2022
        ("and in 2020?", "do not say", False),
        ("How long is the guarantee on audio guides?", "24", True),
        ("and what does it cover?", "broken headphones", True),
        ("Danke!", "Gern geschehen.", None),
    ],
]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("conversations")
    (folder / "documents").mkdir()
    (folder / "kohaku.toml").write_text('store = "store"\n[corpus]\ndocuments = "documents"\n')
    for name, text in {"courses.md": COURSES, "guides.md": GUARANTEE, "sales.csv": SALES}.items():
        (folder / "documents" / name).write_text(text)
    report = refresh(Project(load_settings(folder=folder, environment={}), folder), ["published_index"])
    assert report.failure is None, report.failure
    return folder


@pytest.mark.parametrize("talk", TALKS)
def test_a_conversation_is_answered_about_what_each_message_asks_for(home, talk):
    session_id = None
    with open_assistant(home) as assistant:
        for message, said, answers in talk:
            response = assistant.respond(AssistantRequest(message=message, session_id=session_id))
            session_id = response.session_id
            assert said in response.content.replace(",", ""), response.question
            assert (response.answer and response.answer.outcome != "silent") == answers, response.question
            assert bool(response.sources) == (answers is not None)


def test_a_chat_model_gets_the_passages_of_both_questions_and_no_complete_one_to_rewrite(home):
    llm = {
        "llm.provider": "openai",
        "answer.by": "model",
        "llm.model": "big-70b",
        "llm.call_retries": 0,
        "planner.kind": "rule",
    }
    said = "The B1 course is taught by Marta Solberg [1]. The B1 course costs 310 EUR [1]."
    with OpenAIServer(reply=lambda request: said) as server:
        with open_assistant(home, settings={**llm, "llm.base_url": server.base_url}) as assistant:
            session_id = assistant.respond(AssistantRequest(message="Who teaches the B1 course?")).session_id
            for message in ("And the price?", "What does the A1 course cost?", "Thanks!"):
                last = assistant.respond(AssistantRequest(message=message, session_id=session_id))
        prompts = list(map(prompt_of, server.requests))
    assert not any("Last question:" in prompt for prompt in prompts)
    assert "The B1 course costs 310 EUR." in prompts[1]
    assert last.content == "You're welcome."
