"""OpenDocument presentations become a section per slide."""

import pytest
from odf_files import odf_file

from kohaku_lib.documents import parse_file
from kohaku_lib.errors import DocumentError


def frame(content, more=""):
    return f"<draw:frame {more}><draw:text-box>{content}</draw:text-box></draw:frame>"


def test_slides_have_their_title_texts_from_the_top_tables_and_notes(tmp_path):
    deep = "<text:list><text:list-item><text:p>deep</text:p></text:list-item></text:list>"
    listed = f"<text:list><text:list-item><text:p>one</text:p>{deep}</text:list-item></text:list>"
    cells = "".join(f"<table:table-cell><text:p>{text}</text:p></table:table-cell>" for text in "ab")
    table = (
        f'<draw:frame svg:y="9cm"><table:table><table:table-row>{cells}</table:table-row></table:table></draw:frame>'
    )
    shape = '<draw:custom-shape svg:y="10mm"><text:p>Shape</text:p></draw:custom-shape>'
    said = frame("<text:p>Say it.</text:p>", 'presentation:class="notes"')
    notes = f"<presentation:notes>{said}</presentation:notes>"
    empty = frame("<text:p>Click here</text:p>", 'presentation:placeholder="true"')
    first = (
        frame("<text:p>Bees</text:p>", 'presentation:class="title"')
        + frame(listed, 'svg:y="5cm"')
        + f"<draw:g>{shape}</draw:g>"
        + table
        + empty
        + notes
    )
    body = f"<draw:page>{first}</draw:page><draw:page/><draw:page>{frame('<text:p>End</text:p>')}</draw:page>"
    payload = parse_file(odf_file(tmp_path / "show.odp", body))
    assert [(section.title, [one.text for one in section.paragraphs]) for section in payload.sections] == [
        ("Bees", ["Shape", "- one\n  - deep", "| a | b |\n| --- | --- |", "Say it."]),
        ("Slide 3", ["End"]),
    ]
    assert (payload.title, payload.metadata) == ("Bees", {"pages": 3})
    assert [one.metadata["page"] for section in payload.sections for one in section.paragraphs] == [1, 1, 1, 1, 3]


def test_a_show_without_text_is_refused(tmp_path):
    with pytest.raises(DocumentError, match=r"'show\.odp' contains no text"):
        parse_file(odf_file(tmp_path / "show.odp", "<draw:page/>"))
