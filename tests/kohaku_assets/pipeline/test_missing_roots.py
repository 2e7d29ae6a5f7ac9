"""Folders and links of the sources that are away as a whole are warned of, and their documents stay; deletions are deletions."""

import json
import os
import shutil

import pytest
from mails import mail
from stage_refresh import refresh_stages

from kohaku_assets.pipeline.project import Project
from kohaku_lib.composition import load_settings
from kohaku_lib.documents.corpus import files as corpus_listing
from kohaku_lib.documents.corpus.files import CorpusFiles

STAGE = ["documents"]
LINKED = "corpus.follow_links=true"
ALL = {"top.md", "old/a.md", "old/b.json", "old/deep/c.eml", "old/deep/c.eml/lock.txt", "share/d.md", "share/e.md"}
OLD = {path for path in ALL if path.startswith("old/")}
SHARE = {"share/d.md", "share/e.md"}


@pytest.fixture
def folder(tmp_path):
    """A project of a file, a folder with a folder, and a link to a drive, read once."""
    docs, drive = tmp_path / "docs", tmp_path / "drive"
    (docs / "old" / "deep").mkdir(parents=True)
    drive.mkdir()
    (docs / "top.md").write_text("The lock is 17 m deep.")
    (docs / "old" / "a.md").write_text("Amber floats.")
    (docs / "old" / "b.json").write_text(json.dumps({"document_id": "wu", "text": "Kestrels hover."}))
    (docs / "old" / "deep" / "c.eml").write_bytes(mail("Offer", files=[("lock.txt", b"The gate weighs 4 tonnes.")]))
    for name in "de":
        (drive / f"{name}.md").write_text(f"Lease {name} costs 333 EUR.")
    (docs / "share").symlink_to(drive)
    (tmp_path / "kohaku.toml").write_text('store = "store"\n[corpus]\ndocuments = "docs"\n[parallel]\nworkers = 1\n')
    assert refreshed(tmp_path)[0] == ALL
    return tmp_path


def opened(folder, *settings, **options):
    loaded = load_settings(overrides=(LINKED, *settings), environment={}, folder=folder)
    return Project(loaded, **options)


def refreshed(folder, *settings, **options):
    """The paths of the documents with text after a refresh, the number parsed anew, and the warnings."""
    project = opened(folder, *settings, **options)
    report = refresh_stages(project, STAGE)
    assert report.failure is None, report.failure
    rows = project.files.latest_table("documents").to_pylist()
    computed = report.outcomes["documents"].computed if "documents" in report.outcomes else 0
    return {row["path"] for row in rows if row["payload_json"]}, computed, report.oddities


def warnings_while_fresh(folder, *settings):
    """The warnings of a folder of which nothing is stale."""
    project = opened(folder, *settings, known_only=True)
    assert {status.status for status in project.statuses(STAGE)} == {"fresh"}
    return project.user_files.warnings


def clear(folder):
    shutil.rmtree(folder)
    folder.mkdir()


def unlink_share(folder):
    (folder / "docs" / "share").unlink()


def empty_drive(folder):
    clear(folder / "drive")


@pytest.mark.parametrize(
    ("go", "place", "fault", "lost"),
    [
        (lambda folder: shutil.rmtree(folder / "docs"), "docs", "the folder is not there", ALL),
        (lambda folder: clear(folder / "docs"), "docs", "the folder is empty", ALL),
        (
            lambda folder: shutil.rmtree(folder / "drive"),
            "share",
            "the link leads nowhere (is the drive mounted?)",
            SHARE,
        ),
        (empty_drive, "share", "the folder is empty", SHARE),
        (unlink_share, "share", "the folder is not there", SHARE),
        (lambda folder: clear(folder / "docs" / "old"), "old", "the folder is empty", OLD),
        (lambda folder: shutil.rmtree(folder / "docs" / "old"), "old", "the folder is not there", OLD),
    ],
)
def test_what_is_away_as_a_whole_stays_until_it_is_back_or_its_deletion_is_accepted(folder, go, place, fault, lost):
    kept_aside = shutil.copytree(folder, folder.parent / f"{folder.name}-aside", symlinks=True)
    go(folder)
    [warning] = warnings_while_fresh(folder)
    files = len(lost - {"old/deep/c.eml/lock.txt"})
    told = str(folder / "docs") if place == "docs" else place
    assert warning.startswith(f"{told}: {fault}; {files} documents of it stay in the index until it is back; ")
    assert refreshed(folder) == (ALL, 0, (warning,))
    aside = shutil.copytree(folder, folder.parent / f"{folder.name}-back", symlinks=True)
    shutil.rmtree(aside / "docs", ignore_errors=True)
    shutil.copytree(kept_aside / "docs", aside / "docs", symlinks=True)
    (aside / "docs" / "share").unlink()
    (aside / "docs" / "share").symlink_to(kept_aside / "drive")
    assert warnings_while_fresh(aside) == ()  # back under the same names, nothing is read anew
    if lost != ALL:
        assert "--accept-missing" in warning
        assert refreshed(folder, accept_missing=True) == (ALL - lost, 0, ())
        assert warnings_while_fresh(folder) == ()  # and it stays accepted


