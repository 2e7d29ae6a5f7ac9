"""Commands for what is not installed name this interpreter and the packages themselves."""

import importlib.util
import os
import shlex
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from kohaku_lib.install_command import install_command, pip_command

ROOT = Path(__file__).resolve().parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]


@pytest.mark.parametrize("extra", EXTRAS)
def test_the_command_installs_what_the_extra_declares_for_this_python(extra):
    needs = [Requirement(line) for line in EXTRAS[extra]]
    wanted = {(need.name, need.specifier) for need in needs if need.marker is None or need.marker.evaluate()}
    python, *call = shlex.split(install_command(extra))
    assert (python, call[:3]) == (sys.executable, ["-m", "pip", "install"])
    assert {(one.name, one.specifier) for one in map(Requirement, call[3:])} == wanted


def test_an_extra_that_has_nothing_for_this_python_has_no_command():
    assert install_command("no-such-extra") == ""


def test_an_environment_without_pip_is_given_the_command_of_uv(tmp_path):
    venv.create(tmp_path / "bare", with_pip=False)
    python = tmp_path / "bare" / "bin" / "python"
    (tmp_path / "packages").mkdir()
    for name in ("kohaku_lib", "packaging"):
        folder = importlib.util.find_spec(name).submodule_search_locations[0]
        (tmp_path / "packages" / name).symlink_to(folder)
    (tmp_path / "packages" / "kohaku-1.dist-info").mkdir()
    (tmp_path / "packages" / "kohaku-1.dist-info" / "METADATA").write_text("Name: kohaku\nVersion: 1\n")
    code = "from kohaku_lib.install_command import pip_command; print(pip_command('usearch>=2.16'))"
    environment = {"PYTHONPATH": str(tmp_path / "packages"), "PATH": os.environ["PATH"]}
    told = subprocess.run([python, "-c", code], env=environment, capture_output=True, text=True, check=True).stdout
    assert shlex.split(told) == ["uv", "pip", "install", "--python", str(python), "usearch>=2.16"]
    assert pip_command("a b").endswith(" 'a b'")
