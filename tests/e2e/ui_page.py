"""The pictures of the page in docs/images: its start, an answer with its document beside it, and the documents.

Run by hand where Chromium and playwright are installed: `PYTHONPATH=tests/support .venv/bin/python tests/e2e/ui_page.py
docs/images`. It builds a copy of the sample project, serves it on a free port of the loopback, and writes page_start.png,
page_answer.png and page_documents.png.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright
from running_server import running_server
from ui_staleness import BIN, copy_project

QUESTION = "How much electricity did the whole workshop use in 2023?"
SIZE = {"width": 1200, "height": 800}
WAIT_MS = 120_000
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def main(out: Path) -> None:
    """Write the pictures into `out`."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        home = copy_project(Path(folder))
        environment = os.environ | {"DAGSTER_HOME": str(home / "dagster_home")}
        command = [BIN / "kohaku", "refresh"]
        subprocess.run(command, cwd=home, env=environment, check=True, stdout=subprocess.DEVNULL)
        with running_server(home) as server, sync_playwright() as playwright:
            server.client.post("/v1/search", json={"query": "amber"})  # by then it is ready
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            page = browser.new_page(viewport=SIZE, locale="en-US", color_scheme="light")
            page.set_default_timeout(WAIT_MS)
            page.goto(server.url)
            photograph(page, out)
            browser.close()


def photograph(page: Page, out: Path) -> None:
    """Go through the page as somebody who opens it for the first time."""
    page.locator(".suggestions button").first.wait_for()
    shoot(page, out / "page_start.png")
    page.fill("#message", QUESTION)
    page.keyboard.press("Enter")
    page.locator(".answer .meta").first.wait_for()
    page.locator(".answer .cite").first.click()
    page.locator("#document-body rect").first.wait_for(state="attached")
    page.wait_for_load_state("networkidle")
    shoot(page, out / "page_answer.png")
    page.click("#document-close")
    page.click("[data-view=documents]")
    page.locator("#document-rows tr").nth(2).wait_for()
    shoot(page, out / "page_documents.png")


def shoot(page: Page, path: Path) -> None:
    """Write what the window shows, in 64 colours, which take a fifth of the room."""
    with Image.open(io.BytesIO(page.screenshot())) as picture:
        picture.convert("RGB").quantize(64, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
