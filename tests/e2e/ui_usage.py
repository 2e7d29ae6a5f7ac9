"""See what users asked as a person does: serve, blame, correct and accept questions, and look at the assets of usage.

Run by hand where Chromium is installed: `PYTHONPATH=tests/support .venv/bin/python tests/e2e/ui_usage.py OUT_DIR`. It works on a
copy of the sample project, starts Dagster on a free port of the loopback, and writes usage.png and answer.png.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from started_process import started_process
from ui_staleness import BIN, NODES, ask, copy_project, free_port, screenshot, wait_for

GROUPS = ("usage", "answer")
MESSAGES = "How long was the training of Gintaras-L?\n/right 310 hours\nWho won the chess championship?\n/bad\n"


def main(out: Path) -> int:
    """Return 0 where every asset of the group usage was computed."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        home = copy_project(Path(folder))
        dagster_home = {"DAGSTER_HOME": str(home / "dagster_home"), "KOHAKU_CONFIG": str(home / "kohaku.toml")}
        environment = os.environ | dagster_home
        run = lambda *command, **more: subprocess.run(command, cwd=home, env=environment, check=True, **more)
        run(BIN / "kohaku", "refresh")
        run(BIN / "kohaku", "chat", input=MESSAGES, text=True)
        listed = run(BIN / "kohaku", "review", capture_output=True, text=True).stdout
        run(BIN / "kohaku", "review", "--accept", listed.split()[0], "--source", "kohaku-energy-report")
        run(BIN / "kohaku", "refresh")
        run(BIN / "dagster", "job", "execute", "-m", "kohaku_assets.definitions", "-j", "usage", capture_output=True)
        port = free_port()
        with started_process(
            [BIN / "dagster", "dev", "-w", "workspace.yaml", "-h", "127.0.0.1", "-p", str(port)],
            cwd=home,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ):
            url = f"http://127.0.0.1:{port}"
            nodes = wait_for(lambda: ask(url, NODES)["assetNodes"] or None, 180)
            location = nodes[0]["repository"]["location"]["name"]
            for group in GROUPS:
                screenshot(f"{url}/locations/{location}/asset-groups/{group}/lineage", out / f"{group}.png")
    status = {node["assetKey"]["path"][-1]: node["staleStatus"] for node in nodes if node["groupName"] in GROUPS}
    print(status)
    return 0 if set(status.values()) == {"FRESH"} else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
