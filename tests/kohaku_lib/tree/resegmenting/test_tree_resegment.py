"""Payloads of page-long paragraphs are rebuilt; others are left alone."""

from kohaku_lib.settings import TreeSettings
from kohaku_lib.tables import DocumentPayload, ParagraphPayload, SectionPayload
from kohaku_lib.tree.resegmenting.resegment import is_hard_wrapped, resegment

SETTINGS = TreeSettings()
PAGE_1 = """Energy of Models
Ann Example
1 Introduction
Training a large model draws a great deal of energy, and the en-
ergy that it draws is seldom reported by those who train it. We
measure it.
The second paragraph begins here and it runs on to the end of
"""
PAGE_2 = """the first page and beyond it.
2 Results
Table 1: Energy by model.
GPT-3 1,287 552
Gopher 1,066 380
OPT 324 75
The energy of the models differs by a factor of four, and so do
their emissions.
References
[1] A. Bee. 2020. On the hives of the north. Journal of Bees 3.
"""


def paged(*texts, extra=()):
    sections = tuple(
        SectionPayload(f"Page {number}", (ParagraphPayload(text, metadata={"page": number}), *extra), {"page": number})
        for number, text in enumerate(texts, start=1)
    )
    return DocumentPayload("d", "Energy of Models", "", sections=sections)


def rebuilt(*texts, extra=()):
    return resegment(paged(*texts, extra=extra), SETTINGS).sections


def test_pages_with_hard_line_breaks_are_found():
    assert is_hard_wrapped(paged(PAGE_1, PAGE_2))


def test_real_paragraphs_are_not():
    real = ParagraphPayload("A paragraph on one long line. " * 9, metadata={"page": 1})
    payload = DocumentPayload("d", "D", "", sections=(SectionPayload("Page 1", (real, real), {"page": 1}),))
    assert not is_hard_wrapped(payload)


def test_sections_without_pages_are_not():
    section = SectionPayload("Code", (ParagraphPayload("a\nb\nc\nd\ne\nf"),))
    assert not is_hard_wrapped(DocumentPayload("d", "D", "", sections=(section,)))


def test_a_document_of_images_is_not():
    image = ParagraphPayload("[Image]", metadata={"attachment_type": "image"})
    assert not is_hard_wrapped(
        DocumentPayload("d", "D", "", sections=(SectionPayload("Page 1", (image,), {"page": 1}),))
    )


def test_headings_open_sections_with_their_page():
    titles = [(section.title, section.metadata["page"]) for section in rebuilt(PAGE_1, PAGE_2)]
    assert titles == [("Energy of Models", 1), ("1 Introduction", 1), ("2 Results", 2), ("References", 2)]


def test_words_are_whole_and_paragraphs_run_over_the_page():
    [paragraph] = rebuilt(PAGE_1, PAGE_2)[1].paragraphs
    assert "and the energy that it draws is seldom reported" in paragraph.text
    assert paragraph.text.endswith("it runs on to the end of the first page and beyond it.")
    assert paragraph.metadata == {"page": 1, "page_starts": [[paragraph.text.index("the first page and beyond"), 2]]}


def test_small_paragraphs_are_joined_on_lines_of_their_own():
    [paragraph] = rebuilt(PAGE_1, PAGE_2)[1].paragraphs
    first, second = paragraph.text.split("\n")
    assert first.endswith("We measure it.")
    assert second.startswith("The second paragraph")


def test_rows_of_a_table_are_the_sentences_of_one_paragraph():
    text, table = rebuilt(PAGE_1, PAGE_2)[2].paragraphs
    assert text.text.startswith("The energy of the models")
    assert table.text == "Table 1: Energy by model.\nGPT-3 1,287 552\nGopher 1,066 380\nOPT 324 75"
    assert table.sentences[0].text.startswith("Table 1: Energy by model.")
    assert table.metadata == {"page": 2, "float": True}


def test_every_sentence_is_in_its_paragraph_and_has_a_page():
    for section in rebuilt(PAGE_1, PAGE_2):
        for paragraph in section.paragraphs:
            at = 0
            for sentence in paragraph.sentences:
                at = paragraph.text.index(sentence.text, at) + len(sentence.text)
                assert sentence.metadata["page"] in {1, 2}


def test_an_entry_of_a_bibliography_is_one_sentence():
    [entries] = rebuilt(PAGE_1, PAGE_2)[3].paragraphs
    assert [sentence.text for sentence in entries.sentences] == [
        "[1] A. Bee. 2020. On the hives of the north. Journal of Bees 3."
    ]


def test_images_stay_on_their_page():
    image = ParagraphPayload("[Image page=2]", metadata={"attachment_type": "image", "page": 2, "image_index": 1})
    sections = rebuilt(PAGE_1, PAGE_2, extra=(image,))
    assert image in sections[-1].paragraphs


def test_a_long_paragraph_is_cut_between_sentences_into_even_parts():
    lines = "\n".join(
        f"The sentence with the number {number:03d} is as long as all the others are." for number in range(60)
    )
    paragraphs = [paragraph for section in rebuilt(lines) for paragraph in section.paragraphs]
    lengths = [len(paragraph.text) for paragraph in paragraphs]
    assert len(paragraphs) >= 3
    assert all(300 <= length <= 1600 for length in lengths)
    assert all(paragraph.text.endswith("are.") for paragraph in paragraphs)


def test_nothing_but_furniture_is_lost():
    remaining = " ".join(
        section.title + " " + " ".join(p.text for p in section.paragraphs) for section in rebuilt(PAGE_1, PAGE_2)
    )
    words = (PAGE_1 + PAGE_2).replace("en-\nergy", "energy").split()
    assert set(words) <= set(remaining.split())
