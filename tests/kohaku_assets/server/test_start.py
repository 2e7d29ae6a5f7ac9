"""What the start of the page asks for: questions that are answered, and what has been read; of each organisation its own."""

import pytest
from joined_client import joined_client
from organisations import three_organisations

from kohaku_assets.server.access.keys import open_keys
from kohaku_assets.server.german import in_german
from kohaku_assets.server.routes.page import documents_overview


def test_three_questions_are_suggested_that_different_documents_answer(client):
    questions = client.get("/v1/suggestions").json()["questions"]
    answers = [client.post("/v1/answers", json={"question": one}).json() for one in questions]
    assert [one["outcome"] for one in answers].count("silent") == 0
    assert len({one["citations"][0]["document_id"] for one in answers if one["citations"]}) == len(questions) == 3


def test_the_overview_counts_documents_pages_and_languages(client):
    told = client.get("/v1/overview").json()
    assert told == {"documents": 4, "pages": 3, "languages": ["en"], "unread": 0, "reasons": []}


@pytest.mark.parametrize(
    ("errors", "reasons"),
    [
        (
            ["'a.pdf' is empty", "'b c.pdf' is empty", "'d.pdf' has no pages"],
            [("is empty", 2, True), ("has no pages", 1, True)],
        ),
        ([None], [("needs_ocr", 1, True)]),
        (["it contains no document"], [("it contains no document", 1, False)]),
    ],
)
def test_the_reasons_are_counted_without_the_names_of_files(errors, reasons):
    rows = [{"status": "needs_ocr", "pages": 2, "metadata_json": "{}", "error": one} for one in errors]
    told = documents_overview(rows)
    assert (told["documents"], told["pages"], told["unread"]) == (0, 0, len(errors))
    assert [(one["reason"], one["count"], one["of_file"]) for one in told["reasons"]] == reasons


def test_the_reasons_are_told_in_german_without_the_names_of_files():
    error = "'a.pdf' is encrypted and needs a password; save a copy without one"
    rows = [{"status": "failed", "pages": None, "metadata_json": "{}", "error": error}]
    [reason] = documents_overview(rows, in_german)["reasons"]
    assert reason["of_file"]
    assert reason["reason"] == "ist verschlüsselt und braucht ein Passwort; speichern Sie eine Kopie ohne Passwort"


def test_an_organisation_is_suggested_and_told_only_what_is_its_own(tmp_path):
    org_ids = ("acme", "bolt")
    project = three_organisations(tmp_path, org_ids)
    kept = project.files.latest_table("suggested_questions").to_pylist()
    with open_keys(project.store, project.settings.assistant.database) as keys:
        key_of = {org_id: keys.add("wiki", org_id, "reader") for org_id in org_ids}
    with joined_client(project, is_ready=True) as client:
        for org_id in org_ids:
            headers = {"Authorization": f"Bearer {key_of[org_id]}"}
            own = {one["document_id"] for one in client.get("/v1/documents", headers=headers).json()["documents"]}
            told = client.get("/v1/overview", headers=headers).json()
            assert told["documents"] + told["unread"] == len(own)
            questions = client.get("/v1/suggestions", headers=headers).json()["questions"]
            assert questions
            assert questions == [row["question"] for row in kept if row["org_id"] == org_id][:3]
            for question in questions:
                answer = client.post("/v1/answers", json={"question": question}, headers=headers).json()
                assert {one["document_id"] for one in (*answer["citations"], *answer["passages"])} <= own
