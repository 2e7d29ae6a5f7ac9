"""Text boxes of Word files are read once, after the paragraph that holds them."""

import pytest
from word_files import p, r, word_file

from kohaku_lib.documents import parse_file

OLD = "<w:pict><v:shape><v:textbox><w:txbxContent>{}</w:txbxContent></v:textbox></v:shape></w:pict>"
NEW = (
    "<w:drawing><wp:anchor><a:graphic><a:graphicData><wps:wsp><wps:txbx><w:txbxContent>{}</w:txbxContent></wps:txbx>"
    "</wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing>"
)
BOTH = "<mc:AlternateContent><mc:Choice>{new}</mc:Choice>{old}</mc:AlternateContent>"


def both(text, fallback=True):
    old = f"<mc:Fallback>{OLD.format(text)}</mc:Fallback>" if fallback else ""
    return BOTH.format(new=NEW.format(text), old=old)


@pytest.mark.parametrize(
    "box",
    [
        both(p("Lift 3 is shut.")),
        both(p("Lift 3 is shut."), fallback=False),
        NEW.format(p("Lift 3 is shut.")),
        OLD.format(p("Lift 3 is shut.")),
        both(p(f"<w:r>{both(p('Lift 3 is shut.'))}</w:r>")),
    ],
)
def test_a_box_is_read_once(tmp_path, box):
    path = word_file(tmp_path / "a.docx", p(f"{r('Open from 7.')}<w:r>{box}</w:r>") + p("End."))
    assert parse_file(path).text == "Open from 7.\n\nLift 3 is shut.\n\nEnd."
