"""See the reports as a person does: open the asset in Dagster, click on its Markdown, look.

Run by hand where Chromium is installed: `PYTHONPATH=tests/support .venv/bin/python tests/e2e/ui_reports.py OUT_DIR`. It builds
a copy of the sample project, whose contexts are so poor that some answers are wrong, and a sweep; starts Dagster's webserver on a
free port of the loopback; and writes error_report.png, sweep_report.png and page.png, the error report's own page. It
fails where a report shows no picture.
"""

from __future__ import annotations

import base64
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from started_process import started_process
from ui_staleness import BIN, NODES, ask, copy_project, free_port, wait_for
from websockets.sync.client import connect

SETTINGS = """
[retrieval]
context_tokens = 120
lexical_weight = 0.0

[sweep.context]
line = "retrieval.lexical_weight"
line_values = [0.0, 1.0]
x = "retrieval.context_tokens"
x_values = [60, 120, 250, 500, 1000]
runs = 1
"""
DIALOG = """(() => { const {x, y, width, height} = document.querySelector('[role=dialog]').getBoundingClientRect();
return JSON.stringify({x, y, width, height: Math.min(height, innerHeight - y)}); })()"""
CLICK = "[...document.querySelectorAll('a')].filter(e => e.textContent === '[Show Markdown]')[0].click()"
DRAWN = "[...document.images].filter(i => i.src.startsWith('data:image/png') && i.naturalWidth > 300).length"


def main(out: Path) -> int:
    """Return 0 where both reports show their pictures in the UI."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        home = copy_project(Path(folder))
        (home / "kohaku.toml").write_text((home / "kohaku.toml").read_text() + SETTINGS)
        environment = os.environ | {
            "DAGSTER_HOME": str(home / "dagster_home"),
            "KOHAKU_CONFIG": str(home / "kohaku.toml"),
        }
        for command in (["refresh"], ["sweep", "context"]):
            subprocess.run([BIN / "kohaku", *command], cwd=home, env=environment, check=True, stdout=subprocess.DEVNULL)
        port = free_port()
        with started_process(
            [BIN / "dagster-webserver", "-w", "workspace.yaml", "-h", "127.0.0.1", "-p", str(port)],
            cwd=home,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ):
            url = f"http://127.0.0.1:{port}"
            wait_for(lambda: ask(url, NODES)["assetNodes"], 120)
            with browser() as page:
                drawn = [photograph(page, f"{url}/assets/{name}", out) for name in ("error_report", "sweep_report")]
                report = home / "data" / "store" / "reports" / "error_report.html"
                page("Page.navigate", url=report.as_uri())
                time.sleep(2)
                shoot(page, out / "page.png")
    print("pictures shown:", drawn)
    return 0 if all(drawn) else 1


def photograph(page, url: str, out: Path) -> int:
    """Open an asset, click on its first Markdown, write the picture and return how many pictures it shows."""
    page("Page.navigate", url=url)
    wait_for(lambda: evaluate(page, f"{CLICK} || true"), 60)
    shown = wait_for(lambda: evaluate(page, DRAWN) or None, 30)
    time.sleep(1)
    shoot(page, out / f"{url.rsplit('/', 1)[1]}.png", json.loads(evaluate(page, DIALOG)))
    return shown


def shoot(page, path: Path, clip: dict | None = None) -> None:
    """Write what the window shows, or the part of it that `clip` bounds."""
    part = {"clip": clip | {"scale": 1}} if clip else {}
    path.write_bytes(base64.b64decode(page("Page.captureScreenshot", format="png", **part)["data"]))


def evaluate(page, script: str):
    """Return the value of a script in the page; a script that fails gives None."""
    found = page("Runtime.evaluate", expression=script)
    return None if "exceptionDetails" in found else found["result"].get("value")


@contextmanager
def browser(width: int = 1200, height: int = 1300):
    """Yield a function that sends one command of the DevTools protocol to a headless Chromium and returns its result."""
    port = free_port()
    with tempfile.TemporaryDirectory() as profile:
        command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
        command += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
        command += [f"--user-data-dir={profile}", f"--window-size={width},{height}"]
        command += [f"--remote-debugging-port={port}", "--remote-debugging-address=127.0.0.1", "about:blank"]
        with started_process(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
            tabs = wait_for(lambda: json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=5)), 60)
            address = next(tab["webSocketDebuggerUrl"] for tab in tabs if tab["type"] == "page")
            with connect(address, max_size=None) as socket:
                page = sender(socket)
                page(
                    "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
                )
                yield page


def sender(socket):
    numbers = itertools.count(1)

    def send(method: str, **parameters):
        number = next(numbers)
        socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(socket.recv(timeout=60))
            if answer.get("id") == number:
                return answer["result"]

    return send


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
