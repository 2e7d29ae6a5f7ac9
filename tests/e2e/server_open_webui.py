"""Open WebUI with Kohaku as its model: a question asked in its page by a browser, its answer and its sources on a screenshot.

Run by hand where Chromium is installed, Open WebUI in an environment of its own (3 GB; `pip install open-webui torch==2.13.0`
with PyTorch's CPU wheels): `PYTHONPATH=tests/support .venv/bin/python tests/e2e/server_open_webui.py OUT_DIR --open-webui
OTHER/bin/open-webui`. It builds a copy of the sample and serves it, starts Open WebUI offline on a free port of the loopback
with a database of its own, signs its administrator up, and writes answer.png and sources.png.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from llama_session import free_port, wait_until_ready
from playwright.sync_api import Page, sync_playwright
from served_sample import QUESTION, VALUE, Served, held, served_sample
from started_process import started_process

CHROMIUM = "/usr/bin/chromium"
WAIT_MS, SETTLED_MS = 120_000, 1_000
ADMINISTRATOR = {"name": "Ann", "email": "ann@example.org", "password": "a long password"}
OFFLINE = {
    "OFFLINE_MODE": "true",
    "HF_HUB_OFFLINE": "1",
    "ENABLE_OLLAMA_API": "false",
    "ENABLE_VERSION_UPDATE_CHECK": "false",
    "BYPASS_EMBEDDING_AND_RETRIEVAL": "true",  # it would load a model for files of its own
    "RAG_EMBEDDING_ENGINE": "openai",
    "ENABLE_TITLE_GENERATION": "false",  # each asks the model once more
    "ENABLE_TAGS_GENERATION": "false",
    "ENABLE_FOLLOW_UP_GENERATION": "false",
    "WEBUI_SECRET_KEY": "of this run only",
}


def main() -> int:
    """Return 0 where its page showed the answer and its sources."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--open-webui", default="open-webui", help="its program")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with served_sample() as served, open_webui(options.open_webui, served) as url:
        signed_up = httpx.post(f"{url}/api/v1/auths/signup", json=ADMINISTRATOR, timeout=60).raise_for_status().json()
        headers = {"Authorization": f"Bearer {signed_up['token']}"}
        models = httpx.get(f"{url}/api/models", headers=headers, timeout=60).raise_for_status().json()["data"]
        held("Open WebUI lists the models", {"kohaku", "kohaku-maximum"} <= {one["id"] for one in models}, models)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1200, "height": 900})
            page.set_default_timeout(WAIT_MS)
            ask_in_page(page, url, signed_up["token"], options.out)
            browser.close()
    print("all held")
    return 0


def ask_in_page(page: Page, url: str, token: str, out: Path) -> None:
    """Ask the question in the page of Open WebUI, and open its sources."""
    page.goto(url)
    page.evaluate("token => localStorage.setItem('token', token)", token)
    page.goto(f"{url}/?models=kohaku")
    box = page.locator("#chat-input")
    box.wait_for()
    dismiss = page.get_by_role("button", name="Okay, Let's Go!")
    if dismiss.count():
        dismiss.click()
    box.click()
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    answer = page.locator(".chat-assistant").first
    answer.get_by_text("Energy Report of the Kohaku Workshop").first.wait_for()
    text = answer.inner_text()
    page.screenshot(path=out / "answer.png")
    held("Open WebUI shows the answer", VALUE in text.replace(",", ""), text)
    links = [one.get_attribute("href") for one in answer.locator("a").all()]
    held("its footnotes lead to the page of Kohaku", any("/#node=" in (link or "") for link in links), links)
    answer.get_by_role("button", name="1 Source").click()
    page.wait_for_timeout(SETTLED_MS)
    page.screenshot(path=out / "sources.png")
    [listed] = page.locator("a[href*='/#node=']:visible").all()[-1:]
    held("it lists the source", "Energy Report" in listed.inner_text(), listed.inner_text())


@contextmanager
def open_webui(program: str, served: Served) -> Iterator[str]:
    """Run Open WebUI with Kohaku as its model for the block, and give its address."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        own = {"DATA_DIR": folder, "OPENAI_API_BASE_URL": f"{served.url}/v1", "OPENAI_API_KEY": served.key}
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | OFFLINE | own
        log = Path(folder) / "log.txt"
        command = [program, "serve", "--host", "127.0.0.1", "--port", str(port)]
        with (
            log.open("wb") as written,
            started_process(command, cwd=folder, env=environment, stdout=written, stderr=subprocess.STDOUT) as process,
        ):
            try:
                wait_until_ready(process, f"http://127.0.0.1:{port}/health")
                yield f"http://127.0.0.1:{port}"
            except BaseException:
                print(log.read_text(errors="replace")[-3000:])
                raise


if __name__ == "__main__":
    sys.exit(main())
