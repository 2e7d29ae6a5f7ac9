"""What is said after a roll-back."""

from index_material import LIBRARY, small_snapshot

from kohaku_assets.cli.shared.roll_back import say_if_rolled_back
from kohaku_assets.pipeline.project import Project
from kohaku_lib.index import publish, roll_back
from kohaku_lib.settings import load_settings


def test_the_published_version_and_the_way_back_are_named_until_the_newer_one_is_published(tmp_path, capsys):
    project = Project(load_settings(environment={}, folder=tmp_path))
    for version in ("older", "newer"):
        small_snapshot(project.snapshots, LIBRARY, version)
        publish(project.snapshots, version)
    say_if_rolled_back(project)
    assert capsys.readouterr().err == ""
    roll_back(project.snapshots)
    say_if_rolled_back(project)
    assert capsys.readouterr().err == (
        "questions are answered from index version older, since newer was rolled back; "
        "'kohaku snapshots --publish newer' publishes it again\n"
    )
    publish(project.snapshots, "newer")
    say_if_rolled_back(project)
    assert capsys.readouterr().err == ""
