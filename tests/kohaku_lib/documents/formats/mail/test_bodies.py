"""The text of a message is its plain text or its HTML, whichever says more."""

import pytest

from kohaku_lib.documents.formats.mail.bodies import Body, text_of_body

STUB = "Your e-mail client does not show HTML."
WORDS = "one two three four five six seven eight nine ten"
ROWS = "".join(f"<tr><td>{item}</td><td>{price}</td></tr>" for item, price in (("door", 400), ("roof", 900)))
TABLE = f"<p>Prices:</p><table><tr><th>item</th><th>price</th></tr>{ROWS}</table>"


def own(plain, html):
    text = text_of_body(Body(plain, html))
    return [one.text for section in text.own for one in section.paragraphs]


@pytest.mark.parametrize(
    ("plain", "html", "expected"),
    [
        (STUB, "<p>The lorry comes on 27 May.</p>", "The lorry comes on 27 May."),
        (f"{WORDS} plain", f"<p>{WORDS}</p>", f"{WORDS} plain"),  # it lacks nothing
        (f"{WORDS} plain", f"<p>{WORDS} more</p>", f"{WORDS} plain"),  # 1 of 11 words
        (f"{WORDS} plain", f"<p>{WORDS} much more</p>", f"{WORDS} much more"),  # 2 of 12 words
        ("Hello", "", "Hello"),
        ("Hello", "<style>p {}</style>", "Hello"),
        ("", "<p>Hello</p>", "Hello"),
    ],
)
def test_html_is_read_where_it_says_more(plain, html, expected):
    assert own(plain, html) == [expected]


def test_html_is_read_for_its_tables():
    plain = "Prices:\n\nitem\n\nprice\n\ndoor\n\n400\n\nroof\n\n900\n"
    assert own(plain, TABLE) == ["Prices:", "| item | price |\n| --- | --- |\n| door | 400 |\n| roof | 900 |"]


def test_lines_of_dashes_at_the_end_go_with_what_is_quoted_behind_them():
    text = text_of_body(Body("In May.\n-----\nIn June.\n\n_____ \n\n-----\nOn 2 March 2026, Ida wrote:\nWhen?"))
    assert [one.text for section in text.own for one in section.paragraphs] == ["In May.\n-----\nIn June."]


def test_a_table_of_two_rows_may_be_a_signature():
    plain = "Bye\n\nKari Lund\n\nGlasvik\n\nManager\n\nOslo"
    signature = "<tr><td>Kari Lund</td><td>Glasvik</td></tr><tr><td>Manager</td><td>Oslo</td></tr>"
    assert own(plain, f"<p>Bye</p><table>{signature}</table>")[1] == "Kari Lund"


def test_a_quotation_within_a_table_does_not_cut_it_up_and_leaves_no_mark():
    page = (
        "<table><tr><th>a</th><th>b</th></tr><tr><td><blockquote type=cite>old</blockquote></td><td>x</td></tr></table>"
    )
    text = text_of_body(Body(html=page))
    assert [one.text for section in text.own for one in section.paragraphs] == ["| a | b |\n| --- | --- |\n| old | x |"]
    assert text.quoted == ()


def test_a_sign_within_a_quoted_line_is_no_mark_of_a_quote():
    text = text_of_body(Body("No.\n\n> Is 3 > 2?\n> > Ask Bo.\n"))
    assert [one.text for one in text.quoted] == ["Is 3 > 2?\nAsk Bo."]
