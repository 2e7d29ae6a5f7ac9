"""The document beside an answer, in a real browser: opened at the place, the row or the words marked, for every format."""

import os
import shutil
import subprocess
import sys

import pymupdf
import pytest
from mixed_folder import QUESTIONS, mixed_folder
from running_server import running_server

from kohaku_assets.operations.scaffold import make_project
from kohaku_lib.documents.ocr import chosen_engine

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium (apt-get install chromium)"),
    # greenlets of playwright are collected while their loop is closed
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
]
WAIT_MS = 120_000
needs_ocr = pytest.mark.skipif(chosen_engine("auto") == "off", reason="there is no engine for OCR")
FAULTS = """() => {
    const found = [], told = (one) => `${one.tagName} ${one.id || one.className}: ${one.textContent.trim().slice(0, 40)}`;
    if (document.documentElement.scrollWidth > innerWidth) found.push("the page");
    const seen = "body :is(button, input, select, textarea, summary, a, p, h2, th, td)";
    const aside = ".card .scroll, .part .scroll, .scroll:has(th:nth-child(4))"; // tables of documents, and wide ones
    for (const one of document.querySelectorAll(seen)) {
        const box = one.getBoundingClientRect();
        if (!box.width || !one.checkVisibility() || one.closest(".hidden, .skip")) continue;
        const lines = box.height / parseFloat(getComputedStyle(one).lineHeight);
        if (one.textContent.trim().length > 3 && box.width < 30 && lines > 3) found.push(`letters: ${told(one)}`);
        const isPressed = !one.title && one.matches("button, summary");
        if (isPressed && one.scrollWidth > one.clientWidth + 1) found.push(`out of: ${told(one)}`);
        for (let over = one.parentElement, isScrolled = false; over; over = over.parentElement) {
            const { overflowX, overflowY } = getComputedStyle(over), edge = over.getBoundingClientRect();
            if (over.matches(aside)) break;
            const isBeside = box.left < edge.left - 1 || box.right > edge.right + 1;
            const isBelow = box.top < edge.top - 1 || box.bottom > edge.bottom + 1;
            if (overflowX !== "visible" && isBeside) found.push(`cut off: ${told(one)}`);
            if (!isScrolled && overflowY === "hidden" && isBelow) found.push(`below: ${told(one)}`);
            isScrolled ||= /auto|scroll/.test(overflowY);
        }
    }
    return found;
}"""  # what runs out of the page, of its own button or of what clips it
IN_TEXT = [kind for kind in QUESTIONS if kind not in ("pdf", "scan")]


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    home = tmp_path_factory.mktemp("mixed") / "project"
    mixed_folder(home / "documents")
    make_project(home, documents=home / "documents")
    command = [sys.executable, "-m", "kohaku_assets.cli", "refresh"]
    subprocess.run(command, cwd=home, env={**os.environ, "DAGSTER_HOME": str(home / "dagster_home")}, check=True)
    with running_server(home) as running:
        running.home = home
        running.client.post("/v1/search", json={"query": "rooms"})  # by then it is ready
        yield running


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def open_page(browser, served):
    """Return a function that opens the page; no message of the browser's console may come of it."""
    contexts, faults = [], []

    def opened(width=1400, address="/", **options):
        chosen = {"viewport": {"width": width, "height": 844}, "locale": "en-US", **options}
        context = browser.new_context(**chosen)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(WAIT_MS)
        page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(served.url + address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert faults == []


def open_source(page, kind):
    """Ask the question of a kind of document, and open the first source of its answer."""
    page.fill("#message", QUESTIONS[kind][0])
    page.keyboard.press("Enter")
    page.locator(".answer .meta").last.wait_for()
    page.locator(".answer").last.locator(".card .open").first.click()


@pytest.mark.parametrize("kind", IN_TEXT)
def test_the_text_of_a_document_is_opened_with_the_answer_marked(open_page, kind):
    page = open_page()
    open_source(page, kind)
    marked = page.locator("#document-body mark, #document-body tr.marked").first
    marked.wait_for()
    _, word, answer = QUESTIONS[kind]
    assert word.lower() in marked.inner_text().lower()
    bold = page.locator("#document-body strong").all_inner_texts()
    assert [words for words in bold if answer in words] == bold
    assert len(bold) == 1
    assert page.locator("#document-title").inner_text().endswith(f".{kind}")
    assert marked.evaluate("node => node.getBoundingClientRect().bottom <= innerHeight")  # it is in sight


def test_the_page_of_a_pdf_has_a_box_around_the_row_alone(open_page, served):
    page = open_page()
    open_source(page, "pdf")
    page.wait_for_selector("#document-body rect", state="attached")
    boxes = page.locator("#document-body rect").evaluate_all(
        "all => all.map(one => ['x', 'y', 'width', 'height'].map(name => Number(one.getAttribute(name))))"
    )
    [(x, y, width, height)] = boxes
    with pymupdf.open(served.home / "documents" / "Travel rules.pdf") as document:
        [words], [above] = (document[1].search_for(text) for text in ("150 euros", "180 euros"))
    assert x < words.x0 < words.x1 < x + width
    assert above.y1 <= y + 4 < words.y1 <= y + height
    assert height < 30
    assert page.locator("#document-tools").inner_text().startswith("‹\nPage 2 of 2")
    page.get_by_role("button", name="Previous page").click()
    page.locator("#document-tools").get_by_text("Page 1 of 2").wait_for()
    page.get_by_role("button", name="Text", exact=True).click()
    assert page.locator("#document-body tr").first.inner_text().split() == ["City", "Highest", "price", "Breakfast"]


@needs_ocr
def test_a_scan_is_opened_with_a_box_around_the_line(open_page):
    page = open_page()
    open_source(page, "scan")
    box = page.wait_for_selector("#document-body rect", state="attached")
    assert 20 < float(box.get_attribute("height")) < 40


def test_the_contents_of_a_document_lead_to_its_headings(open_page):
    page = open_page()
    page.get_by_role("button", name="Show the documents").click()
    page.get_by_role("button", name="visitors.html", exact=True).click()
    page.locator("#document-tools summary").click()
    [tours] = page.locator(".outline li").filter(has_text="Tours").all()
    assert tours.inner_text() == "Tours A guided tour costs 8.50 euros per person. It takes 75 minutes."
    tours.get_by_role("button").click()
    assert page.locator("#document-body .is-place").inner_text() == "Tours"


def test_a_link_to_a_place_the_back_button_and_the_keyboard_open_and_close_it(open_page):
    page = open_page()
    page.fill("#message", QUESTIONS["xlsx"][0])
    page.keyboard.press("Enter")
    page.locator(".answer .meta").first.wait_for()
    page.locator(".answer .cite").first.focus()
    page.keyboard.press("Tab")  # a source is one step from the answer
    page.keyboard.press("Enter")
    page.locator("#document-body tr.marked").wait_for()
    address = page.evaluate("location.pathname + location.hash")
    assert "node=" in address
    page.go_back()
    page.wait_for_selector("#document-panel", state="hidden")
    page.go_forward()
    page.locator("#document-body tr.marked").wait_for()
    page.keyboard.press("Escape")
    page.wait_for_selector("#document-panel", state="hidden")
    other = open_page(address=address)
    assert other.locator("#document-body tr.marked").inner_text().split() == ["Birch", "1", "24", "yes", "30"]


def test_the_file_is_downloaded_as_it_is_and_an_attachment_opened_from_its_mail(open_page, served, tmp_path):
    page = open_page()
    open_source(page, "eml")
    with page.expect_download() as saving:
        page.get_by_role("button", name="Download").click()
    saving.value.save_as(tmp_path / "saved")
    assert saving.value.suggested_filename == "Storage unit.eml"
    assert (tmp_path / "saved").read_bytes() == (served.home / "documents" / "Storage unit.eml").read_bytes()
    page.get_by_role("button", name="Attachment: floor plan.txt").click()
    page.locator("#document-body").get_by_text("34 square metres").wait_for()
    page.get_by_role("button", name="Attached to: Storage unit.eml").click()
    page.locator("#document-body").get_by_text("Dear Jan").wait_for()


def test_closing_the_second_document_closes_the_panel(open_page):
    page = open_page()
    open_source(page, "xlsx")
    page.locator("#document-body tr.marked").wait_for()
    open_source(page, "csv")
    page.locator("#document-title").get_by_text("supplies.csv").wait_for()
    page.click("#document-close")
    page.wait_for_selector("#document-panel", state="hidden")
    assert "#" not in page.url


def test_on_a_narrow_screen_the_document_is_below_the_answer(open_page):
    page = open_page(width=390)
    open_source(page, "csv")
    page.locator("#document-body tr.marked").wait_for()
    value, panel = (page.locator(name).bounding_box() for name in (".value", "#document-panel"))
    assert value["y"] + value["height"] <= panel["y"]
    assert panel["y"] + panel["height"] <= 845
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_conversation_is_found_by_its_words_opened_with_its_sources_and_saved(open_page, tmp_path):
    page = open_page()
    open_source(page, "docx")
    page.locator("#document-body mark").wait_for()
    page.reload()
    page.fill("#session-search", "laboratory EYEWASH")
    page.locator("#sessions button[title='Where is the eyewash station?']").first.click()
    page.locator(".answer .card .open").first.click()
    page.locator("#document-body mark strong").get_by_text("next to the door").wait_for()
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save this conversation").click()
    saving.value.save_as(tmp_path / "saved.md")
    saved = (tmp_path / "saved.md").read_text()
    assert saved.startswith("## Where is the eyewash station?\n\nnext to the door of laboratory 2 [1]\n")
    assert saved.endswith("[1] Laboratory safety.docx, Emergencies\n")
    page.fill("#session-search", "submarine")
    page.get_by_text("No conversation has these words.").wait_for()
    assert page.locator("#sessions button").count() == 0


def test_documents_are_searched_sorted_and_chosen_to_be_asked_alone(open_page):
    page = open_page()
    page.click("[data-view=documents]")
    page.locator("#document-rows tr").nth(12).wait_for()
    page.fill("#document-search", "rooms XLSX")
    page.locator("#document-rows tr").nth(1).wait_for(state="detached")
    page.fill("#document-search", "")
    page.get_by_role("button", name="Size").click()
    page.get_by_role("button", name="Size").click()
    assert page.locator("#document-rows tr").first.inner_text().strip().startswith("handover scanned.pdf")
    page.get_by_label("Answer only from supplies.csv").check()
    assert page.locator("#view-documents .asking").inner_text().startswith("Answers come from one document only.")
    page.click("[data-view=ask]")
    page.fill("#message", QUESTIONS["xlsx"][0])
    page.keyboard.press("Enter")
    page.locator(".answer .meta").first.wait_for()
    assert page.locator(".answer .value").count() == 0
    page.get_by_role("button", name="Choose others").click()
    page.get_by_role("button", name="Answer from all documents").click()
    page.click("[data-view=ask]")
    open_source(page, "xlsx")
    page.locator("#document-body tr.marked").wait_for()


def test_a_file_is_left_out_and_used_again_and_one_that_is_dropped_anywhere_is_read(open_page):
    page = open_page()
    page.click("[data-view=documents]")
    page.get_by_role("button", name="Leave out: parking.txt").click()
    page.get_by_role("button", name="Include again: parking.txt").click()
    page.get_by_role("button", name="Leave out: parking.txt").wait_for()
    page.click("[data-view=ask]")
    dropped = page.evaluate_handle(
        """() => {
            const data = new DataTransfer();
            data.items.add(new File(["The ferry Amberlina carries 64 bicycles.\\n"], "ferry.txt", { type: "text/plain" }));
            return data;
        }"""
    )
    page.dispatch_event("header", "drop", {"dataTransfer": dropped})
    page.get_by_text("Done: you can ask now.").wait_for()
    page.get_by_role("button", name="ferry.txt", exact=True).wait_for()
    page.get_by_text("What has changed").click()
    page.locator("#change-list li").first.get_by_text("added: ferry.txt").wait_for()
    page.click("[data-view=ask]")
    page.fill("#message", "How many bicycles does the ferry Amberlina carry?")
    page.keyboard.press("Enter")
    page.locator(".value").get_by_text("64").wait_for()


def test_a_file_that_cannot_be_stored_is_named_and_the_others_are_read(open_page, tmp_path):
    (tmp_path / "harbour.txt").write_text("The harbour of Nida was dug in 1931.\n")
    (tmp_path / "logo.xyz").write_text("none\n")
    page = open_page()
    page.click("[data-view=documents]")
    page.set_input_files("#files", [tmp_path / "logo.xyz", tmp_path / "harbour.txt"])
    page.get_by_text("Done: you can ask now.").wait_for()
    page.get_by_role("button", name="harbour.txt", exact=True).wait_for()
    [refused] = page.locator("#upload-refused li").all_inner_texts()
    assert refused.startswith("'logo.xyz' is of no format that can be read; these can: .pdf")
    page.set_input_files("#files", tmp_path / "harbour.txt")
    page.locator("#upload-refused li").wait_for(state="detached")


def test_one_line_tells_of_the_latest_run_alone(open_page):
    page = open_page()
    page.click("[data-view=documents]")
    page.evaluate(
        """() => {
            const line = document.getElementById("upload-state");
            window.told = [];
            new MutationObserver(() => window.told.push(line.textContent)).observe(line, { childList: true });
        }"""
    )
    page.get_by_role("button", name="Leave out: parking.txt").click()
    page.locator("#upload-state").get_by_text("Reading").wait_for()  # so the next run waits for this one
    page.evaluate("window.told.length = 0")
    page.get_by_role("button", name="Include again: parking.txt").click()
    page.get_by_role("button", name="Leave out: parking.txt").wait_for()
    page.get_by_text("Done: you can ask now.").wait_for()
    page.get_by_role("button", name="parking.txt", exact=True).wait_for()
    told = page.evaluate("window.told")
    assert (told.count("Waiting to start"), told.count("Done: you can ask now."), told[-1][:4]) == (1, 1, "Done")


def test_what_has_changed_in_the_folder_is_read_by_a_button(open_page, served):
    folder = served.home / "documents"
    page = open_page()
    page.click("[data-view=documents]")
    page.locator("#document-rows tr").nth(12).wait_for()
    assert page.locator("#read-changed").is_hidden()
    options = page.locator("#document-place option").all_inner_texts()
    assert [name for name in options if name.endswith(".eml/")] == []  # what holds a file is no folder
    (folder / "lighthouse.txt").write_text("The lighthouse of Pervalka is 14 metres high.\n")
    page.reload()
    page.click("[data-view=documents]")
    page.get_by_role("button", name="Read 1 new or changed file", exact=True).click()
    page.get_by_role("button", name="lighthouse.txt", exact=True).wait_for()
    page.wait_for_selector("#read-changed", state="hidden")
    assert focused(page) == "files"
    (folder / "lighthouse.txt").unlink()
    (folder / "pilot.txt").write_text("The pilot of Pervalka is Ona.\n")
    page.reload()
    page.click("[data-view=documents]")
    page.get_by_role("button", name="Read 1 new or changed file · Take out 1 file that is gone").click()
    page.get_by_role("button", name="pilot.txt", exact=True).wait_for()
    page.wait_for_selector("#read-changed", state="hidden")
    assert served.client.get("/v1/documents").json()["gone"] == []


@pytest.mark.parametrize(
    ("width", "height", "scale", "locale"),
    [(360, 740, 1, "de-DE"), (640, 400, 2, "en-US"), (1200, 800, 1, "de-DE"), (1600, 900, 1, "en-US")],
)
def test_nothing_is_cut_off_in_any_view(open_page, width, height, scale, locale):
    viewport = {"width": width, "height": height}
    page = open_page(viewport=viewport, device_scale_factor=scale, locale=locale)
    page.wait_for_selector(".suggestions button")
    faults = {"start": page.evaluate(FAULTS)}
    open_source(page, "pdf")
    page.wait_for_selector("#document-body rect", state="attached")
    faults["a page beside an answer"] = page.evaluate(FAULTS)
    page.click("#document-close")
    faults["an answer"] = page.evaluate(FAULTS)
    page.locator(".answer .meta button").last.click()
    page.wait_for_selector("#viewer h3")
    faults["why"] = page.evaluate(FAULTS)
    page.keyboard.press("Escape")
    page.click("[data-view=documents]")
    page.locator("#document-rows input").first.check()
    faults["documents"] = page.evaluate(FAULTS)
    page.locator("#document-rows .link").first.click()
    page.locator("#document-panel:not([aria-busy])").wait_for()
    faults["a document beside the others"] = page.evaluate(FAULTS)
    page.click("#document-close")
    page.click("[data-view=admin]")
    page.locator("#settings table").wait_for()
    faults["administration"] = page.evaluate(FAULTS)
    page.evaluate("document.getElementById('key-dialog').showModal()")
    faults["key"] = page.evaluate(FAULTS)
    assert {view: found for view, found in faults.items() if found} == {}


def focused(page):
    """Return what has the focus: its id, else its name, else its text."""
    return page.evaluate(
        "() => ((one) => one.id || one.getAttribute('aria-label') || one.textContent.trim())(document.activeElement)"
    )


def test_the_focus_goes_into_a_document_through_its_pages_and_back_to_the_source(open_page):
    page = open_page()
    open_source(page, "pdf")
    page.wait_for_selector("#document-body rect", state="attached")
    assert focused(page) == "document-title"
    page.get_by_role("button", name="Previous page").focus()
    page.keyboard.press("Enter")
    page.locator("#document-said").get_by_text("Page 1 of 2").wait_for(state="attached")
    assert focused(page) == "document-body"  # there is no page before
    page.get_by_role("button", name="Next page").focus()
    page.keyboard.press("Enter")
    page.locator("#document-said").get_by_text("Page 2 of 2").wait_for(state="attached")
    assert focused(page) == "document-body"
    page.keyboard.press("Escape")
    assert focused(page).startswith("1 Travel rules.pdf")


def test_the_focus_stays_in_the_list_that_is_drawn_anew_and_in_the_view_that_opens(open_page):
    page = open_page()
    page.get_by_role("button", name="Show the documents").press("Enter")
    page.locator("#document-rows tr").nth(12).wait_for()
    assert focused(page) == "Documents"
    page.get_by_label("Answer only from supplies.csv").press("Space")
    assert focused(page) == "Answer only from supplies.csv"
    page.get_by_label("Answer only from supplies.csv").press("Space")
    page.get_by_role("button", name="Leave out: parking.txt").press("Enter")
    page.get_by_role("button", name="Include again: parking.txt").wait_for()
    assert focused(page) == "Include again: parking.txt"
    page.keyboard.press("Enter")
    page.get_by_text("Done: you can ask now.").wait_for()
    page.get_by_role("button", name="Leave out: parking.txt").wait_for()
    assert focused(page) == "Leave out: parking.txt"


def test_an_answer_is_read_out_when_it_is_complete(open_page):
    page = open_page()
    page.evaluate(
        """() => {
            const log = document.getElementById("messages");
            window.told = [];
            new MutationObserver((changes) => changes.forEach(({ target }) => {
                if (target.closest(".content, article") && !log.ariaBusy) window.told.push(target.className);
            })).observe(log, { childList: true, subtree: true });
        }"""
    )
    assert page.locator("#messages").get_attribute("aria-live") == "off"  # nothing of the start is news
    open_source(page, "txt")
    assert set(page.evaluate("window.told")) == {"answer"}
    assert page.locator("#messages").get_attribute("aria-live") == "polite"
    assert page.locator("#messages").get_attribute("aria-busy") is None
