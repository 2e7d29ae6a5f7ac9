"""The start of the page in a real browser: what to do first, what was read and what was not, and questions to begin with."""

import shutil
import subprocess
import sys

import pytest
from running_server import running_server

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium (apt-get install chromium)"),
    # greenlets of playwright are collected while their loop is closed
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
]
WAIT_MS = 120_000
KETTLE = """---
language: en
---

# The kitchen

The blue kettle holds 1.7 litres. It was bought by Ida Holm.
"""


@pytest.fixture
def empty_page(tmp_path):
    """The page of a project without documents."""
    home = tmp_path / "project"
    subprocess.run(
        [sys.executable, "-m", "kohaku_assets.cli", "init", str(home), "--no-models"],
        check=True,
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    (home / "data" / "documents" / "broken.pdf").write_bytes(b"%PDF-1.4 and nothing else")
    with sync_api.sync_playwright() as playwright, running_server(home) as running:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_context(locale="en-US").new_page()
        page.set_default_timeout(WAIT_MS)
        page.goto(running.url)
        yield page
        browser.close()


def test_the_first_file_is_added_at_the_start_which_then_tells_what_was_read_and_what_to_ask(empty_page, tmp_path):
    page = empty_page
    page.wait_for_selector("#nothing-read")
    assert page.locator("#notice").is_hidden()
    (tmp_path / "kitchen.md").write_text(KETTLE, encoding="utf-8")
    page.set_input_files("#start-files", tmp_path / "kitchen.md")
    page.get_by_text("Done: you can ask now.").wait_for()
    page.click("[data-view=ask]")
    page.wait_for_selector("#overview")
    told = page.locator("#overview").inner_text()
    assert "Documents: 1 · Languages: English" in told
    assert "One file could not be read. It is damaged beyond repair or is not a PDF." in told
    page.click("#language")
    page.get_by_text("Eine Datei konnte nicht gelesen werden. Sie ist zu stark beschädigt oder kein PDF.").wait_for()
    page.click("#language")
    page.wait_for_selector(".suggestions button")  # tried after the index was published
    assert page.locator(".suggestions button").all_inner_texts() == ["How many litres does the blue kettle hold?"]
    page.get_by_role("button", name="Show them").click()
    assert page.locator("#document-rows .failed").is_visible()
    page.click("[data-view=ask]")
    page.locator(".suggestions button").click()
    page.locator(".answer .meta").wait_for()
    assert "1.7" in page.locator(".answer .content").inner_text()
