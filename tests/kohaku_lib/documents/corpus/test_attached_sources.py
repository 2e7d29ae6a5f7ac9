"""What is attached to a mail is a source of its own behind the mail, listed and parsed as a file of the folder is."""

import json
import shutil
import sys

import pytest
from mails import mail, pdf

from kohaku_lib.digests import file_sha256
from kohaku_lib.documents import DOCUMENT_ROW_CACHE_SCHEMA, extract_images, list_sources, parse_documents
from kohaku_lib.documents.attachments.attachment_lists import AttachmentLists
from kohaku_lib.documents.corpus.files import CorpusFiles, corpus_files
from kohaku_lib.documents.formats.interface import FORMATS, FormatKind
from kohaku_lib.documents.worker.kept_processes import end_kept_processes
from kohaku_lib.settings import CorpusSettings, DocumentsSettings, ImagesSettings
from kohaku_lib.storage import RowCache

PLAN = pdf("The plan of the roof.")


def sources(folder, **settings):
    table, report = list_sources(CorpusSettings(documents=folder, **settings))
    return {row["path"]: row for row in table.to_pylist()}, report


def states(rows):
    return {path: (row["document_id"], row["status"]) for path, row in rows.items()}


def put(folder, **mails):
    folder.mkdir(exist_ok=True)
    for name, data in mails.items():
        (folder / f"{name}.eml").write_bytes(data)
    return folder


def test_attachments_are_rows_behind_their_mail(tmp_path):
    inner = mail("Route", files=[("a.txt", b"By rail.")])
    put(tmp_path, offer=mail("Tiles", files=[("plan.pdf", PLAN), ("x.exe", b"MZ")], forwarded=[inner]))
    (tmp_path / "zebra.txt").write_text("Stripes.")
    rows, report = sources(tmp_path)
    assert states(rows) == {
        "offer.eml": ("offer", "ready"),
        "offer.eml/plan.pdf": ("offer.eml%/plan.pdf", "ready"),
        "offer.eml/x.exe": ("offer.eml%/x.exe", "not a document format"),
        "offer.eml/Route.eml": ("offer.eml%/Route.eml", "ready"),
        "offer.eml/Route.eml/a.txt": ("offer.eml%/Route.eml%/a.txt", "ready"),
        "zebra.txt": ("zebra", "ready"),
    }
    assert report.problems == ("offer.eml/x.exe: not a document format",)
    facts = {path: json.loads(row["metadata_json"]) for path, row in rows.items()}
    assert facts["offer.eml"] == {}
    assert facts["offer.eml/plan.pdf"] == {"parent_id": "offer", "parent_title": "Tiles", "parent_date": "2026-03-17"}
    assert facts["offer.eml/Route.eml/a.txt"]["parent_id"] == "offer.eml%/Route.eml"


def test_the_same_attachment_twice_is_one_document(tmp_path):
    put(tmp_path, a=mail("A", files=[("plan.pdf", PLAN)]), b=mail("B", files=[("copy.pdf", PLAN)]))
    assert states(sources(tmp_path)[0])["b.eml/copy.pdf"][1] == "same content as 'a.eml/plan.pdf'"
    (tmp_path / "z.pdf").write_bytes(PLAN)
    found = states(sources(tmp_path)[0])
    assert [found[path][1] for path in ("z.pdf", "a.eml/plan.pdf", "b.eml/copy.pdf")] == [
        "ready",
        *["same content as 'z.pdf'"] * 2,
    ]


def test_attachments_of_a_mail_that_is_a_copy_are_not_listed_again(tmp_path):
    data = mail("A", files=[("plan.pdf", PLAN)])
    put(tmp_path, a=data, a_copy=data)
    assert list(sources(tmp_path)[0]) == ["a.eml", "a.eml/plan.pdf", "a_copy.eml"]


