"""`kohaku watch`: a refresh at the start, one after files came to rest, none while they change or stay the same."""

import pytest

from kohaku_assets.operations.watching import watch
from kohaku_assets.pipeline.project import Project
from kohaku_lib.composition import load_settings
from kohaku_lib.errors import InputFileError


class Clock:
    """An event whose waits are the steps of a story instead of seconds; it is set after the last one."""

    def __init__(self, *steps):
        self.steps = list(steps)
        self.waited = []

    def is_set(self):
        return not self.steps

    def wait(self, seconds):
        self.waited.append(seconds)
        self.steps.pop(0)()


def nothing():
    """Nothing happens."""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("One.")
    (tmp_path / "kohaku.toml").write_text('[corpus]\ndocuments = "docs"\n')
    return Project(load_settings(environment={}, folder=tmp_path))


def refreshes(project, *steps, results=()):
    """Return after how many looks each refresh ran."""
    clock, ran, results = Clock(*steps), [], list(results)

    def refresh():
        ran.append(len(clock.waited))
        return results.pop(0) if results else True

    watch(project, refresh, clock, every_s=1.0, rest_s=2.0)
    return ran


def test_it_refreshes_at_the_start_and_not_again_without_a_change(project):
    assert refreshes(project, nothing, nothing, nothing, nothing) == [0]


def test_a_file_is_taken_once_it_rests(project):
    path = project.home / "docs" / "b.md"
    grow = [lambda text=text: path.write_text(text) for text in ("a", "ab", "abc")]
    assert refreshes(project, nothing, *grow, nothing, nothing, nothing) == [0, 6]


def test_a_removed_file_is_a_change(project):
    assert refreshes(project, (project.home / "docs" / "a.md").unlink, nothing, nothing, nothing) == [0, 3]


def test_files_that_are_no_documents_are_none(project):
    assert refreshes(project, lambda: (project.home / "docs" / "x.exe").write_text(""), nothing, nothing, nothing) == [
        0
    ]


def test_a_refresh_that_could_not_run_is_tried_again(project):
    assert refreshes(project, *[nothing] * 9, results=[False, False, False]) == [0, 1, 3, 7]


def test_a_change_is_taken_at_once_though_refreshes_failed_before(project):
    change = lambda: (project.home / "docs" / "b.md").write_text("Two.")
    assert refreshes(project, *[nothing] * 8, change, *[nothing] * 3, results=[False] * 4) == [0, 1, 3, 7, 11]


def test_a_folder_that_is_away_for_a_while_is_waited_for(project):
    docs, away = project.home / "docs", project.home / "away"
    leave, come_back = lambda: docs.rename(away), lambda: away.rename(docs)
    grow = lambda: (away / "b.md").write_text("Two.")
    assert refreshes(project, nothing, leave, grow, come_back, nothing, nothing, nothing) == [0, 6]


def test_without_a_folder_there_is_nothing_to_watch(tmp_path):
    project = Project(load_settings(environment={}, folder=tmp_path))
    with pytest.raises(InputFileError, match=r"corpus\.documents is not set"):
        refreshes(project)
