"""The page of `kohaku serve` in Chromium: its start, opening a source, the list of thousands of documents, its weight.

    python benchmarks/page_times.py [--documents 5000] [--rounds 5]
    git worktree add --detach /tmp/before v0.1.0 && python benchmarks/page_times.py --checkout /tmp/before --checkout .

Each state of the code (--checkout, by default this one) reads a project of its own: the sample documents and thousands of
small text files. In each round the states take turns: each starts its server anew, and one page measures all. A time ends
with the frame that shows what is waited for, so that even what is there at once takes a part of a frame (17 ms). Printed
are medians over the rounds, the ratio of the last state to the first, and the load of the machine, which two states that
take turns share. Needs Playwright and Chromium.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))
from running_server import running_server

ROOT = Path(__file__).resolve().parents[1]
QUESTIONS = {
    "PDF": "How much electricity did the whole workshop use in 2023?",
    "text": "How many panels does the solar roof have?",
}
WARM = 5  # times that a source is opened again
FOLDERS = 20
WAIT_MS = 120_000
# A time ends at the first frame in which something that `selector` finds is laid out, an image also loaded.
SCRIPT = """
const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
const isDrawn = (one) => one.getClientRects().length && (one.tagName !== "IMG" || one.naturalWidth);
const visible = (selector) => [...document.querySelectorAll(selector)].some(isDrawn);
window.until = async (act, selector) => {
  const began = performance.now();
  act();
  do await frame(); while (!visible(selector));
  return performance.now() - began;
};
window.scrolled = async (rows) => {
  let box = document.querySelector(rows);
  while (box.scrollHeight <= box.clientHeight || !/auto|scroll/.test(getComputedStyle(box).overflowY)) box = box.parentElement;
  const began = performance.now();
  let last = await frame(), longest = 0, still = 0;
  while (still < 30) {  // half a second at the end, for what is added there
    const before = box.scrollTop;
    box.scrollTop += box.clientHeight;
    const now = await frame();
    longest = Math.max(longest, now - last);
    last = now;
    still = box.scrollTop === before ? still + 1 : 0;
  }
  return { longest, all: performance.now() - began, rows: document.querySelector(rows).children.length };
};
"""
SOURCE = ".sources button"
PLACES = {"PDF": ".page img", "text": "#viewer .passage, #document-body mark"}  # of a dialog once, of the panel now


def main() -> None:
    options = _options()
    states = [path.resolve() for path in options.checkout]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        homes = [_project(Path(folder) / f"state-{place}", state, options) for place, state in enumerate(states)]
        browser = playwright.chromium.launch(executable_path=_chromium(), args=["--no-sandbox"])
        found: list[dict[str, list[float]]] = [{} for _ in states]
        for number in range(options.rounds):
            for values, state, home in zip(found, states, homes, strict=True):
                with _running_as(state), running_server(home) as server:
                    server.client.post("/v1/search", json={"query": "amber"}).raise_for_status()  # by then it is ready
                    for name, value in _measured(browser, server.url, options.documents).items():
                        values.setdefault(name, []).append(value)
            print(f"round {number + 1} of {options.rounds}, load {os.getloadavg()[0]:.1f}", flush=True)
        browser.close()
    print(f"{'':34}" + "".join(f"{state.name[:14]:>16}" for state in states) + f"{'last/first':>12}")
    for name in found[-1]:
        values = [median(one[name]) for one in found]
        ratio = f"{values[-1] / values[0]:12.2f}" if len(states) > 1 and values[0] else ""
        print(f"{name:34}" + "".join(f"{value:16,.1f}" for value in values) + ratio)


def _measured(browser: Browser, url: str, documents: int) -> dict[str, float]:
    """Return each time in milliseconds, and the kilobytes that the page loads, of one page."""
    values: dict[str, float] = {}
    with browser.new_context(viewport={"width": 1200, "height": 800}, locale="en-US") as context:
        context.add_init_script(SCRIPT)
        page = context.new_page()
        page.set_default_timeout(WAIT_MS)
        page.goto(url, wait_until="commit")
        values["start, ms"] = page.evaluate("until(() => {}, '#messages h2').then(() => performance.now())")
        page.wait_for_load_state("networkidle")
        values |= _weight(page)
        for kind, question in QUESTIONS.items():
            page.fill("#message", question)
            answered = page.locator(".answer .meta").count()
            page.keyboard.press("Enter")
            page.locator(".answer .meta").nth(answered).wait_for()
            times = [_opened(page, kind) for _ in range(1 + WARM)]
            values[f"source of a {kind} opened, cold, ms"] = times[0]
            values[f"source of a {kind} opened, warm, ms"] = median(times[1:])
        values["documents shown, ms"] = page.evaluate(
            "until(() => document.querySelector('[data-view=documents]').click(), '#document-rows td:nth-child(2)')"
        )
        scrolled = page.evaluate("scrolled('#document-rows')")
        assert scrolled["rows"] >= documents, f"only {scrolled['rows']} documents can be scrolled to"
        values["documents scrolled through, ms"] = scrolled["all"]
        values["longest gap between frames, ms"] = scrolled["longest"]
    return values


def _opened(page: Page, kind: str) -> float:
    """Open the first source of the last answer, and close it again."""
    click = f"() => [...document.querySelectorAll('.answer')].at(-1).querySelector('{SOURCE}').click()"
    took = page.evaluate(f"until({click}, {PLACES[kind]!r})")
    page.keyboard.press("Escape")
    page.wait_for_function(f"() => !document.querySelector({PLACES[kind]!r})?.getClientRects().length")
    page.wait_for_timeout(100)
    return took


def _weight(page: Page) -> dict[str, float]:
    """Return the size of the files of the page, as they are and as they are sent."""
    script = """() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
        .filter((one) => !one.name.includes("/v1/")).map((one) => [one.decodedBodySize, one.encodedBodySize])"""
    plain, sent = (sum(sizes) / 1000 for sizes in zip(*page.evaluate(script), strict=True))
    return {"files of the page, kB": plain, "files of the page as sent, kB": sent}


def _project(home: Path, state: Path, options: argparse.Namespace) -> Path:
    """Write a project, and have the state of the code at `state` read it."""
    documents = home / "documents"
    shutil.copytree(ROOT / "data" / "sample" / "documents", documents)
    for number in range(options.documents):
        folder = documents / f"box {number % FOLDERS:02}"
        folder.mkdir(exist_ok=True)
        text = f"Item {number} stands in box {number % FOLDERS}.\n"
        (folder / f"note {number:05}.txt").write_text(text, encoding="utf-8")
    (home / "kohaku.toml").write_text('[corpus]\ndocuments = "documents"\n', encoding="utf-8")
    command = [sys.executable, "-m", "kohaku_assets.cli", "refresh", "published_index"]
    with _running_as(state):
        environment = {**os.environ, "DAGSTER_HOME": str(home / "dagster_home")}
        subprocess.run(command, cwd=home, env=environment, check=True, capture_output=True)
    return home


@contextmanager
def _running_as(state: Path) -> Iterator[None]:
    """Have the processes that start in the block import the code at `state`."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(state)
    try:
        yield
    finally:
        os.environ.pop("PYTHONPATH")
        if before is not None:
            os.environ["PYTHONPATH"] = before


def _chromium() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkout", type=Path, action="append", help="a state of the code; repeatable")
    parser.add_argument("--documents", type=int, default=5_000, help="small text files beside the sample documents")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    options.checkout = options.checkout or [ROOT]
    return options


if __name__ == "__main__":
    main()
