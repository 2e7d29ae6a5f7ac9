"""The name under which a shell finds this `kohaku`."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path


def own_name() -> str:
    """Return the command for a shell: the path of the script if its environment is not activated."""
    script, on_path = Path(sys.executable).with_name("kohaku"), shutil.which("kohaku")
    # uv and pipx put a link to the script on the path
    is_on_path = on_path is not None and script.exists() and Path(on_path).resolve() == script.resolve()
    return "kohaku" if is_on_path or not script.exists() else shlex.quote(str(script))