def test_no_file_has_or_changes_the_id_of_an_attachment(tmp_path):
    put(tmp_path, offer=mail("A", files=[("p.txt", b"One.")]))
    own_id = json.dumps({"document_id": "offer.eml%/p.txt", "text": "Two."})
    for name, text in (("offer/p.txt", "Three."), ("other/p.txt", "Four."), ("q.json", own_id)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
        found = states(sources(tmp_path)[0])
        assert found["offer.eml/p.txt"] == ("offer.eml%/p.txt", "ready")
    assert {found[path][1] for path in found} == {"ready"}
    assert [found[path][0] for path in ("offer/p.txt", "q.json")] == ["offer/p.txt", "offer.eml%25/p.txt"]


def test_no_file_of_an_organisation_changes_the_attachments_of_another(tmp_path):
    metadata = tmp_path / "m.csv"
    metadata.write_text("id,org_id\noffer,bolt\n")
    folder = put(tmp_path / "docs", offer=mail("A", files=[("plan.txt", b"One.")]))
    settings = {"metadata": metadata, "org_id": "home"}
    before = sources(folder, **settings)[0]["offer.eml/plan.txt"]
    for place in ("offer", "z"):
        put(folder / place)
        (folder / place / "plan.txt").write_text(place)
    rows, _ = sources(folder, **settings)
    assert rows["offer.eml/plan.txt"] == before
    assert rows["offer/plan.txt"]["document_id"] != before["document_id"]


@pytest.mark.parametrize("org_folders", [True, False])
def test_attachments_belong_to_the_organisation_of_their_mail(tmp_path, org_folders):
    metadata = tmp_path / "m.csv"
    metadata.write_text("id,org_id\n" + ("" if org_folders else "offer,bolt\n"))
    folder = put(tmp_path / "docs", offer=mail("A", files=[("p.txt", b"One.")]))
    put(folder / "acme", route=mail("B", files=[("q.txt", b"One.")]))
    corpus = CorpusSettings(documents=folder, metadata=metadata, org_folders=org_folders, org_id="home")
    documents, _ = parse_documents(list_sources(corpus)[0], corpus, DocumentsSettings(), workers=1)
    expected = ("home", "acme") if org_folders else ("bolt", "home")
    org_of = {row["path"]: row["org_id"] for row in documents.to_pylist()}
    assert (org_of["offer.eml"], org_of["offer.eml/p.txt"]) == (expected[0],) * 2
    assert (org_of["acme/route.eml"], org_of["acme/route.eml/q.txt"]) == (expected[1],) * 2


def test_what_is_left_out_is_no_source(tmp_path):
    corpus = CorpusSettings(documents=put(tmp_path, a=mail("A", files=[("p.txt", b"One."), ("q.txt", b"Two.")])))
    left_out = {"a.eml/p.txt": "left out"}
    files = CorpusFiles(corpus_files(corpus).paths, left_out, frozenset(left_out))
    table, report = list_sources(corpus, files=files)
    assert table["path"].to_pylist() == ["a.eml", "a.eml/q.txt"]
    assert report.problems == ("a.eml/p.txt: left out",)


@pytest.mark.parametrize("name", ["b.eml/copy.pdf", "z.pdf"])
def test_what_is_left_out_does_not_come_back_with_another_mail(tmp_path, name):
    put(tmp_path, b=mail("B", files=[("copy.pdf", PLAN)]))
    (tmp_path / "z.pdf").write_bytes(PLAN)
    corpus = CorpusSettings(documents=tmp_path)
    if name != "z.pdf":
        (tmp_path / "z.pdf").unlink()
    put(tmp_path, a=mail("A", files=[("plan.pdf", PLAN), ("q.txt", b"One.")]), c=mail("C", files=[("p.pdf", PLAN)]))
    files = CorpusFiles([one for one in corpus_files(corpus).paths if one.name != name], {}, frozenset((name,)))
    found = states({row["path"]: row for row in list_sources(corpus, files=files)[0].to_pylist()})
    expected = f"same content as {name!r}, which is left out"
    assert [found[path][1] for path in ("a.eml/plan.pdf", "a.eml/q.txt", "c.eml/p.pdf")] == [
        expected,
        "ready",
        expected,
    ]
    assert name not in found


def test_attachments_are_parsed_again_only_if_they_change(tmp_path):
    corpus = CorpusSettings(
        documents=put(tmp_path / "docs", a=mail("A", files=[("p.txt", b"One."), ("q.pdf", b"none")]))
    )

    def parsed():
        with RowCache(tmp_path / "cache", DOCUMENT_ROW_CACHE_SCHEMA) as cache:
            return parse_documents(list_sources(corpus)[0], corpus, DocumentsSettings(), cache, 1)

    table, first = parsed()
    assert [(row["path"], row["status"]) for row in table.to_pylist()] == [
        ("a.eml", "parsed"),
        ("a.eml/p.txt", "parsed"),
        ("a.eml/q.pdf", "failed"),
    ]
    assert first.problems == ("a.eml/q.pdf: 'q.pdf' is damaged beyond repair or is not a PDF",)
    assert (parsed()[1].rows_computed, parsed()[0]) == (0, table)
    put(tmp_path / "docs", a=mail("A", "More.", files=[("p.txt", b"One."), ("q.pdf", b"none")]))
    assert parsed()[1].rows_computed == 1
    (tmp_path / "docs" / "a.eml").unlink()
    assert parsed()[0].num_rows == 0


def test_figures_of_an_attached_pdf_are_extracted(tmp_path):
    import pymupdf

    with pymupdf.open() as document:
        page = document.new_page()
        pixmap = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 200, 200), False)
        pixmap.clear_with(255)
        pixmap.set_rect(pymupdf.IRect(40, 40, 120, 160), (200, 30, 30))
        page.insert_image(pymupdf.Rect(72, 72, 372, 372), pixmap=pixmap)
        page.insert_text((72, 420), "Figure 1: The red door of the depot.")
        data = document.tobytes(no_new_id=True)
    corpus = CorpusSettings(documents=put(tmp_path, a=mail("A", files=[("q.pdf", data)])))
    documents, _ = parse_documents(list_sources(corpus)[0], corpus, DocumentsSettings(), workers=1)
    images, report = extract_images(documents, corpus, ImagesSettings(), 1)
    assert report.problems == ()
    assert images["storage_key"].to_pylist() == ["img:a.eml%/q.pdf:p1:i1"]


