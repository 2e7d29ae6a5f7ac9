"""What is attached to a mail is a document of the project: searched, cited, shown, left out, deleted and erased."""

import json
import shutil
from functools import partial

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from joined_client import joined_client
from mails import mail, pdf
from pyarrow import feather
from stage_refresh import refresh_stages

from kohaku_assets.cli import main
from kohaku_assets.experiments.experiment_records import experiment_answers, write_experiment
from kohaku_assets.pipeline.project import Project
from kohaku_lib.composition import load_settings
from kohaku_lib.storage.own_files import other_files
from kohaku_lib.tables.experiments import EXPERIMENT_RESULTS, EXPERIMENTS

PLAN = "The roof of the depot at Wendelmoot weighs 4417 tonnes."
LOCK = b"The canal lock of Wendelmoot is 17 m deep."
WORDS = ("4417 tonnes", "canal lock", "Kestrel", "halyard")  # of texts, of a subject, and of names of files


@pytest.fixture(scope="module")
def indexed(home, built, tmp_path_factory):
    """The sample without questions and with a mail, refreshed once for all tests, and what the refresh said."""
    folder = tmp_path_factory.mktemp("mailed") / "home"
    shutil.copytree(home, folder)
    (folder / "kohaku.toml").write_text('[corpus]\ndocuments = "data/sample/documents"\n[parallel]\nworkers = 1\n')
    project = opened(folder)
    inner = mail("Kestrel", files=[("halyard.txt", LOCK)])
    files = [("plan.pdf", pdf(PLAN)), ("bad.pdf", b"none"), ("x.exe", b"MZ")]
    (project.settings.corpus.documents / "offer.eml").write_bytes(mail("Offer", files=files, forwarded=[inner]))
    project.removals.record_upload("offer.eml", "ann")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAGSTER_HOME", str(folder / "dagster_home"))
        result = CliRunner().invoke(main, ["refresh", "--config", str(folder / "kohaku.toml")])
    assert result.exit_code == 0, result.output
    return folder, result.stderr


@pytest.fixture
def fresh(indexed, tmp_path, monkeypatch):
    """Return a function that opens a private copy of that project; `kohaku_checked` runs its verbs there."""
    folder = shutil.copytree(indexed[0], tmp_path / "copy")
    monkeypatch.setenv("DAGSTER_HOME", str(folder / "dagster_home"))
    return partial(opened, folder)


def opened(folder):
    return Project(load_settings(environment={}, folder=folder))


def index(project):
    """Bring the index up to date with the documents, as a refresh does."""
    report = refresh_stages(Project(project.loaded), ["published_index"])
    assert report.failure is None, report.failure


def states(kohaku):
    rows = json.loads(kohaku("documents", "--json").stdout)
    return {row["path"]: (row["document_id"], row["status"]) for row in rows if "offer" in row["path"]}


def test_attachments_are_documents_in_every_verb(kohaku_checked, indexed):
    told = indexed[1]
    assert "offer.eml/x.exe: not a document format" in told
    assert "offer.eml/bad.pdf is damaged beyond repair or is not a PDF" in told
    assert states(kohaku_checked) == {
        "offer.eml": ("offer", "parsed"),
        "offer.eml/plan.pdf": ("offer.eml%/plan.pdf", "parsed"),
        "offer.eml/bad.pdf": ("offer.eml%/bad.pdf", "failed"),
        "offer.eml/x.exe": ("offer.eml%/x.exe", "left_out"),
        "offer.eml/Kestrel.eml": ("offer.eml%/Kestrel.eml", "parsed"),
        "offer.eml/Kestrel.eml/halyard.txt": ("offer.eml%/Kestrel.eml%/halyard.txt", "parsed"),
    }
    answer = json.loads(
        kohaku_checked("ask", "How much does the roof of the depot at Wendelmoot weigh?", "--json").stdout
    )
    assert "4417" in answer["answer_value"]
    assert [one["document_id"] for one in answer["citations"]] == ["offer.eml%/plan.pdf"]
    paths = str(kohaku_checked.project.settings.corpus.documents / "offer.eml")
    record = json.loads(kohaku_checked("parse", paths, "--json").stdout)
    shown = [child.get("document_id") or child["error"] for child in record["children"]]
    assert shown == [
        "offer.eml%/plan.pdf",
        "'bad.pdf' is damaged beyond repair or is not a PDF",
        "not a document format",
        "offer.eml%/Kestrel.eml",
    ]
    assert record["children"][3]["children"][0]["text"] == LOCK.decode()
    lines = kohaku_checked("parse", paths).stdout.splitlines()
    assert [len(line) - len(line.lstrip()) for line in lines] == [0, 2, 2, 2, 2, 4]


