"""Messages name the command as the user's shell finds it."""

import shlex
import sys
from pathlib import Path

from kohaku_assets.cli.shared.own_name import own_name

SCRIPT = Path(sys.executable).with_name("kohaku")


def test_a_link_on_the_path_as_uv_and_pipx_make_it_is_kohaku(tmp_path, monkeypatch):
    (tmp_path / "kohaku").symlink_to(SCRIPT)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert own_name() == "kohaku"


def test_another_kohaku_on_the_path_is_not_ours(tmp_path, monkeypatch):
    (tmp_path / "kohaku").write_text("#!/bin/sh\n")
    (tmp_path / "kohaku").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert own_name() == shlex.quote(str(SCRIPT))


def test_without_one_on_the_path_it_is_the_place_of_the_script(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert own_name() == shlex.quote(str(SCRIPT))
