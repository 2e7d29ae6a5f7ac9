"""Pages of HTML become sections, paragraphs, lists, tables and code, without what no reader sees."""

import contextlib
import time

import pytest

from kohaku_lib.documents import parse_file, payload_from_json, payload_to_json
from kohaku_lib.documents.formats.html.document import parse_html
from kohaku_lib.errors import DocumentError


def texts(page, **said):
    return [paragraph.text for paragraph in paragraphs(page, **said)]


def paragraphs(page):
    payload = parse_html(page.encode(), "a", "A")
    assert payload_from_json(payload_to_json(payload)) == payload
    return [paragraph for section in payload.sections for paragraph in section.paragraphs]


def test_headings_at_any_depth_make_sections_with_level_and_path():
    payload = parse_html(b"<div>Intro<h1>Bees</h1><section><h3>Hives</h3><p>hum</p></section></div>", "a", "A")
    assert [(section.title, section.metadata) for section in payload.sections] == [
        ("Bees", {"level": 0, "heading_path": []}),
        ("Hives", {"level": 3, "heading_path": ["Bees", "Hives"]}),
    ]


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<p>one <b>two</b>\n three<p>four", ["one two three", "four"]),
        ("loose <a href=x>link</a><p>text</p> tail", ["loose link", "text", "tail"]),
        ("a<br>b<hr>c", ["a\nb", "c"]),
        ("<p>CO<sub>2</sub> and x<sup>2</sup></p>", ["CO2 and x2"]),
        ("<p>x &lt; y &amp; z&nbsp;w</p>", ["x < y & z w"]),
        ("<p>see <img alt='a bee' src=b.png> here</p>", ["see a bee here"]),
        ("<blockquote><p>one</p><p>two</p></blockquote>", ["one", "two"]),
        (
            "<dl><dt>Hive</dt><dt>Nest</dt><dd>a home</dd><dd>of bees</dd></dl>",
            ["Hive, Nest: a home", "Hive, Nest: of bees"],
        ),
        ("<details><summary>More</summary>text</details>", ["More", "text"]),
        ("<p>kept<!-- hidden --></p>", ["kept"]),
        ("<p><strong>fo</strong>o, <span>N</span>o one, Lager<wbr>halle</p>", ["foo, No one, Lagerhalle"]),
        (
            "<p>Address:<br>Kai 7<br/>0150 Oslo</p><div>First</div><div>Second</div>",
            ["Address:\nKai 7\n0150 Oslo", "First", "Second"],
        ),
        ("<nav><a>Home</a><a>About</a></nav><main><p>text</p></main>", ["text"]),
        ("<p>a</p><script>x()</script><style>p{}</style><noscript>n</noscript><template>t</template>", ["a"]),
        ("<p>a</p><p hidden>b</p><p style='display: none'>c</p><span aria-hidden=true>d</span>", ["a"]),
        ("<form>Name <input value=x><select><option>1</select><button>Go</button></form><p>a</p>", ["Name x", "a"]),
        ("<p><math alttext='x^2'><mi>x</mi></math></p>", ["$x^2$"]),
    ],
)
def test_what_a_reader_sees_is_the_text(page, expected):
    assert texts(page) == expected


def test_lists_are_one_paragraph_with_nested_items_indented():
    [found] = paragraphs("<ul><li>one<ul><li>deep<li>deeper</ul><li><p>two</p><p>more</p></ul>")
    assert found.text == "- one\n  - deep\n  - deeper\n- two more"
    assert found.metadata == {"block": "bullet_list"}
    assert texts("<ol start=3><li>x<li>y</ol>") == ["3. x\n4. y"]


def test_items_of_a_long_list_keep_the_words_of_the_item_above_as_context():
    item = "an item with enough words to stand alone in the list of all items of the machine room"
    [found] = paragraphs(f"<ul><li>The machine room of the house<ul>{f'<li>{item}' * 4}</ul></ul>")
    assert [piece.metadata for piece in found.sentences[1:]] == [{"context": "The machine room of the house"}] * 4
    assert all(piece.text in found.text for piece in found.sentences)


def test_code_keeps_its_lines_and_its_language():
    assert texts('<pre><code class="language-py">def f():\n    return 1\n</code></pre>') == [
        "```py\ndef f():\n    return 1\n```"
    ]
    assert texts("<pre>a ``` b</pre>") == ["````\na ``` b\n````"]


