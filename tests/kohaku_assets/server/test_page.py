"""The page in a real browser: asked, cited, judged, uploaded to, rolled back; in both colours, narrow, and by axe-core."""

import contextlib
import re
import shutil
import threading
from pathlib import Path

import pymupdf
import pytest
from running_server import running_server

from kohaku_lib.llm.servers.local_servers import PORTS
from kohaku_lib.testing.openai_server import MODEL, OpenAIServer

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium (apt-get install chromium)"),
    # greenlets of playwright are collected while their loop is closed
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
]
QUESTION = "How much electricity did the whole workshop use in 2023?"
WAIT_MS = 120_000
DOCUMENTS = Path(__file__).resolve().parents[3] / "data" / "sample" / "documents"
ATTACK = "<img src=x onerror=window.attacked=1><script>window.attacked=1</script>"


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def edited(built, tmp_path_factory):
    folder = tmp_path_factory.mktemp("page") / "copy"
    shutil.copytree(built[0].home, folder)
    with (folder / "kohaku.toml").open("a") as file:
        file.write('\n[server]\ndagster_url = "http://127.0.0.1:3000"\n')
    with running_server(folder) as running:
        running.home = folder
        running.client.post("/v1/search", json={"query": "amber"})  # by then it is ready
        yield running


@pytest.fixture
def open_page(browser, edited):
    """Return a function that opens the page; no message of the browser's console may come of it."""
    contexts, faults = [], []

    def opened(colour="light", width=1200, locale="en-US"):
        context = browser.new_context(color_scheme=colour, viewport={"width": width, "height": 800}, locale=locale)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(WAIT_MS)
        page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(edited.url)
        page.wait_for_selector(".suggestions button")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert faults == []


def ask(page, message):
    before = page.locator(".answer .meta").count()
    page.fill("#message", message)
    page.keyboard.press("Enter")
    page.locator(".answer .meta").nth(before).wait_for()
    return page.locator(".answer").nth(before)


def test_a_citation_opens_the_page_with_the_box_around_the_cited_words(open_page, edited):
    page = open_page()
    answer = ask(page, QUESTION)
    assert answer.locator(".value").inner_text() == "41,800 kWh 1"
    assert "Confidence: high · by the built-in reader" in answer.inner_text()
    answer.locator(".cite").first.click()
    box = page.wait_for_selector("#document-body rect", state="attached")
    x, y, width, height = (float(box.get_attribute(name)) for name in ("x", "y", "width", "height"))
    [path] = edited.client.get("/v1/documents").json()["documents"][1:2]
    assert path["document_id"] == "kohaku-energy-report"
    with pymupdf.open(DOCUMENTS / path["path"]) as document:
        [words] = document[0].search_for("41,800 kWh")
    assert x <= words.x0
    assert words.x1 <= x + width
    assert y <= words.y0
    assert words.y1 <= y + height
    page.click("#document-close")
    page.wait_for_selector("#document-panel", state="hidden")


def test_a_question_asked_while_the_index_opens_stays_on_the_page(browser, edited):
    with browser.new_context() as context:
        page, held = context.new_page(), []

        def hold(route):  # the wrapper of playwright takes no built-in
            held.append(route)

        page.route("**/v1/me", hold)
        page.goto(edited.url)
        ask(page, QUESTION)
        with page.expect_response("**/v1/sessions"):
            held[0].continue_()
        assert page.locator(".user p").all_inner_texts() == [QUESTION]


def test_questions_that_are_still_being_tried_are_suggested_later(browser, edited):
    with browser.new_context() as context:
        page = context.new_page()
        page.route("**/v1/suggestions", lambda route: route.fulfill(json={"questions": None}), times=1)
        page.goto(edited.url)
        page.locator("#overview").wait_for()
        page.locator("#messages > .suggestions button").first.wait_for()


def test_a_table_of_a_passage_is_shown_as_a_table(open_page):
    text = "Our tours:\n\n| tour | a \\| b |\n| --- | --- |\n| <b>Inn</b> | 6 |\n| no table"
    shown = open_page().evaluate(
        """async (text) => {
            const { passageNodes } = await import("/page/elements.js");
            return passageNodes(text).map((node) => [...node.querySelectorAll("th, td")].map((cell) => cell.textContent));
        }""",
        text,
    )
    assert shown == [[], ["tour", "a | b", "<b>Inn</b>", "6"], []]


