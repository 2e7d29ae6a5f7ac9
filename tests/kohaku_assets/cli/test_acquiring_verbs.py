"""The verbs that get documents and say what became of them: fetch, documents, parse --html."""

import json

import pymupdf
import pytest
from click.testing import CliRunner
from document_server import DocumentServer, Page
from mails import mail

from kohaku_assets.cli import main
from kohaku_assets.operations.fetching import states as states_of
from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stage_running import run_stages
from kohaku_lib.composition import load_settings


@pytest.fixture
def bees():
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), "Bees fly to the hive and back.")
    return document.tobytes() + b"\n%%EOF\n"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A project whose documents are read by one process."""
    (tmp_path / "kohaku.toml").write_text(
        'store = "store"\n[corpus]\ndocuments = "docs"\nmetadata = "m.csv"\n[parallel]\nworkers = 1\n'
        "[fetch]\nretry_base_s = 0.0\nallow_private = true\n"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments, code=0):
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result


def metadata(home, server, **paths):
    lines = [f"{name},{server.url(path) if path else ''}" for name, path in paths.items()]
    (home / "m.csv").write_text("id,url\n" + "\n".join(lines) + "\n")


def parsed(home):
    """Run the stages that parse, as a refresh does."""
    project = Project(load_settings(environment={}, folder=home))
    run_stages(Run(project), ["source_files", "documents"])


def states():
    return {row["document_id"]: (row["status"], row["pages"], row["reason"]) for row in listed()}


def listed():
    return json.loads(run("documents", "--json").stdout)


def test_fetch_fills_the_folder_and_sums_up(home, bees):
    with DocumentServer({"/a.pdf": Page(bees), "/b.pdf": Page(b"<html>", "text/html")}) as server:
        metadata(home, server, a="/a.pdf", b="/b.pdf", c="", d="/none.pdf")
        result = run("fetch", "--json")
    rows = {row["id"]: row for row in json.loads(result.stdout)}
    assert {name: row["outcome"] for name, row in rows.items()} == {
        "a": "fetched",
        "b": "failed",
        "c": "skipped",
        "d": "failed",
    }
    assert (rows["a"]["bytes"], rows["b"]["path"]) == (len(bees), None)
    assert result.stderr.splitlines()[-1] == "1 fetched, 0 cached, 1 skipped, 2 failed"
    assert [path.name for path in (home / "docs").iterdir()] == ["a.pdf"]
    assert "a" in run("fetch").stdout


def test_fetch_tells_what_is_wrong_with_rows(home, bees):
    (home / "m.csv").write_text("id,url\na,\na,\n")
    assert "the id 'a' is repeated" in run("fetch").stderr


@pytest.mark.parametrize("key", ["corpus.metadata", "corpus.documents"])
def test_fetch_needs_a_table_and_a_folder(home, key):
    result = run("fetch", "--set", f"{key}=", code=2)
    assert f"{key} is not set" in result.stderr


def test_documents_tells_of_every_file_and_row_where_it_stands(home, bees):
    with DocumentServer({"/a.pdf": Page(bees)}) as server:
        metadata(home, server, a="/a.pdf", gone="/none.pdf", never="")
        run("fetch", "--limit", 2)
    (home / "docs" / "copy.pdf").write_bytes(bees)
    (home / "docs" / "empty.txt").write_text("")
    assert states()["a"] == ("pending", None, None)
    parsed(home)
    found = states()
    assert found["a"] == ("parsed", 1, None)
    assert found["copy"] == ("left_out", None, "same content as 'a.pdf'")
    assert found["empty"] == ("failed", None, "'empty.txt' is empty")
    assert found["gone"][0] == "no_file"
    assert found["gone"][2].endswith(": the server answers 404 Not Found")
    assert found["never"][2].endswith(": the row has no url")
    (home / "docs" / "empty.txt").write_text("Now there is text.")
    assert states()["empty"] == ("pending", None, None)
    assert run("documents").stderr.splitlines()[-1] == "2 no_file, 1 parsed, 1 left_out, 1 pending"


def test_documents_lists_files_that_no_format_takes_in(home):
    (home / "m.csv").write_text("id,url\n")
    (home / "docs" / "old").mkdir(parents=True)
    (home / "docs" / "old" / "notes.xyz").write_text("Amber floats.")
    (home / "docs" / "a.txt").write_text("Amber floats.")
    found = {row["path"]: (row["document_id"], row["status"], row["reason"]) for row in listed()}
    assert found == {"a.txt": ("a", "pending", None), "old/notes.xyz": (None, "left_out", "not a document format")}
    assert run("documents").stderr.splitlines()[-1] == "1 pending, 1 left_out"


def test_documents_without_any_fetch_points_to_it(home):
    (home / "m.csv").write_text("id,url\na,http://x.org/a.pdf\n")
    (home / "docs").mkdir()
    assert states()["a"] == ("no_file", None, "no file of this id; 'kohaku fetch' gets those with a url")


def test_rows_are_documents_by_their_citation_where_that_is_set(home):
    (home / "m.csv").write_text("id,title,citation\nwu2021,Sustainable AI,Wu (2021). Sustainable AI.\n")
    (home / "kohaku.toml").write_text('store = "store"\n[corpus]\nmetadata = "m.csv"\nuse_citations = true\n')
    parsed(home)
    assert states()["wu2021"] == ("parsed", None, "there is no file; its citation is indexed")


def test_a_left_out_attachment_is_its_mails_organisations(home):
    settings = '[corpus]\ndocuments = "docs"\norg_folders = true\norg_id = "acme"\n'
    (home / "kohaku.toml").write_text(f'store = "store"\n{settings}')
    (home / "docs" / "bolt").mkdir(parents=True)
    project = Project(load_settings(environment={}, folder=home))
    for path in ("offer.eml", "bolt/route.eml"):
        (home / "docs" / path).write_bytes(mail(path, files=[("p.txt", path.encode())]))
        assert project.removals.remove(f"{path}/p.txt", "ann") == "left_out"
    assert project.user_files.sources[0].num_rows == 2  # which lists what is attached
    left_out = {
        org: [one.path for one in states_of(project, org) if one.status == "left_out"] for org in ("acme", "bolt")
    }
    assert left_out == {"acme": ["offer.eml/p.txt"], "bolt": ["bolt/route.eml/p.txt"]}


def test_each_attachment_that_is_not_read_is_listed_with_the_reason(home, bees):
    (home / "kohaku.toml").write_text('store = "store"\n[corpus]\ndocuments = "docs"\n')
    (home / "docs").mkdir()
    files = [("a.pdf", b"none"), ("x.exe", b"MZ"), *(("p.txt", b"By rail.") for _ in range(1000))]
    (home / "docs" / "offer.eml").write_bytes(mail("Offer", files=files))
    parsed(home)
    found = states()
    assert found["offer"][0] == found["offer.eml%/p.txt"][0] == "parsed"
    assert found["offer.eml%/a.pdf"] == ("failed", None, "'a.pdf' is damaged beyond repair or is not a PDF")
    assert found["offer.eml%/x.exe"] == ("left_out", None, "not a document format")
    told = "2 more attachments are not read, as 1000 within one file are the most; split it"
    assert found["offer.eml%/*"] == ("left_out", None, told)


def test_parse_writes_a_page_that_shows_one_file(home, bees):
    (home / "a.pdf").write_bytes(bees)
    result = run("parse", "a.pdf", "--html", "out.html", "--pages", "1")
    html = (home / "out.html").read_text(encoding="utf-8")
    assert result.stdout == ""
    assert html.count("<figure ") == 1
    assert "Bees fly to the hive" in html


def test_parse_names_what_is_attached_and_not_on_the_page(home, bees):
    (home / "offer.eml").write_bytes(mail("Offer", files=[("bees.pdf", bees), ("x.exe", b"MZ")]))
    said = run("parse", "offer.eml", "--html", "out.html").stderr.splitlines()
    assert said[1:] == [
        "offer.eml/bees.pdf is not shown: it has a page of its own, by --html of this path",
        "offer.eml/x.exe is not shown: not a document format",
    ]
    run("parse", "offer.eml/bees.pdf", "--html", "bees.html")
    html = (home / "bees.html").read_text(encoding="utf-8")
    assert ("<figure " in html, "Bees fly to the hive" in html) == (True, True)


def test_parse_shows_one_file_only_and_says_why_it_cannot(home):
    (home / "a.pdf").write_bytes(b"")
    assert "--html shows one file, got 2" in run("parse", "a.pdf", "a.pdf", "--html", "o.html", code=2).stderr
    assert "'a.pdf' is empty" in run("parse", "a.pdf", "--html", "o.html", code=2).stderr
    assert "--pages 1 requires --html" in run("parse", "a.pdf", "--pages", "1", code=2).stderr
    assert not (home / "o.html").exists()