def test_tables_repeat_spanned_cells_and_join_the_rows_of_their_head():
    [table] = paragraphs(
        "<table><caption>Energy</caption><thead><tr><th rowspan=2>Model<th colspan=2>MWh</tr>"
        "<tr><th>2022<th>2023</thead><tr><td>A<td>1<td>2|3<tr><td rowspan=2>B<td>4<td>5<tr><td>6<td>7</table>"
    )
    assert table.text.splitlines() == [
        "Energy",
        "| Model | MWh 2022 | MWh 2023 |",
        "| --- | --- | --- |",
        "| A | 1 | 2\\|3 |",
        "| B | 4 | 5 |",
        "| B | 6 | 7 |",
    ]
    assert table.metadata == {"modality": "table", "attachment_type": "table", "table_caption": "Energy"}


@pytest.mark.parametrize(
    "table",
    [
        "<table><tr><td><h2>Head</h2><p>text</p></table>",
        "<table role=presentation><tr><td>Head</td><td>text</td></table>",
        "<table><tr><td>Head<td><table><tr><td>text</table></table>",
    ],
)
def test_tables_that_only_arrange_are_read_as_text(table):
    payload = parse_html(table.encode(), "a", "A")
    words = [word for section in payload.sections for word in (section.title, section.paragraphs[-1].text)]
    assert words[-1] == "text"
    assert all("|" not in word for word in words)


def test_a_column_of_short_cells_is_a_table():
    assert texts("<table><tr><th>Name<tr><td>A<tr><td>B</table>") == ["| Name |\n| --- |\n| A |\n| B |"]


def test_an_endless_span_does_not_fill_the_memory():
    [table] = paragraphs("<table><tr><td colspan=999999 rowspan=999999>a<td>b<tr><td>c</table>")
    assert len(table.text) < 20_000


def test_a_figure_gives_its_caption_and_a_table_within_takes_it():
    assert texts("<figure><img src=a.png alt=x><figcaption>Figure 1: bees</figcaption></figure>") == ["Figure 1: bees"]
    page = "<figure><table><tr><td>a<td>b<tr><td>1<td>2</table><figcaption>Table 1: bees</figcaption></figure>"
    assert texts(page) == ["Table 1: bees\n| a | b |\n| --- | --- |\n| 1 | 2 |"]


def test_navigation_and_the_pages_footer_go_but_an_articles_footer_stays():
    page = "<nav>Home</nav><article><p>text</p><footer>by Ann</footer></article><footer>(c)</footer><div role=search>s</div>"
    assert texts(page) == ["text", "by Ann"]


def test_a_page_of_nothing_but_navigation_is_read_whole():
    assert texts("<nav><p>one</p></nav><footer>two</footer>") == ["one", "two"]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("<meta charset=shift_jis><p>琥珀".encode("shift_jis"), "琥珀"),
        ("<meta http-equiv=Content-Type content='text/html; charset=iso-8859-1'><p>“é”".encode("cp1252"), "“é”"),
        ("<p>é".encode("utf-8-sig"), "é"),
        ("<p>é".encode("utf-16"), "é"),
        ("<p>café".encode("cp1252"), "café"),
        ("<meta charset=nonsense><p>é".encode(), "é"),
        ("<meta charset=utf-16><p>one é and two".encode(), "one é and two"),
        (b"<meta charset=UTF-16LE><p>ab", "ab"),
        ("<meta charset=shift_jis><p>①髙".encode("cp932"), "①髙"),
        ("<meta charset=gb2312><p>朱镕基".encode("gbk"), "朱镕基"),
        (
            '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><body><p>é</p></body></html>'.encode(),
            "é",
        ),
    ],
)
def test_the_encoding_is_the_declared_one_else_detected(data, text):
    assert parse_html(data, "a", "A").text == text


def test_title_author_date_and_language_are_those_that_the_page_states():
    page = (
        b"<html lang=de-AT><head><title> Bees \n</title><meta name=Author content='Ann  Bee'>"
        b"<meta property='article:published_time' content='2024-05-01'></head><body><h1>Hives</h1><p>x"
    )
    payload = parse_html(page, "a", "A")
    assert (payload.title, payload.metadata) == ("Bees", {"author": "Ann Bee", "date": "2024-05-01", "language": "de"})
    assert parse_html(b"<h1>Hives</h1><p>x", "a", "A").title == "Hives"
    assert parse_html(b"<p>x", "a", "A").title == "A"


@pytest.mark.parametrize("page", [b"<html></html>", b"<script>render()</script>", b"<!-- x -->", b"\n"])
def test_a_page_without_text_is_refused(page):
    with pytest.raises(DocumentError, match="contains no text"):
        parse_html(page, "a", "A")


