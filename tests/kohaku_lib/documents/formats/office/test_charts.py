"""Charts of Word, Excel, PowerPoint and OpenDocument files are read as the tables behind them."""

import pytest
import xlsxwriter
from drawn_parts import chart_part, frame, points, replaced, rich, series
from lxml import etree
from odf_files import odf_file
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches
from word_files import p, word_file

from kohaku_lib.documents import parse_file
from kohaku_lib.documents.formats.office.charts import read_chart

QUARTERS = ["Q1", "Q2"]
BARS = f"<c:barChart>{series('North', [4, 0.5], QUARTERS, '0.0')}{series('South', [None, 7], QUARTERS)}</c:barChart>"
AXES = (
    f"<c:catAx><c:title>{rich('Quarter')}</c:title></c:catAx><c:valAx><c:title>{rich('Sales, t')}</c:title></c:valAx>"
)
TABLE = "Honey (Sales, t)\n| Quarter | North | South |\n| --- | --- | --- |\n| Q1 | 4.0 |  |\n| Q2 | 0.5 | 7 |"


def read(plot, **more):
    return read_chart(etree.fromstring(chart_part(plot, **more).encode()))


def test_a_chart_of_word_stands_behind_its_paragraph(tmp_path):
    drawn = f"<w:r><w:drawing><wp:inline>{frame('chart', 'chart1')}</wp:inline></w:drawing></w:r>"
    body = p("Before.") + p(f"<w:r><w:t>Here: </w:t></w:r>{drawn}") + p("After.")
    path = word_file(tmp_path / "a.docx", body, chart1=chart_part(BARS, "Honey", AXES))
    assert [one.text for one in parse_file(path).sections[0].paragraphs] == ["Before.", "Here:", TABLE, "After."]


def test_a_chart_of_word_in_a_cell_stays_in_it(tmp_path):
    drawn = f"<w:r><w:drawing><wp:inline>{frame('chart', 'chart1')}</wp:inline></w:drawing></w:r>"
    cells = "".join(f"<w:tc>{one}</w:tc>" for one in (p("Sales"), p(drawn)))
    rows = f"<w:tr>{cells}</w:tr><w:tr><w:tc>{p('Staff')}</w:tc><w:tc>{p('two people and an apprentice')}</w:tc></w:tr>"
    path = word_file(tmp_path / "a.docx", f"<w:tbl>{rows}</w:tbl>", chart1=chart_part(BARS, "Honey"))
    text = parse_file(path).text
    assert all(word in text for word in ("Sales", "Honey", "North", "4.0", "apprentice"))


def test_a_chart_of_powerpoint_stands_where_it_is(tmp_path):
    slides = Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[6])
    for top, text in ((5, "Below"), (0, "Above")):
        slide.shapes.add_textbox(0, Inches(top), Inches(2), Inches(1)).text_frame.text = text
    data = CategoryChartData(number_format="0%")
    data.categories = ["cells", "code"]
    data.add_series("share", (0.25, 0.75))
    slide.shapes.add_chart(XL_CHART_TYPE.PIE, 0, Inches(2), Inches(3), Inches(2), data)
    slides.save(tmp_path / "a.pptx")
    payload = parse_file(tmp_path / "a.pptx")
    table = "|  | share |\n| --- | --- |\n| cells | 25% |\n| code | 75% |"
    assert [one.text for one in payload.sections[0].paragraphs] == ["Above", table, "Below"]
    assert "unread_parts" not in payload.metadata


@pytest.mark.parametrize("own_sheet", [False, True])
def test_a_chart_of_excel_follows_the_rows_or_is_a_sheet(tmp_path, own_sheet):
    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
        sheet = book.add_worksheet("Data")
        sheet.write_column("A1", ["May", "June"])
        sheet.write_column("B1", [5, 6])
        chart = book.add_chart({"type": "line"})
        chart.add_series({"name": "Bees", "categories": "=Data!$A$1:$A$2", "values": "=Data!$B$1:$B$2"})
        chart.set_title({"name": "Hives"})
        if own_sheet:
            book.add_chartsheet("Curve").set_chart(chart)
        else:
            sheet.insert_chart("D2", chart)
    payload = parse_file(tmp_path / "a.xlsx")
    shown = "Hives\n|  | Bees |\n| --- | --- |\n| May | 5 |\n| June | 6 |"
    assert payload.sections[-1].title == ("Curve" if own_sheet else "Data")
    assert payload.sections[-1].paragraphs[-1].text == shown
    assert "unread_parts" not in payload.metadata


