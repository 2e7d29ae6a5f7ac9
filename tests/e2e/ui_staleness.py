"""See staleness as a person does: change retrieval.top_k, look at the asset graph, materialise what is unsynced, look again.

Run by hand where Chromium is installed: `PYTHONPATH=tests/support .venv/bin/python tests/e2e/ui_staleness.py OUT_DIR`. It works
on a copy of the sample project, starts Dagster on a free port of the loopback, and writes before-GROUP.png and after-GROUP.png.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from started_process import started_process

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
EXPECTED = [
    "ensemble_votes",
    "error_report",
    "predictions",
    "published_index",
    "retrieval_scores",
    "retrieved_context",
    "scores",
    "submission",
    "suggested_questions",
]
PIPELINE = ("ingest", "index", "answer", "evaluate")
NODES = "{ assetNodes { groupName assetKey { path } staleStatus jobNames repository { name location { name } } } }"
LAUNCH = "mutation($p: ExecutionParams!) { launchPipelineExecution(executionParams: $p) { __typename } }"


def main(out: Path) -> int:
    """Return 0 where exactly the expected assets were unsynced, and none after materialising."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        home = copy_project(Path(folder))
        environment = os.environ | {
            "DAGSTER_HOME": str(home / "dagster_home"),
            "KOHAKU_CONFIG": str(home / "kohaku.toml"),
        }
        run = lambda *command: subprocess.run(command, cwd=home, env=environment, check=True)
        run(BIN / "kohaku", "refresh")
        with (home / "kohaku.toml").open("a") as stream:
            stream.write("\n[retrieval]\ntop_k = 3\n")
        port = free_port()
        with started_process(
            [BIN / "dagster", "dev", "-w", "workspace.yaml", "-h", "127.0.0.1", "-p", str(port)],
            cwd=home,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ):
            url = f"http://127.0.0.1:{port}"
            before = wait_for(lambda: stale(url), 90)
            screenshots(url, out, "before")
            print("unsynced before:", before)
            launch(url, before)
            after = wait_for(lambda: None if stale(url) else [], 120)
            screenshots(url, out, "after")
            print("unsynced after: ", after)
    return 0 if before == EXPECTED and after == [] else 1


def copy_project(home: Path) -> Path:
    shutil.copytree(ROOT / "data" / "sample", home / "data" / "sample")
    for name in ("kohaku.toml", "workspace.yaml", "dagster_home/dagster.yaml"):
        (home / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, home / name)
    return home


def stale(url: str) -> list[str]:
    nodes = ask(url, NODES)["assetNodes"]
    return sorted(
        node["assetKey"]["path"][-1]
        for node in nodes
        if node["staleStatus"] != "FRESH" and node["groupName"] in PIPELINE
    )


def launch(url: str, assets: list[str]) -> None:
    """Launch a run of `assets` as the button "Materialize unsynced" does."""
    node = ask(url, NODES)["assetNodes"][0]
    selector = {
        "repositoryName": node["repository"]["name"],
        "repositoryLocationName": node["repository"]["location"]["name"],
        "pipelineName": "__ASSET_JOB",
        "assetSelection": [{"path": [name]} for name in assets],
        "assetCheckSelection": [],
    }
    answer = ask(url, LAUNCH, {"p": {"selector": selector, "mode": "default", "runConfigData": "{}"}})
    print("launched:", answer["launchPipelineExecution"]["__typename"])


def ask(url: str, query: str, variables: dict | None = None) -> dict:
    body = json.dumps({"query": query, "variables": variables or {}}).encode()
    request = urllib.request.Request(f"{url}/graphql", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)["data"]


def wait_for(probe, limit_s: float):
    """Return the first result of `probe` that is not None, asked once a second; errors count as None."""
    end = time.monotonic() + limit_s
    while True:
        try:
            found = probe()
        except (OSError, KeyError, TypeError, ValueError):
            found = None
        if found is not None:
            return found
        if time.monotonic() > end:
            raise TimeoutError(f"not within {limit_s} s")
        time.sleep(1)


def screenshots(url: str, out: Path, moment: str) -> None:
    location = ask(url, NODES)["assetNodes"][0]["repository"]["location"]["name"]
    for group in ("index", "answer", "evaluate"):
        screenshot(f"{url}/locations/{location}/asset-groups/{group}/lineage", out / f"{moment}-{group}.png")


def screenshot(url: str, path: Path) -> None:
    with tempfile.TemporaryDirectory() as profile:
        command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
        command += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
        command += [f"--user-data-dir={profile}", "--window-size=2600,1400", "--virtual-time-budget=30000"]
        subprocess.run([*command, f"--screenshot={path}", url], check=True, capture_output=True, timeout=120)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
