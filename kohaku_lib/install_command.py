"""Commands that install packages into the environment of this interpreter."""

from __future__ import annotations

import importlib.util
import shlex
import sys
from importlib import metadata

from packaging.requirements import Requirement


def install_command(extra: str) -> str:
    """Return the command that installs what an extra of Kohaku needs; "" where no version of it fits this Python.

    It names the packages and not Kohaku, which need not come from a package index.

    >>> install_command("ann").endswith(" 'usearch>=2.16'")
    True
    """
    needs = [Requirement(line) for line in metadata.requires("kohaku") or ()]
    optional = [(need, need.marker) for need in needs if need.marker and not need.marker.evaluate({"extra": ""})]
    packages = [f"{need.name}{need.specifier}" for need, marker in optional if marker.evaluate({"extra": extra})]
    return pip_command(*packages) if packages else ""


def pip_command(*packages: str) -> str:
    """Return the command that installs `packages` for this interpreter, and not for the first one on PATH.

    Environments without pip, such as those of `uv tool install`, get the command of uv.
    """
    has_pip = importlib.util.find_spec("pip") is not None
    pip = [sys.executable, "-m", "pip", "install"] if has_pip else ["uv", "pip", "install", "--python", sys.executable]
    return shlex.join([*pip, *packages])