def names(lists, path, sha256=None):
    found = lists.read({path: sha256 or file_sha256(path)})
    return [one.name for one in found[path]]


def test_lists_are_kept_as_long_as_their_file_and_a_damaged_mail_has_none(tmp_path):
    path = put(tmp_path, a=mail("A", files=[("p.txt", b"One.")]), b=b"just words\n") / "a.eml"
    files = {one: file_sha256(one) for one in (path, path.with_name("b.eml"))}
    lists = AttachmentLists(tmp_path / "lists.json")
    first = lists.read(files)
    lists.save()
    path.unlink()
    kept = AttachmentLists(tmp_path / "lists.json")
    assert kept.read(files) == first
    assert [[one.name for one in found] for found in first.values()] == [["p.txt"], []]
    kept.read({})
    kept.save()
    assert "p.txt" not in (tmp_path / "lists.json").read_text()


def test_no_file_beside_a_mail_changes_the_ids_of_what_is_attached(tmp_path):
    folder = put(
        tmp_path, offer=mail("Offer", files=[("p.txt", b"One."), ("r.eml", mail("R", files=[("q.txt", b"2")]))])
    )
    alone = states(sources(folder)[0])
    (folder / "offer.md").write_text("# Offer\n\nAnother one.")
    (folder / "offer.EML").write_bytes(mail("Third"))
    beside = states(sources(folder)[0])
    attached = [path for path in alone if "/" in path]
    assert len(attached) == 3
    assert [beside[path] for path in attached] == [alone[path] for path in attached]


