"""`kohaku documents` shows what the page took away, and takes it in again."""

import json


def test_a_file_that_was_left_out_is_shown_with_the_command_that_takes_it_in_again(kohaku_checked):
    project = kohaku_checked.project
    project.removals.remove("amber-guide.md", "ann")
    rows = {row["path"]: row for row in json.loads(kohaku_checked("documents", "--json").stdout)}
    assert rows["amber-guide.md"]["reason"].startswith("left out by ann at ")
    kohaku_checked("documents", "--include", "amber-guide.md")
    rows = {row["path"]: row for row in json.loads(kohaku_checked("documents", "--json").stdout)}
    assert rows["amber-guide.md"]["status"] == "parsed"
    assert "is not left out" in kohaku_checked("documents", "--include", "amber-guide.md", code=2).stderr


def test_a_deleted_upload_is_listed_and_put_back(kohaku_checked):
    project = kohaku_checked.project
    file = project.settings.corpus.documents / "ferry.md"
    file.write_text("# Ferry")
    project.removals.record_upload("ferry.md", "ann")
    project.removals.remove("ferry.md", "bob")
    [trashed] = json.loads(kohaku_checked("documents", "--trash", "--json").stdout)
    assert (trashed["path"], trashed["by"]) == ("ferry.md", "bob")
    assert "ferry.md" in kohaku_checked("documents", "--trash").stdout
    assert "'kohaku refresh' reads it" in kohaku_checked("documents", "--restore", trashed["id"]).stderr
    assert file.read_text() == "# Ferry"