@pytest.mark.parametrize(
    ("plot", "grid"),
    [
        (  # points, each with its place and its size
            f"<c:bubbleChart>{series('', [2], [1], kinds=('xVal', 'yVal'), more=f'<c:bubbleSize>{points([9])}</c:bubbleSize>')}"
            "</c:bubbleChart>",
            [["", "", "(size)"], ["1", "2", "9"]],
        ),
        (  # series with categories of their own
            f"<c:lineChart>{series('a', [1], ['x'])}{series('b', [2], ['y'])}</c:lineChart>",
            [["", "a", "", "b"], ["x", "1", "y", "2"]],
        ),
        (  # a label written by hand
            "<c:pieChart>"
            + series("s", [1, 2], QUARTERS, more=f'<c:dLbls><c:dLbl><c:idx val="1"/>{rich("best")}</c:dLbl></c:dLbls>')
            + "</c:pieChart>",
            [["", "s"], ["Q1", "1"], ["Q2", "2 (best)"]],
        ),
        (  # days
            f"<c:lineChart>{series('day', [45000, 'n/a'], code='dd.mm.yyyy')}</c:lineChart>",
            [["day"], ["2023-03-15"], ["n/a"]],
        ),
        ("<c:pieChart/>", [[]]),
    ],
)
def test_kinds_of_series(plot, grid):
    assert read(plot).grid == grid


def test_categories_of_two_levels_are_joined():
    levels = f"<c:lvl>{points(QUARTERS * 2)}</c:lvl><c:lvl>{points(['2023', None, '2024'])}</c:lvl>"
    names = f"<c:cat><c:multiLvlStrRef><c:multiLvlStrCache>{levels}</c:multiLvlStrCache></c:multiLvlStrRef></c:cat>"
    grid = read(f"<c:barChart>{series('t', [1, 2, 3, 4], more=names)}</c:barChart>").grid
    assert grid == [["", "t"], ["2023 Q1", "1"], ["2023 Q2", "2"], ["2024 Q1", "3"], ["2024 Q2", "4"]]


def test_a_chart_without_values_is_its_title_and_one_whose_part_is_damaged_is_listed(tmp_path):
    drawn = f"<w:r><w:drawing><wp:inline>{frame('chart', 'chart1')}</wp:inline></w:drawing></w:r>"
    path = word_file(tmp_path / "a.docx", p(drawn) + p("After."), chart1=chart_part("", "Honey"))
    assert parse_file(path).text == "Honey\n\nAfter."
    replaced(path, {"word/chart1.xml": lambda text: text.replace("</c:chartSpace>", "")})
    payload = parse_file(path)
    assert payload.text == "After."
    assert payload.metadata["unread_parts"] == {"count": 1, "first": ["damaged word/chart1.xml"]}


ODF_CHART = """<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:chart="urn:oasis:names:tc:opendocument:xmlns:chart:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:chart><chart:chart>
<chart:title><text:p>Honey</text:p></chart:title><table:table><table:table-header-rows><table:table-row>
<table:table-cell/><table:table-cell><text:p>North</text:p></table:table-cell></table:table-row></table:table-header-rows>
<table:table-rows><table:table-row><table:table-cell><text:p>Q1</text:p></table:table-cell>
<table:table-cell><text:p>4</text:p></table:table-cell></table:table-row></table:table-rows></table:table>
</chart:chart></office:chart></office:body></office:document-content>"""
ODF = "urn:oasis:names:tc:opendocument:xmlns"
ODF_ROW = "<table:table-row>" + 2 * "<table:table-cell><text:p>%s</text:p></table:table-cell>" + "</table:table-row>"
ODF_SHEET = f"""<office:document-content xmlns:office="{ODF}:office:1.0" xmlns:table="{ODF}:table:1.0"
 xmlns:text="{ODF}:text:1.0"><office:body><office:spreadsheet><table:table>{ODF_ROW % ("Item", "kg")}{ODF_ROW % ("Wax", "7")}
<table:table-row table:number-rows-repeated="1048574"><table:table-cell table:number-columns-repeated="1024"/></table:table-row>
</table:table><table:table>{ODF_ROW % ("Not", "shown")}</table:table></office:spreadsheet></office:body>
</office:document-content>"""
ODF_FRAME = '<draw:frame><draw:object xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="./Object 1"/></draw:frame>'
SHOWN = "Honey\n|  | North |\n| --- | --- |\n| Q1 | 4 |"


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("a.odt", f"<text:p>Above.{ODF_FRAME}</text:p>"),
        (
            "a.odp",
            f"<draw:page><draw:frame><draw:text-box><text:p>Above.</text:p></draw:text-box></draw:frame>{ODF_FRAME}</draw:page>",
        ),
        (
            "a.ods",
            f"<table:table><table:shapes>{ODF_FRAME}</table:shapes><table:table-row><table:table-cell>"
            "<text:p>Above.</text:p></table:table-cell></table:table-row></table:table>",
        ),
    ],
)
@pytest.mark.parametrize(
    ("part", "shown"), [(ODF_CHART, SHOWN), (ODF_SHEET, "| Item | kg |\n| --- | --- |\n| Wax | 7 |")]
)
def test_charts_and_sheets_within_open_document_files(tmp_path, name, body, part, shown):
    payload = parse_file(replaced(odf_file(tmp_path / name, body), {}, {"Object 1/content.xml": part}))
    assert payload.text == f"Above.\n\n{shown}"
    assert "unread_parts" not in payload.metadata