def test_a_fault_that_may_pass_removes_nothing_and_is_told_until_it_passes(tmp_path):
    folder = tmp_path / "docs"
    path = put(folder, a=mail("A", files=[("p.txt", b"One.")])) / "a.eml"
    corpus, lists = CorpusSettings(documents=folder), AttachmentLists(tmp_path / "lists.json")
    before = states({row["path"]: row for row in list_sources(corpus, attachments=lists)[0].to_pylist()})
    put(folder, a=mail("A", files=[("p.txt", b"One."), ("q.txt", b"Two.")]))
    lists.save()
    lists = AttachmentLists(tmp_path / "lists.json")
    rows, report = list_sources(corpus, lambda _: "0" * 64, attachments=lists)  # it changes while it is read
    told = "what is attached cannot be listed now: 'a.eml' changed while it was being read; run again"
    found = states({row["path"]: row for row in rows.to_pylist()})
    assert found == {**before, "a.eml/*": ("a.eml%/*", told)}
    assert report.problems == (f"a.eml/*: {told}",)
    assert names(lists, path) == ["p.txt", "q.txt"]


def test_the_limits_of_the_project_hold_for_lists(tmp_path):
    path = put(tmp_path, a=mail("A", files=[("p.txt", b"One.")])) / "a.eml"
    (found,) = AttachmentLists(settings=DocumentsSettings(time_limit_s=0.001)).read({path: file_sha256(path)})[path]
    assert "'a.eml' takes longer than 0.001 s to read; raise documents.time_limit_s" in found.fault


def test_that_a_file_takes_too_long_is_kept_until_it_is_tried_again_or_the_limit_is_another(tmp_path, monkeypatch):
    path = put(tmp_path, a=mail("A", files=[("p.txt", b"One.")])) / "a.eml"
    sha256, short = file_sha256(path), DocumentsSettings(time_limit_s=1e-6)

    def listed(settings, **how):
        lists = AttachmentLists(tmp_path / "lists.json", settings, **how)
        found = lists.read({path: sha256})[path]
        lists.save()
        return [one.fault or one.name for one in found]

    [late] = listed(short)
    assert "takes longer than 1e-06 s" in late
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", shutil.which("false"))  # so that it is seen whether it is read
        end_kept_processes()
        assert listed(short) == [late]
        [read] = listed(short, afresh=True)
        assert "ended the process" in read
    assert listed(short) == [late]
    assert listed(DocumentsSettings(time_limit_s=60)) == ["p.txt"]
    assert listed(short) == ["p.txt"]


def test_a_request_that_reads_lists_no_new_file(tmp_path):
    path = put(tmp_path, a=mail("A", files=[("p.txt", b"One.")])) / "a.eml"
    lists = AttachmentLists(tmp_path / "lists.json", known_only=True)
    assert [one.fault for one in lists.read({path: file_sha256(path)})[path]] == [
        "what is attached is listed by the next refresh"
    ]
    lists.save()
    assert not (tmp_path / "lists.json").exists()


def test_a_folder_that_was_moved_with_its_lists_is_known(tmp_path):
    first = put(tmp_path / "one", a=mail("A", files=[("p.txt", b"One.")]))
    lists = AttachmentLists(tmp_path / "lists.json")
    listed = list_sources(CorpusSettings(documents=first), attachments=lists)[0]
    lists.save()
    second = CorpusSettings(documents=first.rename(tmp_path / "two"))
    known = AttachmentLists(tmp_path / "lists.json", known_only=True)
    assert list_sources(second, attachments=known)[0].equals(listed)


def test_a_list_is_made_anew_once_there_is_another_format(tmp_path):
    path = put(tmp_path, a=mail("A", files=[("p.txt", b"One.")])) / "a.eml"
    lists = AttachmentLists()
    first, sha256 = names(lists, path), file_sha256(path)
    path.unlink()
    assert names(lists, path, sha256) == first
    with FORMATS.registered(FormatKind("lines", {".lines": "text/x-lines"}, payload_of_lines)):
        assert names(lists, path, sha256) == [*first, "*"]  # it was read


def payload_of_lines(path, document_id, settings):
    raise NotImplementedError


def test_a_mail_that_is_gone_is_read_again_when_it_is_back(tmp_path):
    path = put(tmp_path, a=mail("A", files=[("p.txt", b"One.")])) / "a.eml"
    data, sha256, lists = path.read_bytes(), file_sha256(path), AttachmentLists()
    path.unlink()
    assert names(lists, path, sha256) == ["*"]
    path.write_bytes(data)
    assert names(lists, path, sha256) == ["p.txt"]
