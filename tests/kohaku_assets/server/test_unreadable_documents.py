"""Every route, asked where documents could not be read, hold nothing, wait for the next run, or are gone."""

import pytest
from joined_client import joined_client
from stage_refresh import refresh_stages

from kohaku_assets.pipeline.project import Project
from kohaku_lib.composition import load_settings

QUESTION = "How many bicycles does the ferry carry?"
DOCUMENTS = {"1-failed.pdf": b"no PDF", "2-empty.md": b"", "3-removed.md": b"# Pier\n\nIt is long.\n"}
READ = {"4-read.md": b"# Ferry\n\nThe ferry carries 64 bicycles.\n"}


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    home = tmp_path_factory.mktemp("unreadable")
    (home / "documents").mkdir()
    (home / "kohaku.toml").write_text('store = "store"\n[corpus]\ndocuments = "documents"\n')
    for name, content in (DOCUMENTS | READ).items():
        (home / "documents" / name).write_bytes(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAGSTER_HOME", str(home / "dagster_home"))
        project = Project(load_settings(environment={}, folder=home))
        report = refresh_stages(project)
        assert report.failure is None, report.failure
        (home / "documents" / "3-removed.md").unlink()
        (home / "documents" / "5-pending.md").write_text("# New\n\nNot read yet.\n")
        with joined_client(Project(project.loaded)) as opened:
            yield opened


@pytest.fixture(scope="module")
def document_ids(client):
    """The ids of all documents that the index or the folder has, and what is known of them."""
    states = {row["path"]: row for row in client.get("/v1/documents").json()["documents"]}
    assert {"1-failed.pdf", "2-empty.md", "5-pending.md"} <= set(states)
    return [row["document_id"] or path.rpartition(".")[0] for path, row in states.items()] + ["3-removed"]


def test_no_route_fails_for_a_document_that_cannot_be_shown(client, document_ids):
    paths = client.get("/openapi.json").json()["paths"]
    asked = [path for path, methods in paths.items() if "get" in methods]
    assert len(asked) > 15
    answers = {}
    for path in asked:
        for document_id in document_ids if "{document_id}" in path else [""]:
            values = {"document_id": document_id, "page": "1", "number": "1"}
            address = path
            for name, value in values.items():
                address = address.replace(f"{{{name}}}", value)
            answers[address] = client.get(address).status_code
    assert {address: code for address, code in answers.items() if code >= 500} == {}
    assert answers["/v1/suggestions"] == 200


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/search", {"query": QUESTION}),
        ("/v1/retrieve", {"question": QUESTION}),
        ("/v1/answers", {"question": QUESTION}),
        ("/v1/chat", {"message": QUESTION}),
    ],
)
def test_questions_within_such_documents_are_answered_or_refused(path, body, client, document_ids):
    for document_id in document_ids:
        reply = client.post(path, json=body | {"filter": {"documents": [document_id]}})
        assert reply.status_code < 500, (document_id, reply.text)
    assert client.post(path, json=body).status_code == 200