def test_an_answer_is_judged_corrected_and_explained_and_followed_up(open_page, edited):
    page = open_page()
    answer = ask(page, "How much electricity did the whole Kohaku Workshop use in 2023?")
    answer.get_by_role("button", name="Wrong").click()
    answer.get_by_label("What is the right answer?").fill("41.8 MWh")
    answer.get_by_role("button", name="Send").click()
    answer.get_by_role("status").get_by_text("Noted").wait_for()
    answer.get_by_role("button", name="Why this answer").click()
    page.get_by_role("heading", name="Ranks by channel").wait_for()
    page.keyboard.press("Escape")
    assert page.locator(".faint").count() == 0  # the question was complete
    followed = ask(page, "And in 2022?")
    assert "38,000" in followed.inner_text()
    searched = "Searched for: How much electricity did the whole Kohaku Workshop use in 2022?"
    assert followed.locator(".faint").inner_text() == searched
    assert ask(page, "Thanks!").locator(".content").inner_text() == "You're welcome."
    assert edited.client.get("/v1/usage").json()["rated_bad"] >= 1
    page.reload()
    page.locator("#sessions button").first.click()
    page.get_by_text("And in 2022?").last.wait_for()


def test_while_a_model_writes_the_best_passage_is_shown_and_it_can_be_stopped(browser, fresh):
    written = threading.Event()

    def reply(request):
        assert written.wait(120)
        return "It used 41,800 kWh [Source 1]."

    with OpenAIServer(reply=reply) as model:
        home = fresh().home
        with (home / "kohaku.toml").open("a") as file:
            file.write(
                f'\n[answer]\nby = "model"\n[llm]\nprovider = "openai"\nmodel = "test"\nbase_url = "{model.base_url}"\n'
            )
        with running_server(home) as running, browser.new_context(locale="en-US") as context:
            page = context.new_page()
            page.set_default_timeout(WAIT_MS)
            page.goto(running.url)
            page.fill("#message", QUESTION)
            page.keyboard.press("Enter")
            page.locator("article blockquote").get_by_text("electricity").wait_for()
            assert re.search(r"Writing the answer \d+ s", page.locator(".working").inner_text())
            page.get_by_role("button", name="Stop").click()
            page.get_by_text("Stopped.").wait_for()
            assert page.locator("#send").is_enabled()
            page.click("#new-session")
            page.fill("#message", QUESTION)
            page.keyboard.press("Enter")
            page.locator("article blockquote").get_by_text("electricity").wait_for()
            page.reload()
            page.get_by_text("This question was not answered.").wait_for()
            assert page.locator(".user p").all_inner_texts() == [QUESTION]
            assert page.get_by_role("button", name="Ask again").is_visible()
            written.set()


@pytest.fixture
def local_model():
    """A server of one model at the first port where such servers are looked for that is free."""
    reply = '{"answer_value": "41800", "answer": "41800 kWh", "ref_id": [1], "supporting_materials": "41,800 kWh"}'
    for port in PORTS:
        with contextlib.suppress(OSError):
            server = OpenAIServer(reply=lambda request: reply, port=port)
            break
    else:
        pytest.skip("all ports where models are looked for are taken")
    with server:
        yield server


def test_a_model_on_this_machine_is_tried_taken_and_given_up(browser, fresh, local_model):
    file = fresh().home / "kohaku.toml"
    before = file.read_text()
    with running_server(file.parent) as running, browser.new_context(locale="en-US") as context:
        page = context.new_page()
        page.set_default_timeout(WAIT_MS)
        page.goto(running.url)
        models = page.locator(".models")
        models.get_by_label("Your question").fill(QUESTION)
        models.get_by_role("button", name="Try it").click()
        sync_api.expect(models.get_by_role("status")).to_contain_text(f"{MODEL}41800 kWh", timeout=WAIT_MS)
        assert models.get_by_role("status").inner_text().startswith("the built-in reader\n")
        assert file.read_text() == before
        models.get_by_role("button", name="Use this model for answers").click()
        page.get_by_text(f"{MODEL} answers from now on").wait_for()
        assert f'model = "{MODEL}"' in file.read_text()
        ask(page, QUESTION)
        page.click("#new-session")
        models.get_by_role("button", name="Use the built-in reader again").click()
        page.get_by_text("The built-in reader answers from now on.").wait_for()
        assert "by the built-in reader" in ask(page, QUESTION).inner_text()
    assert local_model.requests
    assert MODEL not in file.read_text().partition("[llm.models")[0]


def test_what_the_documents_do_not_hold_is_said_so(open_page):
    page = open_page()
    answer = ask(page, "Who won the chess championship of Iceland?")
    assert "The documents do not say." in answer.inner_text()
    assert "No support" not in answer.inner_text()
    answer.get_by_role("button", name="What has changed").click()
    page.locator("#change-list").get_by_role("listitem").first.wait_for()
    page.click("[data-view=ask]")
    answer.get_by_role("button", name="Show the documents").click()
    page.locator("#document-rows .fresh").first.wait_for()


def test_a_document_beside_an_answer_goes_with_the_view(open_page):
    page = open_page()
    ask(page, QUESTION).locator(".cite").first.click()
    page.wait_for_selector("#document-body rect", state="attached")
    page.click("[data-view=documents]")
    page.wait_for_selector("#document-panel", state="hidden")
    assert "#" not in page.url
    page.locator("#document-rows .link").first.click()
    page.wait_for_selector("#document-panel")
    page.click("[data-view=ask]")
    page.wait_for_selector("#document-panel", state="hidden")