@pytest.mark.parametrize("tag", ["font", "b", "span", "a href=x"])
def test_style_tags_that_never_end_cost_no_text(tag):
    page = "".join(f"<{tag}><p>line {number}</p>" for number in range(400))
    found = texts(page)
    assert (len(found), found[-1]) == (400, "line 399")


@pytest.mark.parametrize("tag", ["div", "blockquote", "ul><li", "table><tr><td"])
def test_a_page_too_deep_to_be_read_whole_is_refused_and_one_less_deep_is_read(tag):
    with pytest.raises(DocumentError, match=r"nests more than 256 elements .* open it in a browser"):
        parse_html(f"<p>start</p>{f'<{tag}>' * 300}<p>end".encode(), "a", "A")
    assert "end" in parse_html(f"<p>start</p>{f'<{tag}>' * 60}<p>end".encode(), "a", "A").text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>1.3 × 10<sup>6</sup> kWh per m<sup>2</sup> of CO<sub>2</sub>", "1.3 × 10^6 kWh per m2 of CO2"),
        ("<p>10<sup>−3</sup> and 2<sup> 10 </sup>", "10^−3 and 2^10"),
        ("<p>in 2023<sup><a href=#n>1</a></sup> and 2024<sup>[2]</sup>", "in 2023^1 and 2024[2]"),
        ("<p>the 3<sup>rd</sup> of <b>5</b><sup>2</sup>", "the 3rd of 5^2"),
        ("<sup>7</sup>", "7"),
    ],
)
def test_a_power_of_a_number_is_not_taken_for_its_digits(page, text):
    assert texts(page) == [text]


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<ul><li>one<p>two</p><li>x<pre>code</pre>y</ul>", "- one two\n- x code y"),
        ("<ul><li><h4>Head</h4>text</ul>", "- Head text"),
        ("<table><tr><th>a<th>b<tr><td>1<div>2</div><td>3<section>4</section></table>",
         "| a | b |\n| --- | --- |\n| 1 2 | 3 4 |"),
    ],
)  # fmt: skip
def test_blocks_within_an_item_or_a_cell_are_words_apart(page, text):
    assert texts(page) == [text]


def test_definitions_that_are_never_closed_or_nested_are_read_once():
    assert texts("<dl><dt>a<dd>1<dd>2<dt>b<dd>3<dl><dt>n<dd>m</dl></dl>") == ["a: 1", "a: 2", "b: 3", "n: m"]


def test_a_headings_link_to_itself_is_no_part_of_it():
    payload = parse_html("<h1>Bees<a href=#b>¶</a></h1><p>hum".encode(), "a", "A")
    assert payload.sections[0].title == "Bees"


def test_a_file_is_read_by_its_suffix(tmp_path):
    for name in ("a.html", "b.HTM", "c.xhtml"):
        (tmp_path / name).write_text("<p>text")
        assert parse_file(tmp_path / name).text == "text"


@pytest.mark.parametrize("piece", ["<div>", "<b>", "<ul><li>", "<table><tr><td>", "<p>a", "<", "<!--", "&", "<a b='"])
def test_pages_of_one_piece_over_and_over_take_time_in_proportion(piece):
    start = time.process_time()
    with contextlib.suppress(DocumentError):  # too deep
        parse_html(b"<p>text</p>" + (piece * (80_000 // len(piece))).encode(), "a", "A")
    assert time.process_time() - start < 5


def test_a_small_table_within_a_cell_stays_in_its_row():
    inner = "<table><caption>jars</caption><tr><td>1 kg<td>2 €<tr><td>5 kg<td>8 €</table>"
    page = f"<table><caption>Prices<tr><th>goods<th>of<th>price<tr><td>honey<td>Ann Bee, Oslo<td>now: {inner}</table>"
    table = "| goods | of | price |\n| --- | --- | --- |\n| honey | Ann Bee, Oslo | now: jars; 1 kg, 2 €; 5 kg, 8 € |"
    assert texts(page) == [f"Prices\n{table}"]


def test_references_to_notes_stand_apart_and_notes_are_named():
    page = (
        '<p>They hum<a epub:type="noteref" href="#n">1</a> at <sup><a role="doc-noteref" href="#m">*</a></sup> dusk.</p>'
        '<aside epub:type="footnote" id="n"><p>In May.</p></aside><p role="doc-endnote">In June.</p>'
    )
    found = paragraphs(page)
    assert [(one.text, one.metadata.get("block")) for one in found] == [
        ("They hum[1] at * dusk.", None),
        ("In May.", "footnote"),
        ("In June.", "endnote"),
    ]
