"""A project goes to another machine by its backup, where nothing is computed again; backups of running refreshes hold."""

import shutil
import subprocess
import sys
import threading

import killed_runs
import pytest
from click.testing import CliRunner

from kohaku_assets.cli import main
from kohaku_assets.operations.backups import check_backup, list_backups, restore_project
from kohaku_assets.operations.doctor.examine import examine
from kohaku_assets.operations.refresh import refresh
from kohaku_assets.records.backups import backup_project, open_backups
from kohaku_lib.errors import SettingsError, StoreError
from kohaku_lib.project import open_published_index


def contents(store):
    """Return the outputs, the published index and the answers of a store by path."""
    files = (path for path in store.rglob("*") if path.suffix in (".parquet", ".arrow", ".csv", ".npy"))
    return {path.relative_to(store): path.read_bytes() for path in files}


def test_a_restored_project_is_sound_and_computes_nothing(fresh, tmp_path, kohaku_checked):
    url = str(tmp_path / "vault")
    assert " files, of which " in kohaku_checked("backup", url).stderr
    elsewhere = fresh(f"store={tmp_path / 'elsewhere'}", f"backup.url={url}")
    done = restore_project(elsewhere, None, None, replace=False)
    backup = done.backup
    assert done.fetched_bytes == backup.bytes - backup.files["format.json"].bytes  # the lock has written that one
    assert {status.status for status in elsewhere.statuses()} == {"fresh"}
    assert refresh(elsewhere).outcomes == {}
    assert examine(elsewhere, mend=False) == []
    assert kohaku_checked("backup", url, "--check").stderr == "the backup is intact\n"
    assert backup.id in kohaku_checked("backup", url, "--list").stdout
    assert "is not empty" in kohaku_checked("restore", url, code=2).stderr
    assert "(0 bytes fetched)" in kohaku_checked("restore", url, "--replace").stderr


def test_a_store_that_a_killed_restore_had_moved_away_is_put_back_by_the_next_command(
    fresh, tmp_path, monkeypatch, caplog
):
    project = fresh(f"backup.url={tmp_path / 'vault'}")
    backup_project(project)
    before = contents(project.store)
    options = ["--set", f"backup.url={tmp_path / 'vault'}"]

    def run(home, *start):
        arguments = [sys.executable, *start, *options]
        return subprocess.run(arguments, cwd=home, capture_output=True, text=True, check=False)

    killed = run(project.home, killed_runs.__file__, f"/{project.store.name}", "1", "restore", "--replace")
    assert killed.returncode == -9, killed.stderr
    assert not project.store.exists()
    (beside,) = project.store.parent.glob(".store.*.restored.old")
    assert (beside / "submission.csv").exists()

    for command in (("search", "machine room"), ("restore", "--replace")):
        home = shutil.copytree(project.home, tmp_path / command[0])
        monkeypatch.chdir(home)
        caplog.clear()
        done = CliRunner().invoke(main, [*command, *options])
        assert done.exit_code == 0, done.output
        assert "\n".join(caplog.messages).count("a restore was interrupted, so the store") == 1
        assert_is_back(home / project.store.relative_to(project.home), before)
    done = run(project.home, "-m", "kohaku_assets.cli", "status")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("a restore was interrupted, so the store") == 1
    assert_is_back(project.store, before)


def assert_is_back(store, before):
    assert contents(store) == before
    assert list(store.parent.glob(".*.restored*")) == []


def test_no_backup_is_restored_while_an_index_is_open(fresh, tmp_path):
    project = fresh(f"backup.url={tmp_path / 'vault'}")
    backup_project(project)
    snapshot = open_published_index(project.store)
    with pytest.raises(StoreError, match="end it"):
        restore_project(project, None, None, replace=True)
    del snapshot
    restore_project(project, None, None, replace=True)


@pytest.mark.slow
def test_backups_during_a_refresh_hold_states_that_are_sound(fresh, tmp_path):
    url, overrides = str(tmp_path / "vault"), ("lexical.k1=0.7", "release.gate=false", "backup.after_refresh=true")
    project = fresh(*overrides, f"backup.url={url}")
    is_over = threading.Event()

    def repeat():
        while not is_over.is_set():
            backup_project(project)

    thread = threading.Thread(target=repeat)
    thread.start()
    report = refresh(project)
    is_over.set()
    thread.join()
    assert report.failure is None
    assert report.backup.startswith("backup 20")
    backups = list_backups(open_backups(project))
    assert len(backups) > 1
    for number, backup in enumerate({len(one.files): one for one in backups}.values()):
        assert check_backup(open_backups(project), backup.id) == []
        restored = fresh(f"store={tmp_path / f'restored-{number}'}", f"backup.url={url}")
        restore_project(restored, None, backup.id, replace=False)
        assert examine(restored, mend=False) == []


def test_a_backup_that_fails_fails_no_run(fresh):
    project = fresh("backup.url=amber://bucket", "backup.after_refresh=true", "ensemble.ref_mode=union")
    report = refresh(project, ["ensemble_votes"])
    assert report.failure is None
    assert report.backup.startswith("no backup was made: 'amber://bucket' is no folder and no bucket")
    with pytest.raises(SettingsError, match=r"set backup\.url"):
        backup_project(fresh())
