"""Comments on slides are in the metadata, those of older and of newer programs."""

import pytest
from drawn_parts import replaced
from pptx import Presentation

from kohaku_lib.documents import parse_file

OLD = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
NEW = "http://schemas.microsoft.com/office/2018/10/relationships"
MAIN = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
MODERN = (
    'xmlns:p188="http://schemas.microsoft.com/office/powerpoint/2018/8/main" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
)


def said(text):
    return f"<p188:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p188:txBody>"


@pytest.mark.parametrize(
    ("kind", "authors", "comments", "expected"),
    [
        (
            f"{OLD}/commentAuthors",
            f'<p:cmAuthorLst {MAIN}><p:cmAuthor id="0" name="Ann"/></p:cmAuthorLst>',
            f'<p:cmLst {MAIN}><p:cm authorId="0"><p:text>Net\nprice?</p:text></p:cm></p:cmLst>',
            ["Slide 1, Ann: Net price?"],
        ),
        (
            f"{NEW}/authors",
            f'<p188:authorLst {MODERN}><p188:author id="{{1}}" name="Bo"/></p188:authorLst>',
            f'<p188:cmLst {MODERN}><p188:cm authorId="{{1}}"><p188:replyLst><p188:reply>{said("Yes.")}</p188:reply>'
            f"</p188:replyLst>{said('Gross?')}</p188:cm></p188:cmLst>",
            ["Slide 1, Bo: Gross?", "Slide 1: Yes."],
        ),
        (f"{OLD}/commentAuthors", "<a/>", "<damaged", None),
    ],
)
def test_comments(tmp_path, kind, authors, comments, expected):
    slides = Presentation()
    slides.slides.add_slide(slides.slide_layouts[5]).shapes.title.text = "Prices"
    slides.save(tmp_path / "a.pptx")
    base = kind.rpartition("/")[0]

    def related(text, kind, target):
        return text.replace(
            "</Relationships>", f'<Relationship Id="c9" Type="{kind}" Target="{target}"/></Relationships>'
        )

    path = replaced(
        tmp_path / "a.pptx",
        {
            "ppt/_rels/presentation.xml.rels": lambda text: related(text, kind, "/ppt/authors.xml"),
            "ppt/slides/_rels/slide1.xml.rels": lambda text: related(text, f"{base}/comments", "/ppt/comments/c1.xml"),
        },
        {"ppt/authors.xml": authors, "ppt/comments/c1.xml": comments},
    )
    payload = parse_file(path)
    assert (payload.text, payload.metadata.get("comments")) == ("Prices", expected)
