"""The store is a folder of its own: it holds nothing of the user's, and is not read as documents."""

import pytest

from kohaku_assets.operations.scaffold import make_project
from kohaku_lib.composition import load_settings
from kohaku_lib.errors import SettingsError


def load(folder, text, *overrides):
    (folder / "kohaku.toml").write_text(text)
    return load_settings(overrides=overrides, environment={}, folder=folder)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('store = "."\n', "the settings"),
        ('store = ".."\n', "the settings"),
        ('store = "s"\n[corpus]\ndocuments = "s"\n', "corpus.documents"),
        ('store = "s"\n[corpus]\ndocuments = "s/documents"\n', "corpus.documents"),
        ('store = "s"\n[corpus]\nmetadata = "s/metadata.csv"\n', "corpus.metadata"),
        ('store = "s"\n[corpus]\nquestions = "s/sub/questions.csv"\n', "corpus.questions"),
        ('store = "s"\n[corpus]\naccepted_questions = "s/accepted.csv"\n', "corpus.accepted_questions"),
        ('store = "link"\n[corpus]\nmetadata = "s/metadata.csv"\n', "corpus.metadata"),
        ('store = "docs/store"\n[corpus]\ndocuments = "docs"\n', "corpus.documents"),
        ('store = "docs/a/store"\n[corpus]\ndocuments = "docs"\n', "corpus.documents"),
        ('[corpus]\ndocuments = "."\n', "corpus.documents"),
    ],
)
def test_a_store_among_files_of_the_user_is_refused_in_one_sentence(text, named, tmp_path):
    (tmp_path / "s").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "s")
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, text)
    said = str(caught.value)
    assert "the setting store must" in said
    assert named in said
    assert "\n" not in said
    assert ("(kohaku.toml line 1)" in said) == text.startswith("store")


@pytest.mark.parametrize(
    "text",
    [
        "",
        '[corpus]\ndocuments = "data/documents"\nmetadata = "data/metadata.csv"\nquestions = "data/questions.csv"\n',
        '[corpus]\ndocuments = "data/store-of-documents"\n',
        'store = ".kohaku/store"\n[corpus]\ndocuments = "."\nquestions = "questions.csv"\n',
        'store = "docs/.hidden/store"\n[corpus]\ndocuments = "docs"\n',
    ],
)
def test_a_store_that_is_not_read_is_accepted(text, tmp_path):
    assert load(tmp_path, text).settings.store.is_relative_to(tmp_path)


@pytest.mark.parametrize("documents", [None, ".", "docs"])
def test_every_new_project_has_a_store_that_is_accepted(documents, tmp_path):
    (tmp_path / "docs").mkdir()
    make_project(tmp_path, documents=documents and tmp_path / documents)
    load_settings(environment={}, folder=tmp_path)
