"""Characters that Word keeps as elements, and words with a reading above them, are read as they are seen."""

import pytest
from word_files import p, r, word_file

from kohaku_lib.documents import parse_file

READING, BASE = ("<w:r><w:t>とうきょう</w:t></w:r>", "<w:r><w:t>東京</w:t></w:r>")
RUBY = f"<w:ruby><w:rubyPr/><w:rt>{READING}</w:rt><w:rubyBase>{BASE}</w:rubyBase></w:ruby>"


@pytest.mark.parametrize(
    ("run", "text"),
    [
        ("<w:t>6</w:t><w:noBreakHyphen/><w:t>8 hours</w:t>", "6-8 hours"),
        ("<w:t>Wasser</w:t><w:softHyphen/><w:t>kocher</w:t>", "Wasserkocher"),
        ("<w:t>Wasser\xadkocher</w:t>", "Wasserkocher"),
        ("<w:t>Nord</w:t><w:cr/><w:t>Telephone</w:t>", "Nord\nTelephone"),
        ('<w:t>Charge</w:t><w:ptab w:alignment="right"/><w:t>75 EUR</w:t>', "Charge 75 EUR"),
        ('<w:t>5 </w:t><w:sym w:font="Symbol" w:char="F06D"/><w:t>m</w:t>', "5 μm"),
        ('<w:sym w:font="Wingdings" w:char="F0FE"/><w:t> yes</w:t>', "☒ yes"),
        (f"<w:t>In </w:t>{RUBY}<w:t> heute</w:t>", "In 東京 heute"),
    ],
)
def test_characters(tmp_path, run, text):
    run = run.replace("<w:t>", '<w:t xml:space="preserve">')
    assert parse_file(word_file(tmp_path / "a.docx", p(f"<w:r>{run}</w:r>"))).text == text


def test_a_hidden_reading_is_not_listed_and_struck_bases_are(tmp_path):
    struck = RUBY.replace("<w:r><w:t>東", "<w:r><w:rPr><w:strike/></w:rPr><w:t>東")
    payload = parse_file(word_file(tmp_path / "a.docx", p(f"{r('In ')}<w:r>{struck}</w:r>{r('Kyoto')}")))
    assert (payload.text, payload.metadata["struck_text"]["first"]) == ("In Kyoto", ["東京"])
