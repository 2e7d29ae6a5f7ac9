"""Documents over HTTP: uploaded until searchable, shown as text and pages, deleted, refused."""

import base64
import io
import shutil
import time

import pytest
from joined_client import joined_client
from mails import mail
from PIL import Image

from kohaku_assets.pipeline.project import Project
from kohaku_assets.server.problems import Problem
from kohaku_assets.server.uploads import safe_name
from kohaku_lib.composition import load_settings

NOTES = b"# Ferry times\n\nThe ferry to Nida leaves at 9:40 in the morning and carries 64 bicycles.\n"


@pytest.fixture(scope="module")
def edited(built, tmp_path_factory):
    """A copy of the built sample with a module that fails the run that imports it."""
    folder = shutil.copytree(built[0].home, tmp_path_factory.mktemp("edited") / "copy")
    (folder / "pyarrow.py").write_text("raise RuntimeError('a module of the project')\n")
    return folder


@pytest.fixture(scope="module")
def editor(edited):
    """A client of a server whose documents these tests change."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAGSTER_HOME", str(edited / "dagster_home"))
        with joined_client(opened(edited)) as client:
            yield client


def opened(folder):
    return Project(load_settings(environment={}, folder=folder))


def ended(client, run):
    for _ in range(600):
        run = client.get(f"/v1/runs/{run['run_id']}").json()
        if run["status"] not in ("queued", "running"):
            return run
        time.sleep(0.2)
    raise AssertionError(run)


def by_path(client):
    return {row["path"]: row for row in client.get("/v1/documents").json()["documents"]}


def test_the_documents_are_listed_with_their_states(client):
    rows = client.get("/v1/documents").json()
    assert rows["may_upload"]
    [report] = [row for row in rows["documents"] if row["document_id"] == "kohaku-energy-report"]
    assert (report["status"], report["indexed"], report["reason"]) == ("parsed", True, None)
    assert (report["collection"], report["is_left_out"]) == (None, False)
    assert report["size_bytes"] > 1000
    assert report["modified_at"].startswith("20")


def test_a_project_without_documents_lists_none(tmp_path):
    (tmp_path / "documents").mkdir()
    (tmp_path / "kohaku.toml").write_text('[corpus]\ndocuments = "documents"\n')
    with joined_client(opened(tmp_path)) as client:
        told = client.get("/v1/documents").json()
    assert (told["documents"], told["may_upload"]) == ([], True)


def test_a_document_is_shown_as_text(client):
    parts = client.get("/v1/documents/kohaku-energy-report/text").json()["parts"]
    assert any(part["kind"] == "section" for part in parts)
    assert any("29,260 kWh" in part["text"] for part in parts)


def test_a_page_is_an_image_with_the_box_of_a_node_on_its_words(client):
    [match] = client.post("/v1/search", json={"query": "29,260 kWh machine room", "top_k": 1}).json()["matches"]
    page = client.get(f"/v1/documents/kohaku-energy-report/pages/1?node={match['node_id']}").json()
    image = Image.open(io.BytesIO(base64.b64decode(page["webp_base64"])))
    assert image.width / image.height == pytest.approx(page["width"] / page["height"], rel=0.01)
    [(x0, y0, x1, y1)] = page["boxes"]
    assert 0 < x0 < x1 < page["width"]
    assert 0 < y0 < y1 < page["height"]
    alone = client.get("/v1/documents/kohaku-energy-report/pages/1/image")
    assert (alone.headers["content-type"], alone.content) == ("image/webp", base64.b64decode(page["webp_base64"]))


def test_a_page_has_the_boxes_of_the_lines_of_a_quote(client):
    parts = client.get("/v1/documents/kohaku-energy-report/text").json()["parts"]
    [node] = [part for part in parts if part["kind"] == "paragraph" and "41,800 kWh" in part["text"]][:1]
    start = node["text"].index("41,800 kWh")
    path = "/v1/documents/kohaku-energy-report/pages/1"
    whole, lines = (
        client.get(path, params={"node": node["node_id"], **span}).json()["boxes"]
        for span in ({}, {"start": start, "end": start + 10})
    )
    [(x0, y0, x1, y1)], [(left, top, right, bottom)] = whole, lines
    assert x0 - 1 <= left < right <= x1 + 1
    assert (y1 - y0) > 1.5 * (bottom - top)
    unknown = client.get(path, params={"node": node["node_id"], "start": 10**6, "end": 10**6 + 1}).json()["boxes"]
    assert unknown == whole


def test_a_document_tells_what_it_is_and_how_deep_its_headings_are(client):
    found = client.get("/v1/documents/model-card/text").json()
    assert (found["name"], found["has_page_images"], found["attachments"], found["attached_to"]) == (
        "model-card.md",
        False,
        [],
        None,
    )
    assert found["modified_at"].startswith("20")
    levels = {part["level"] for part in found["parts"] if part["kind"] == "section"}
    assert min(levels) == 1
    assert {part["level"] for part in found["parts"] if part["kind"] == "paragraph"} == {None}
    assert client.get("/v1/documents/kohaku-energy-report/text").json()["has_page_images"]


def test_a_file_is_downloaded_and_nothing_of_it_runs(client, built):
    reply = client.get("/v1/documents/model-card/file")
    path = built[0].settings.corpus.documents / "model-card.md"
    assert reply.content == path.read_bytes()
    assert reply.headers["content-disposition"] == 'attachment; filename="model-card.md"'
    assert reply.headers["content-security-policy"] == "sandbox"
    assert client.get("/v1/documents/nothing/file").status_code == 404


def test_the_figures_of_a_document_are_listed_and_shown(client):
    [figure] = client.get("/v1/documents/kohaku-energy-report/figures").json()["figures"]
    assert (figure["page"], figure["number"], figure["mime_type"]) == (3, 1, "image/webp")
    assert figure["page_caption"].startswith("Figure 1: Electricity of the machine room by quarter")
    shown = client.get("/v1/documents/kohaku-energy-report/figures/3/1")
    image = Image.open(io.BytesIO(shown.content))
    assert (shown.headers["content-type"], image.size) == ("image/webp", (figure["width"], figure["height"]))
    assert client.get("/v1/documents/amber-guide/figures").json()["figures"] == []


@pytest.mark.parametrize(
    "path",
    [
        "kohaku-energy-report/pages/99",
        "kohaku-energy-report/figures/3/2",
        "none/figures",
        "amber-guide/pages/1",
        "none/text",
        "..%2F..%2Fkohaku.toml/pages/1",
        "%2e%2e/text",
    ],
)
def test_what_has_no_page_or_is_unknown_is_not_found(client, path):
    assert client.get(f"/v1/documents/{path}").status_code == 404


def test_an_upload_becomes_searchable_and_a_deletion_ends_that(edited, editor):
    uploaded = editor.post(
        "/v1/documents", files=[("file", ("ferry.md", NOTES)), ("file", ("broken.pdf", b"%PDF-1.7 no"))]
    )
    assert uploaded.status_code == 201
    assert uploaded.json()["files"] == ["ferry.md", "broken.pdf"]
    run = ended(editor, uploaded.json()["run"])
    assert run["status"] == "succeeded", run["messages"]  # it imports no module of the project's folder
    assert (edited / "pyarrow.py").is_file()
    assert "vector_tables" in run["stages"]
    assert run["started_at"] < run["searchable_at"] < run["ended_at"]  # questions are tried after it can be asked
    rows = by_path(editor)
    assert (rows["ferry.md"]["status"], rows["ferry.md"]["indexed"]) == ("parsed", True)
    assert (rows["broken.pdf"]["status"], bool(rows["broken.pdf"]["reason"])) == ("failed", True)
    answer = editor.post("/v1/chat", json={"message": "How many bicycles does the ferry to Nida carry?"}).json()
    assert "64" in answer["content"]
    assert (rows["ferry.md"]["is_upload"], rows["amber-guide.md"]["is_upload"]) == (True, False)
    newest = editor.get("/v1/documents/changes").json()["changes"][0]
    assert (set(newest["added"]) - {"broken"}, newest["changed"], newest["removed"]) == ({"ferry"}, [], [])
    deleted = editor.delete("/v1/documents/ferry").json()
    assert deleted["removed"] == "trash"
    ended(editor, deleted["run"])
    assert "ferry.md" not in by_path(editor)
    assert editor.get("/v1/documents/ferry").status_code == 404
    assert editor.delete("/v1/documents/ferry").status_code == 404


@pytest.mark.parametrize(
    ("name", "status"),
    [("notes.exe", 415), ("amber-guide.md", 409), (".hidden.md", 400), ("x" * 300 + ".md", 400)],
)
def test_files_that_cannot_be_documents_are_refused(client, name, status):
    assert client.post("/v1/documents", files={"file": (name, NOTES)}).status_code == status


def test_each_file_of_an_upload_is_decided_by_itself(editor, edited):
    folder = edited / "data" / "sample" / "documents"
    names = ("pier 1.md", "logo.xyz", "amber-guide.md", "pier 2.md")
    sent = [("file", (name, NOTES + name.encode())) for name in names]
    german = {"Accept-Language": "de"}
    told = editor.post("/v1/documents?index=false", files=sent, headers=german).json()
    assert (told["files"], told["run"]) == (["pier 1.md", "pier 2.md"], None)
    assert [one["name"] for one in told["refused"]] == ["logo.xyz", "amber-guide.md"]
    assert told["refused"][0]["reason"].startswith("„logo.xyz“ hat kein lesbares Format; lesbar sind .")
    assert told["refused"][1]["reason"].startswith("Eine Datei „amber-guide.md“ gibt es schon")
    assert (folder / "pier 2.md").read_bytes() == NOTES + b"pier 2.md"
    again = editor.post("/v1/documents?index=false", files=sent)  # what is there already is no reason to refuse it
    assert again.json()["files"] == ["pier 1.md", "pier 2.md"]
    none = editor.post("/v1/documents?index=false", files=sent[1:3])
    assert none.status_code == 415
    assert none.json()["detail"].startswith("none of these files can be stored: 'logo.xyz' is of no format that can")
    assert "; there is a file 'amber-guide.md' already" in none.json()["detail"]
    none = editor.post("/v1/documents?index=false", files=sent[1:3], headers=german).json()["detail"]
    assert none.startswith("Keine dieser Dateien lässt sich speichern: „logo.xyz“ hat kein lesbares Format")
    for name in ("pier 1.md", "pier 2.md"):
        (folder / name).unlink()


def test_what_is_attached_to_a_new_file_has_no_row_before_it_is_known(editor, edited):
    path = edited / "data" / "sample" / "documents" / "offer.eml"
    path.write_bytes(mail("Offer", files=[("plan.txt", NOTES)]))
    assert {name for name in by_path(editor) if name.startswith("offer.eml")} == {"offer.eml"}
    path.unlink()


def test_a_document_whose_file_is_gone_is_told_until_the_next_run(editor, edited):
    path = edited / "data" / "sample" / "documents" / "model-card.md"
    assert editor.get("/v1/documents").json()["gone"] == []
    path.rename(path.with_name("card.md"))
    assert editor.get("/v1/documents").json()["gone"] == ["model-card.md"]
    assert by_path(editor)["card.md"]["status"] == "pending"
    path.with_name("card.md").rename(path)
    assert editor.get("/v1/documents").json()["gone"] == []


def test_a_file_that_is_left_out_and_uploaded_again_is_read_again(editor, edited):
    path = edited / "data" / "sample" / "documents" / "model-card.md"
    removals = opened(edited).removals
    removals.remove("model-card.md", "ann")
    sent = {"file": ("model-card.md", path.read_bytes())}
    assert editor.post("/v1/documents?index=false", files=sent).status_code == 201
    assert (removals.left_out(), removals.is_upload("model-card.md")) == ({}, False)


def test_a_name_of_an_upload_leads_nowhere_else(editor, tmp_path):
    for name in ("../../../evil.md", "C:\\evil.md", "/etc/evil.md"):
        response = editor.post("/v1/documents?index=false", files={"file": (name, NOTES)})
        assert response.json().get("files", ["evil.md"]) == ["evil.md"]
    for name in ("..", "a\tb.md", ""):
        with pytest.raises(Problem, match="cannot be named"):
            safe_name(name)


def test_a_reader_changes_nothing(kohaku_checked):
    reader = kohaku_checked("keys", "add", "ann").stdout.strip()
    foreign = kohaku_checked("keys", "add", "eve", "--org", "acme", "--role", "admin").stdout.strip()
    with joined_client(kohaku_checked.project, reader) as client:
        assert client.post("/v1/documents", files={"file": ("a.md", NOTES)}).status_code == 403
        assert client.delete("/v1/documents/amber-guide").status_code == 403
        assert client.post("/v1/runs").status_code == 403
        paths = client.get("/openapi.json").json()["paths"]
        administration = [
            (method.upper(), path)
            for path, methods in paths.items()
            for method, described in methods.items()
            if "administration" in described["tags"]
        ]
        assert len(administration) >= 8
        bodies = {
            "/v1/settings": {"values": {"retrieval.top_k": 9}},
            "/v1/keys": {"name": "x", "role": "admin"},
            "/v1/index/published": {"roll_back": True},
        }
        told = {
            (method, path): client.request(method, path.replace("{key_id}", "x"), json=bodies.get(path)).status_code
            for method, path in administration
        }
        assert {one: status for one, status in told.items() if status != 403} == {}
        other = {"Authorization": f"Bearer {foreign}"}
        assert client.post("/v1/documents", files={"file": ("a.md", NOTES)}, headers=other).status_code == 403
        assert client.get("/v1/documents", headers=other).json()["documents"] == []
        assert client.get("/v1/documents/amber-guide/text", headers=other).status_code == 404
        assert client.put("/v1/index/published", json={"roll_back": True}, headers=other).status_code == 403
        assert [row["name"] for row in client.get("/v1/keys", headers=other).json()["keys"]] == ["eve"]


def test_settings_change_while_it_runs_and_usage_is_counted(editor):
    wrong = editor.put("/v1/settings", json={"values": {"embedding.model": "x"}})
    assert (wrong.status_code, "set others in kohaku.toml" in wrong.json()["detail"]) == (400, True)
    changed = editor.put("/v1/settings", json={"values": {"retrieval.top_k": 9}}).json()["settings"]
    [row] = [row for row in changed if row["key"] == "retrieval.top_k"]
    assert (row["value"], row["is_runtime"]) == (9, True)
    before = editor.get("/v1/usage").json()["questions"]
    editor.post("/v1/chat", json={"message": "Who maintains Gintaras-M?"})
    usage = editor.get("/v1/usage").json()
    assert (usage["questions"], usage["by_day"][-1]["questions"] > 0) == (before + 1, True)


def test_no_verb_of_http_destroys_a_file_of_the_user(editor, edited):
    """Every method on every path with the id of a document, and an upload over it: the file stays as it was."""
    folder = edited / "data" / "sample" / "documents"
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    paths = editor.get("/openapi.json").json()["paths"]
    asked = [(path, method) for path, methods in paths.items() if "{document_id}" in path for method in methods]
    assert ("/v1/documents/{document_id}", "delete") in asked
    for path, method in asked:
        reply = editor.request(method.upper(), path.format(document_id="amber-guide", page=1, number=1))
        if method == "delete":
            assert reply.json()["removed"] == "left_out"
    assert editor.post("/v1/documents?index=false", files={"file": ("amber-guide.md", NOTES)}).status_code == 409
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    row = by_path(editor)["amber-guide.md"]
    assert (row["status"], "kohaku documents --include 'amber-guide.md'" in row["reason"]) == ("left_out", True)
    assert row["is_left_out"]
    again = editor.post("/v1/documents/included", json={"path": "amber-guide.md"})
    assert again.status_code == 202
    run = ended(editor, again.json()["run"])
    assert run["status"] == "succeeded", run["messages"]
    row = by_path(editor)["amber-guide.md"]
    assert (row["status"], row["indexed"], row["is_left_out"]) == ("parsed", True, False)
    for path in ("amber-guide.md", "../x"):  # not left out, not there
        assert editor.post("/v1/documents/included", json={"path": path}).status_code == 404


def test_an_administrator_adds_and_revokes_keys_and_rolls_back(kohaku_checked):
    admin = kohaku_checked("keys", "add", "root", "--role", "admin").stdout.strip()
    with joined_client(kohaku_checked.project, admin) as client:
        key = client.post("/v1/keys", json={"name": "wiki"}).json()["key"]
        own = {"Authorization": f"Bearer {key}"}
        told = client.get("/v1/me", headers=own).json()
        assert told == {
            "org_id": "default",
            "role": "reader",
            "user_id": "wiki",
            "owns_index": True,
            "dagster_url": None,
            "may_choose_model": False,
            "missing": "opening",
            "local_model": None,
        }
        [row] = [row for row in client.get("/v1/keys").json()["keys"] if row["name"] == "wiki"]
        assert client.delete(f"/v1/keys/{row['key_id']}").status_code == 204
        assert client.get("/v1/me", headers=own).status_code == 401
        [version] = client.get("/v1/index/versions").json()["versions"]
        assert version["current"]
        assert client.put("/v1/index/published", json={"version": "none"}).status_code == 404
        assert client.put("/v1/index/published", json={"roll_back": True}).status_code == 409  # there is no other