def test_other_changes_are_read_while_a_folder_is_away(folder):
    shutil.rmtree(folder / "drive")
    (folder / "docs" / "new.md").write_text("The weir is new.")
    paths, computed, [warning] = refreshed(folder)
    assert (paths, computed) == (ALL | {"new.md"}, 1)
    manifest = opened(folder).files.find("source_files", opened(folder).files.latest("source_files").input_key)
    assert warning in manifest.problems  # which Dagster shows
    assert warnings_while_fresh(folder) == (warning,)


def test_a_file_that_is_missing_alone_is_deleted(folder):
    (folder / "docs" / "old" / "a.md").unlink()
    (folder / "drive" / "d.md").unlink()
    assert refreshed(folder) == (ALL - {"old/a.md", "share/d.md"}, 0, ())


def test_a_folder_that_is_renamed_is_no_folder_that_is_away(folder):
    (folder / "docs" / "old").rename(folder / "docs" / "past")
    paths, _, warnings = refreshed(folder)
    assert paths == (ALL - OLD) | {path.replace("old/", "past/", 1) for path in OLD}
    assert warnings == ()


def test_a_link_to_a_file_that_leads_nowhere_keeps_its_document(folder):
    (folder / "far.md").write_text("Far away.")
    (folder / "docs" / "far.md").symlink_to(folder / "far.md")
    assert refreshed(folder)[0] == ALL | {"far.md"}
    (folder / "far.md").unlink()
    assert warnings_while_fresh(folder)[0].startswith(
        "far.md: the link leads nowhere (is the drive mounted?); 1 document"
    )


def test_a_folder_that_cannot_be_listed_keeps_its_documents(folder, monkeypatch):
    listed, exists = corpus_listing.corpus_files, os.path.exists

    def unreadable(corpus):  # as permissions hinder no root
        files = listed(corpus)
        fault = "the folder cannot be read (Permission denied); correct its permissions"
        return CorpusFiles([one for one in files.paths if "old" not in one.parts], {**files.skipped, "old": fault})

    monkeypatch.setattr("kohaku_lib.documents.corpus_files", unreadable)
    monkeypatch.setattr("os.path.exists", lambda path: "/docs/old/" not in f"{path}" and exists(path))
    [warning] = warnings_while_fresh(folder)
    assert warning.startswith(
        "old: the folder cannot be read (Permission denied); correct its permissions; 3 documents"
    )


def test_delete_takes_everything_missing_for_deleted(folder):
    shutil.rmtree(folder / "docs" / "old")
    assert refreshed(folder, "corpus.missing_roots=delete") == (ALL - OLD, 0, ())


def test_another_folder_of_documents_is_none_that_is_away(folder):
    (folder / "other").mkdir()
    (folder / "other" / "x.md").write_text("Another.")
    assert refreshed(folder, "corpus.documents=other") == ({"x.md"}, 1, ())


def test_a_project_may_be_moved_while_a_part_is_away(folder):
    unlink_share(folder)
    moved = folder.rename(folder.parent / f"{folder.name}-moved")
    assert len(warnings_while_fresh(moved)) == 1


def test_settings_of_parsing_that_change_meanwhile_wait_for_the_files(folder):
    changed = ("documents.hidden_cells=keep",)
    (folder / "drive" / "f.csv").write_text("boat,price\ncanoe,350\n")
    assert refreshed(folder)[0] == ALL | {"share/f.csv"}
    (folder / "drive").rename(folder / "off")
    shutil.rmtree(folder / "store" / "cache" / "documents")
    paths, _, _ = refreshed(folder, *changed)
    assert paths == ALL | {"share/f.csv"}  # as they were read before
    [documents] = [one for one in opened(folder, *changed).statuses(STAGE) if one.asset == "documents"]
    assert documents.causes == ("3 to be tried again",)
    (folder / "off").rename(folder / "drive")
    assert refreshed(folder, *changed)[:2] == (ALL | {"share/f.csv"}, 3)
    assert warnings_while_fresh(folder, *changed) == ()


def test_status_and_refresh_warn_once_and_accept_by_their_options(kohaku_checked):
    documents = kohaku_checked.project.settings.corpus.documents
    (documents / "extra").mkdir()
    (documents / "extra" / "reed.md").write_text("The reed bed of Wendelmoot is 3 ha.")
    kohaku_checked("refresh")
    shutil.rmtree(documents / "extra")
    warning = "extra: the folder is not there; 1 document of it stays in the index until it is back"
    said = kohaku_checked("status").stderr
    assert said.count(warning) == 1
    assert "assets are up to date" in said
    assert kohaku_checked("refresh").stderr.count(warning) == 1
    assert "reed" in kohaku_checked("refresh", "--accept-missing").stderr  # named as removed
    assert warning not in kohaku_checked("status").stderr


def test_a_document_that_is_out_of_reach_is_erased_and_the_others_stay(kohaku_checked):
    project = kohaku_checked.project
    documents = project.settings.corpus.documents
    (documents / "offer.eml").write_bytes(mail("Offer", files=[("lock.txt", b"The gate weighs 4 tonnes.")]))
    kohaku_checked("refresh", "documents")
    known = {row["document_id"] for row in project.files.latest_table("documents").to_pylist()}
    assert "offer.eml%/lock.txt" in known
    gone = "amber-guide"
    documents.rename(documents.with_name("away"))
    said = kohaku_checked("documents", "--erase", gone).stderr
    assert "is out of reach now; delete it there" in said
    kohaku_checked("refresh")
    left = {row["document_id"] for row in Project(project.loaded).files.latest_table("documents").to_pylist()}
    assert left == known - {gone}