def test_a_reload_opens_the_conversation_again_until_another_is_begun(open_page):
    page = open_page()
    ask(page, QUESTION)
    page.reload()
    assert "41,800 kWh" in page.locator(".answer .content").inner_text()
    assert "Confidence: high" in page.locator(".answer .meta").inner_text()
    page.click("#new-session")
    page.reload()
    page.wait_for_selector(".suggestions button")
    assert page.locator(".user").count() == 0


def test_a_silence_and_its_record_are_told_in_the_language_of_the_page(open_page):
    page, question = open_page(), "Who won the chess championship of Greenland?"
    page.click("#language")
    told = ask(page, question).locator(".content").inner_text()
    assert told.split("\n\n") == ["Das steht nicht in den Dokumenten.", "Am nächsten kommen diese Stellen:"]
    page.reload()
    page.locator(f"#sessions button[title='{question}']").first.click()
    assert page.locator(".answer .content").inner_text() == told


def test_an_uploaded_file_is_followed_until_it_can_be_asked_and_its_words_are_never_html(open_page, tmp_path):
    path = tmp_path / "ferry.pdf"
    with pymupdf.open() as document:
        place = document.new_page()
        place.insert_text((72, 72), "Ferries to Nida", fontsize=18)
        place.insert_text((72, 120), "The ferry Amberlina to Nida carries 64 bicycles and 12 cars.")
        place.insert_text((72, 160), f"{ATTACK} is what the captain wrote.", fontsize=8)
        document.set_metadata({"title": ATTACK})
        document.save(path)
    page = open_page()
    page.click("[data-view=documents]")
    page.set_input_files("#files", path)
    page.get_by_text("Done: you can ask now.").wait_for()
    page.click("[data-view=ask]")
    answer = ask(page, "How many bicycles does the ferry Amberlina to Nida carry?")
    assert "64" in answer.inner_text()
    ask(page, f"What did the captain write? {ATTACK}")
    page.click("[data-view=documents]")
    page.locator("#document-rows .fresh").nth(4).wait_for()
    assert page.evaluate("window.attacked") is None
    page.click("[data-view=admin]")
    page.get_by_role("button", name="Back to the previous version").click()
    page.locator("#versions tbody tr").first.get_by_role("button", name="Publish").wait_for()
    page.get_by_text("published, pinned").wait_for()
    page.get_by_role("button", name="Unpin").click()
    page.locator("#versions tbody tr").nth(1).get_by_role("button", name="Publish").wait_for()


def test_an_administrator_reviews_what_was_asked_and_goes_to_dagster(open_page, edited):
    edited.client.post("/v1/chat", json={"message": "Who won the chess championship of Greenland?"})
    page = open_page()
    ask(page, "Who won the chess championship of Norway?")
    page.click("[data-view=admin]")
    page.get_by_role("button", name="Dismiss: Who won the chess championship of Norway?").click()
    page.get_by_role("button", name="Dismiss: Who won the chess championship of Norway?").wait_for(state="detached")
    page.get_by_role("button", name="Accept: Who won the chess championship of Greenland?").click()
    page.fill("#truth-value", "Nobody")
    page.fill("#truth-sources", "amber-guide")
    page.click("#truth-dialog [value=accept]")
    page.get_by_role("button", name="Accept: Who won the chess championship of Greenland?").wait_for(state="detached")
    assert page.locator("#notice").is_hidden()
    accepted = (edited.home / "accepted_questions.csv").read_text()
    assert "Greenland" in accepted
    assert page.locator("#dagster a").get_attribute("href") == "http://127.0.0.1:3000"


@pytest.mark.parametrize(
    ("colour", "width", "locale"), [("light", 1200, "en-US"), ("dark", 1200, "de-DE"), ("light", 390, "en-US")]
)
def test_every_view_fits_and_has_no_serious_fault_of_access(open_page, colour, width, locale):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
    ).Axe()
    page = open_page(colour, width, locale)
    assert page.locator("html").get_attribute("lang") == locale[:2]
    ask(page, QUESTION)
    for view, shown in (("ask", ".answer .meta"), ("documents", "#document-rows .fresh"), ("admin", "#settings table")):
        page.click(f"[data-view={view}]")
        page.locator(shown).first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        faults = [one for one in axe.run(page).response["violations"] if one["impact"] in ("serious", "critical")]
        assert [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in faults] == []


def test_the_keyboard_alone_asks_and_opens_a_citation(open_page):
    page = open_page()
    page.locator("#message").focus()
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    page.locator(".answer .cite").first.wait_for()
    page.locator(".answer .meta").first.wait_for()
    page.locator(".answer .cite").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#document-body rect", state="attached")
    page.keyboard.press("Escape")
    page.wait_for_selector("#document-panel", state="hidden")
