"""What is said after a roll-back."""

import re

from index_material import LIBRARY, small_snapshot

from kohaku_assets.cli.shared.pin_notice import say_if_pinned
from kohaku_assets.pipeline.project import Project
from kohaku_lib.composition import load_settings
from kohaku_lib.index import publish, roll_back, unpin


def test_the_pinned_version_is_named_with_its_start_and_end_until_the_pin_is_lifted(tmp_path, capsys):
    project = Project(load_settings(environment={}, folder=tmp_path))
    for version in ("older", "newer"):
        small_snapshot(project.snapshots, LIBRARY, version)
        publish(project.snapshots, version)
    say_if_pinned(project)
    assert capsys.readouterr().err == ""
    roll_back(project.snapshots)
    say_if_pinned(project)
    said = capsys.readouterr().err
    assert re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "TIME", said) == (
        "questions are answered from index version older, which is pinned since TIME UTC until 'kohaku snapshots --unpin'\n"
    )
    unpin(project.snapshots)
    say_if_pinned(project)
    assert capsys.readouterr().err == ""


def test_ask_status_and_snapshots_say_so(kohaku_checked):
    kohaku_checked("refresh", settings=["lexical.k1=0.7", "release.gate=false"])
    assert "which is pinned since" in kohaku_checked("snapshots", "--roll-back").stderr
    for verb in (["status"], ["ask", "How many hours did the training of Gintaras-L last?"]):
        assert "until 'kohaku snapshots --unpin', which publishes" in kohaku_checked(*verb).stderr
    assert "current, pinned" in kohaku_checked("snapshots").stdout
    assert "is pinned" not in kohaku_checked("snapshots", "--unpin").stderr
