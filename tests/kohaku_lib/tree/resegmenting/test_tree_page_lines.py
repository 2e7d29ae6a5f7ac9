"""Running headers, footers and page numbers are removed; all other text stays."""

from kohaku_lib.tables import DocumentPayload, ParagraphPayload, SectionPayload
from kohaku_lib.tree.resegmenting.page_lines import page_lines


def document(*pages, first=1):
    sections = tuple(
        SectionPayload(f"Page {number}", (ParagraphPayload(text),), {"page": number})
        for number, text in enumerate(pages, start=first)
    )
    return DocumentPayload("d", "D", "", sections=sections)


def texts(payload):
    return [[line.text for line in page] for page in page_lines(payload)]


def test_a_footer_with_the_page_number_goes_from_every_page():
    payload = document(*(f"Body {word}\nAnnual report 2023 {number}" for number, word in enumerate("abc", start=1)))
    assert texts(payload) == [["Body a"], ["Body b"], ["Body c"]]


def test_a_line_on_two_pages_stays():
    assert texts(document("Same line\nBody a", "Same line\nBody b")) == [
        ["Same line", "Body a"],
        ["Same line", "Body b"],
    ]


def test_page_numbers_that_rise_with_the_pages_are_removed():
    payload = document("Body a\n11", "Body b\n12", "Body c\n13")
    assert texts(payload) == [["Body a"], ["Body b"], ["Body c"]]


def test_a_number_that_does_not_run_with_the_pages_stays():
    payload = document("Body a\n11", "Body b\n12", "Body c\n13", "77\nBody d\n14")
    assert texts(payload)[3] == ["77", "Body d"]


def test_a_repeated_line_in_the_middle_of_a_page_stays():
    middle = "\n".join([*(f"head {n}x" for n in range(6)), "Repeated", *(f"tail {n}y" for n in range(6))])
    pages = texts(document(*(middle.replace("x", mark).replace("y", mark) for mark in ("aa", "bb", "cc"))))
    assert all("Repeated" in page for page in pages)


def test_the_stamp_of_arxiv_is_removed():
    assert texts(document("arXiv:1906.02243v1  [cs.CL]  5 Jun 2019\nEnergy")) == [["Energy"]]


def test_ligatures_and_odd_blanks_become_plain():
    assert texts(document("The eﬃcient ﬂow\xa0 of  ﬁnance")) == [["The efficient flow of finance"]]


def test_blank_lines_and_indents_set_a_line_off():
    [lines] = page_lines(document("First line\nsecond line\n\nThird line\n    Fourth line"))
    assert [line.set_off for line in lines] == [False, False, True, True]


def test_the_second_paragraph_of_a_page_is_set_off():
    section = SectionPayload("Page 1", (ParagraphPayload("One"), ParagraphPayload("Two")), {"page": 1})
    [lines] = page_lines(DocumentPayload("d", "D", "", sections=(section,)))
    assert [line.set_off for line in lines] == [False, True]


def test_images_and_tables_give_no_lines():
    image = ParagraphPayload("[Image page=1 idx=1]", metadata={"attachment_type": "image", "page": 1})
    table = ParagraphPayload("| a |", metadata={"modality": "table", "page": 1})
    section = SectionPayload("Page 1", (image, table), {"page": 1})
    assert page_lines(DocumentPayload("d", "D", "", sections=(section,))) == [[]]


def test_lines_carry_the_page_of_their_paragraph_else_of_their_section():
    own = ParagraphPayload("own", metadata={"page": 7})
    section = SectionPayload("Page 3", (own, ParagraphPayload("inherited")), {"page": 3})
    [lines] = page_lines(DocumentPayload("d", "D", "", sections=(section,)))
    assert [line.page for line in lines] == [7, 3]


def test_a_document_of_equal_pages_is_not_all_header():
    form = "Please fill in this form.\nName and date"
    assert texts(document(form, form, form)) == [form.split("\n")] * 3


def test_a_paragraph_over_two_pages_has_a_line_of_each():
    text = "The spare rotor, which was delivered last year."
    whole = ParagraphPayload(text, metadata={"page": 2, "page_starts": [[text.index("was"), 3]]})
    payload = DocumentPayload("d", "D", "", sections=(SectionPayload("Page 2", (whole,), {"page": 2}),))
    [lines] = page_lines(payload)
    assert [(line.text, line.page, line.set_off) for line in lines] == [
        ("The spare rotor, which", 2, False),
        ("was delivered last year.", 3, False),
    ]
