"""Paragraphs and lists over a page break: answers cite the page on which their words stand, by every way to ask."""

import pymupdf
import pytest
from click.testing import CliRunner

from kohaku_assets.cli import main
from kohaku_lib.conversation import AssistantRequest, open_assistant
from kohaku_lib.project import open_project

FIRST = [
    "The spare parts are kept in the cellar, in the cabinet on the left side,",
    "and may be taken by the shift leader only. The spare key of the cabinet",
]
SECOND = [
    "has the serial number KB-3307. The spare rotor was delivered and has",
    "the serial number RX-5521. It is still new.",
]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A project with a manual: a paragraph goes on at y = 60 of page 2, as does a list from page 2 to page 3."""
    folder = tmp_path_factory.mktemp("break") / "mill"
    assert CliRunner().invoke(main, ["init", str(folder)]).exit_code == 0
    manual = pymupdf.open()
    items = [f"• Valve {number} opens at {200 + 10 * number} degrees." for number in range(1, 6)]
    for lines, y in ((FIRST, 740), ([*SECOND, "", *items[:3]], 60), (items[3:], 60)):
        page = manual.new_page()
        for number, line in enumerate(lines):
            page.insert_text((72, y + 15 * number), line, fontsize=11)
    manual.save(folder / "data" / "documents" / "manual.pdf")
    (folder / "data" / "documents" / "notes.txt").write_text("The code of the archive door is 7719.")
    done = CliRunner().invoke(main, ["refresh", "--config", str(folder / "kohaku.toml")])
    assert done.exit_code == 0, done.output
    return folder


@pytest.mark.parametrize(
    ("question", "value", "page"),
    [
        ("What is the serial number of the spare rotor?", "RX-5521", 2),
        ("At how many degrees does valve 4 open?", "240", 3),
        ("What is the serial number of the spare key?", "KB-3307", 2),  # its sentence begins on page 1
    ],
)
def test_the_citation_and_the_source_have_the_page_of_the_words(home, question, value, page):
    with open_project(home) as opened:
        answer = opened.ask(question)
    assert (answer.value, [(cited.heading, cited.page) for cited in answer.citations]) == (value, [("", page)])
    with open_assistant(home) as assistant:
        [source] = [one for one in assistant.respond(AssistantRequest(message=question)).sources if one.cited]
    assert source.page_number == page
    assert source.place == f"manual, page {page}"  # named once, though the section of the page is called "Page 1"
    assert source.box is not None
    assert 40 < source.box[1] < source.box[3] < 110  # the first lines of that page, not the last of the one before


def test_a_document_without_pages_is_cited_without_one_though_another_has_pages(home):
    with open_project(home) as opened:
        answer = opened.ask("What is the code of the archive door?")
    assert (answer.value, [(one.document_id, one.page) for one in answer.citations]) == ("7719", [("notes", None)])
