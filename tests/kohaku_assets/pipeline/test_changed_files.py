"""What has changed since the documents were read, by names, sizes and times."""

from stage_refresh import refresh_stages

from kohaku_assets.pipeline import changed_files as module
from kohaku_assets.pipeline.changed_files import changed_files
from kohaku_assets.pipeline.project import Project


def looked(project):
    return changed_files(Project(project.loaded))


def test_new_written_and_missing_files_are_counted_until_they_are_read(fresh):
    project = fresh()
    folder = project.settings.corpus.documents
    assert looked(project) == 0
    (folder / "new.md").write_text("# New\n\nA text.")
    (folder / "notes.tmp").write_text("no document")
    (folder / "model-card.md").write_text("# Another card\n\nA text.")
    (folder / "amber-guide.md").unlink()
    assert looked(project) == 3
    assert refresh_stages(Project(project.loaded), ["source_files"]).failure is None
    assert looked(project) == 0  # though the files were written just now


def test_a_file_that_keeps_its_size_is_known_by_its_time(fresh):
    project = fresh()
    path = project.settings.corpus.documents / "machine-room-log.txt"
    path.write_bytes(path.read_bytes().swapcase())
    assert looked(project) == 1


def test_nothing_is_told_of_many_files_or_before_the_first_refresh(fresh, monkeypatch):
    project = fresh("store=other")
    assert looked(project) is None
    monkeypatch.setattr(module, "MOST_FILES", 1)
    assert looked(fresh()) is None


def test_ask_says_that_files_have_changed(kohaku_checked):
    folder = kohaku_checked.project.settings.corpus.documents
    (folder / "new.md").write_text("# New\n\nA text.")
    told = kohaku_checked("ask", "Who maintains the model Gintaras-M?")
    assert "1 file has changed since the documents were read; 'kohaku refresh' reads them" in told.stderr
    assert "changed since" not in told.stdout
