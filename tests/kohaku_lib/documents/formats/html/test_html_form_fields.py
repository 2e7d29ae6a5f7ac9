"""Form fields of pages are read with their states."""

import pytest

from kohaku_lib.documents.formats.html.document import parse_html

SELECT = "<select><option value=''{}>Choose</option><option{}>Lerwick</option><option{}>Kirkwall</option></select>"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p><label><input type=checkbox checked>Remote access</label></p>", "☒ Remote access"),
        ("<p><input type=checkbox id=a><label for=a>Weekend access</label></p>", "☐ Weekend access"),
        (
            "<ul><li><input type=checkbox checked disabled> Badge<li><input type=checkbox> Key</ul>",
            "- ☒ Badge\n- ☐ Key",
        ),
        ("<p><input type=radio name=r checked> yes <input type=radio name=r> no</p>", "☒ yes ☐ no"),
        ("<p><input type=checkbox aria-label=Laptop></p>", "☐ Laptop"),
        (f"<p>Site: {SELECT.format('', ' selected', '')}</p>", "Site: Lerwick"),
        (f"<p>Site: {SELECT.format(' selected', '', '')}</p>", "Site:"),
        (f"<p>Site: {SELECT.format('', '', '')}</p>", "Site:"),
        ("<p>Site: <select multiple><option selected>A<option selected>B</select></p>", "Site: A, B"),
        ("<p><label>Name <input value='Ann Bee'></label></p>", "Name Ann Bee"),
        ("<p><input type=date aria-label=Due value=2026-05-01></p>", "Due: 2026-05-01"),
        ("<p>Reason <textarea>Night\nshift</textarea></p>", "Reason Night\nshift"),
    ],
)
def test_the_state_of_a_field_is_read(markup, text):
    assert parse_html(markup.encode(), "a", "A").text == text


@pytest.mark.parametrize(
    "field",
    [
        "<input type=checkbox id=menu-toggle>",
        "<input type=hidden value=token>",
        "<input type=password value=secret>",
        "<input type=submit value=Send>",
        "<input placeholder='Your name'>",
        "<input type=checkbox checked style='display:none'> ",
        "<button>Send</button>",
        "<pre><input type=checkbox aria-label=Wrap></pre>",
    ],
)
def test_switches_buttons_and_secrets_are_not_read(field):
    assert parse_html(f"<p>Text.</p><div>{field}</div>".encode(), "a", "A").text == "Text."


def test_boxes_in_tables_need_no_text_beside_them():
    table = "<table><tr><th>Item<th>Done<tr><td>Badge<td><input type=checkbox checked></table>"
    assert parse_html(table.encode(), "a", "A").text.splitlines()[-1] == "| Badge | ☒ |"