def test_attachments_are_served_and_deleted_over_http(fresh):
    project = fresh()
    with joined_client(Project(project.loaded)) as client:
        rows = {row["document_id"]: row for row in client.get("/v1/documents").json()["documents"]}
        assert (rows["offer.eml%/plan.pdf"]["indexed"], rows["offer.eml%/plan.pdf"]["is_upload"]) == (True, False)
        text = client.get("/v1/documents/offer.eml%25%2FKestrel.eml%25%2Fhalyard.txt/text").json()
        assert [part["text"] for part in text["parts"] if part["kind"] == "paragraph"] == [LOCK.decode()]
        assert client.get("/v1/documents/offer.eml%/plan.pdf").json()["pages"] == 1
        assert client.get("/v1/documents/offer.eml%/plan.pdf/pages/1/image").headers["content-type"] == "image/webp"
        assert client.delete("/v1/documents/offer.eml%25%2Fplan.pdf").json()["removed"] == "left_out"
        assert client.delete("/v1/documents/offer.eml%25%2FKestrel.eml").json()["removed"] == "left_out"
        fewer = Project(project.loaded).user_files.sources[0]
        assert [path for path in fewer["path"].to_pylist() if "offer" in path] == [
            "offer.eml",
            "offer.eml/bad.pdf",
            "offer.eml/x.exe",
        ]
        assert client.delete("/v1/documents/offer").json()["removed"] == "trash"
        assert not [
            path for path in Project(project.loaded).user_files.sources[0]["path"].to_pylist() if "offer" in path
        ]


def test_a_mail_is_erased_with_its_attachments_and_none_of_them_alone(kohaku_checked):
    project = kohaku_checked.project
    held = {path.relative_to(project.store).parts[0] for path in holders(project.store)}
    assert {"stages", "cache", "snapshots"} <= held
    refused = kohaku_checked("documents", "--erase", "offer.eml%/plan.pdf", code=2).stderr
    assert "'offer.eml%/plan.pdf' is attached to 'offer.eml' and cannot be erased alone" in refused
    kohaku_checked("documents", "--erase", "offer")
    assert not (project.settings.corpus.documents / "offer.eml").exists()
    assert holders(project.store) == []


def leave_out(project):
    assert project.removals.remove("offer.eml/Kestrel.eml", "ann") == "left_out"


def replace_by_one_without(project):
    (project.settings.corpus.documents / "offer.eml").write_bytes(mail("Offer"))
    project.removals.record_upload("offer.eml", "ann")


@pytest.mark.parametrize(
    ("change", "is_upload"),
    [
        (leave_out, True),
        (replace_by_one_without, False),
        pytest.param(leave_out, False, marks=pytest.mark.slow),
        pytest.param(replace_by_one_without, True, marks=pytest.mark.slow),
    ],
)
def test_former_attachments_are_erased_with_their_mail(kohaku_checked, change, is_upload):
    project = kohaku_checked.project
    change(project)
    index(project)
    kohaku_checked("gc", "--keep", "1")
    assert "cache" in {path.relative_to(project.store).parts[0] for path in holders(project.store)}
    if not is_upload:
        (project.settings.corpus.documents / "offer.eml").unlink()
    kohaku_checked("documents", "--erase", "offer")
    assert holders(project.store) == []


def test_answers_of_experiments_that_name_an_erased_document_go_and_the_others_stay(kohaku_checked):
    project = kohaku_checked.project
    answers = [
        {"id": "1", "answer": "17 m", "ref_id": ["offer.eml%/Kestrel.eml%/halyard.txt"], "ref_url": "is_blank"},
        {"id": "2", "answer": "Amber.\nIt floats.", "ref_id": ["amber-guide"]},
    ]
    tables = (EXPERIMENTS.empty_table(), EXPERIMENT_RESULTS.empty_table())
    write_experiment(project, "one", tables, answers)
    path = experiment_answers(project, "one")
    header, _, *others = path.read_bytes().splitlines()
    assert other_files(project.store) == []
    kohaku_checked("documents", "--erase", "offer")
    assert path.read_bytes().splitlines() == [header, *others]


def holders(store):
    found = []
    for path in store.rglob("*"):
        if path.is_file():
            read = {".parquet": pq.read_table, ".arrow": feather.read_table}.get(path.suffix)
            text = str(read(path).to_pydict()) if read else path.read_bytes().decode("latin-1")
            if any(word in text for word in WORDS):
                found.append(path)
    return found
