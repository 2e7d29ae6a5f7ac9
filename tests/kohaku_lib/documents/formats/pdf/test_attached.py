"""Files attached to a PDF are documents of their own below its path, as those of mails are."""

import pymupdf
import pytest

from kohaku_lib.documents import parse_paths
from kohaku_lib.documents.attachments.file_within import file_at
from kohaku_lib.documents.formats.pdf.attached import files_within_pdf
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings


def document(title=""):
    pdf = pymupdf.open()
    pdf.new_page().insert_text((72, 72), "The offer is valid for three weeks.")
    pdf.set_metadata({"title": title})
    return pdf


def pin(pdf, name, data):
    return pdf[0].add_file_annot((72, 200), data, name).xref


def test_files_of_the_document_and_of_its_pages_are_documents_below_it(tmp_path):
    pdf, inner, path = document("Offer for winches"), document(), tmp_path / "offer.pdf"
    pin(inner, "gate.txt", b"Gate 5.")
    pdf.embfile_add("key", b"item,price\nwinch,410\n", filename="prices.csv", ufilename="prices.csv")
    pdf.embfile_add("inner", inner.tobytes(), filename="Pläne für März.pdf", ufilename="Pläne für März.pdf")
    pin(pdf, "warranty.txt", b"It is 30 months.")
    pdf.save(path)
    (found,) = parse_paths([path], DocumentsSettings(), 1)
    plans, prices, warranty = sorted(found.children, key=lambda one: one.path.name)
    assert [one.path.relative_to(tmp_path).as_posix() for one in (prices, plans, warranty, *plans.children)] == [
        "offer.pdf/prices.csv",
        "offer.pdf/Pläne für März.pdf",
        "offer.pdf/warranty.txt",
        "offer.pdf/Pläne für März.pdf/gate.txt",
    ]
    assert prices.payload["sections"][0]["paragraphs"][0]["text"] == "| item | price |\n| --- | --- |\n| winch | 410 |"
    assert {"parent_id": "offer", "parent_title": "Offer for winches"}.items() <= prices.payload["metadata"].items()
    with file_at(tmp_path / "offer.pdf" / "warranty.txt") as file:
        assert file.read_bytes() == b"It is 30 months."


def test_files_below_branches_of_the_tree_of_names_are_found(tmp_path):
    pdf, path = document(), tmp_path / "portfolio.pdf"
    pdf.embfile_add("a", b"one", filename="a.txt")
    names = pdf.xref_get_key(pdf.pdf_catalog(), "Names/EmbeddedFiles/Names")[1]
    branch = pdf.get_new_xref()
    pdf.update_object(branch, f"<</Limits[(a)(a)]/Names{names}>>")
    pdf.xref_set_key(pdf.pdf_catalog(), "Names/EmbeddedFiles", f"<</Kids[{branch} 0 R]>>")
    pdf.save(path)
    assert [(one.name, one.data) for one in files_within_pdf(path).files] == [("a.txt", b"one")]


def test_a_file_that_is_listed_and_pinned_is_there_once(tmp_path):
    pdf, path = document(), tmp_path / "a.pdf"
    xref, stated = pin(pdf, "a.txt", b"one"), pdf.get_new_xref()
    pdf.embfile_add("a", b"", filename="b.txt")
    pdf.update_object(stated, pdf.xref_get_key(xref, "FS")[1])
    pdf.xref_set_key(pdf.pdf_catalog(), "Names/EmbeddedFiles/Names", f"[(a) {stated} 0 R]")
    pdf.xref_set_key(xref, "FS", f"{stated} 0 R")
    pdf.save(path)
    assert [one.name for one in files_within_pdf(path).files] == ["a.txt"]


def test_a_file_that_is_not_there_is_named_with_the_reason_and_the_others_are_read(tmp_path):
    pdf, path = document(), tmp_path / "a.pdf"
    xref = pin(pdf, "gone.txt", b"one")
    pin(pdf, "there.txt", b"two")
    pdf.xref_set_key(xref, "FS", "<</Type/Filespec/F(C:\\\\plans\\\\gone.txt)>>")
    pdf.save(path)
    assert [(one.name, one.data) for one in files_within_pdf(path).files] == [("gone.txt", None), ("there.txt", b"two")]
    (found,) = parse_paths([path], DocumentsSettings(), 1)
    assert [(one.path.name, one.error) for one in found.children] == [
        ("gone.txt", "not in the PDF or damaged there"),
        ("there.txt", None),
    ]


def test_a_pdf_that_cannot_be_opened_lists_nothing(tmp_path):
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF-1.7 nothing")
    with pytest.raises(DocumentError):
        files_within_pdf(path)
    (found,) = parse_paths([path], DocumentsSettings(), 1)
    assert (found.status, found.children) == ("failed", ())
