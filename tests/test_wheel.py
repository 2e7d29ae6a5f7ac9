"""The wheel and the sdist: built, complete, and used from an empty environment in an empty folder."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.slow
def test_the_wheel_works_from_an_empty_environment_and_the_sdist_holds_every_tracked_file(tmp_path):
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(tmp_path), "setuptools"]
    if subprocess.run(download, capture_output=True, check=False).returncode:
        pytest.skip("no registry of packages answers")
    done = subprocess.run([ROOT / ".ci" / "wheel"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
