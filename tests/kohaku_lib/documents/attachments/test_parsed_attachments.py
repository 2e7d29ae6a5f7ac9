"""What is attached to a mail is parsed as a file of its own would be, and a bad one takes nothing along."""

import json

import pytest
from mails import mail, pdf, word
from outlook_file import outlook_file

from kohaku_lib.documents import parse_paths
from kohaku_lib.documents.attachments.attached_files import attached_files
from kohaku_lib.documents.attachments.file_within import file_at
from kohaku_lib.documents.formats.interface import FORMATS, AttachedFile, Attachments, FormatKind
from kohaku_lib.settings import DocumentsSettings


def outcomes(tmp_path, *mails):
    paths = []
    for number, data in enumerate(mails):
        paths.append(tmp_path / f"m{number}.eml")
        paths[-1].write_bytes(data)
    return list(parse_paths(paths, DocumentsSettings(), 1))


def texts(outcome):
    return [paragraph["text"] for section in outcome.payload["sections"] for paragraph in section["paragraphs"]]


def test_a_mail_names_its_attachments_and_each_is_a_document(tmp_path):
    files = [("plan.docx", word()), ("Über uns: 1/2.TXT", b"We sell tiles."), ("lines.csv", b"item,price\nfan,20\n")]
    (found,) = outcomes(tmp_path, mail("Tiles", files=files))
    assert texts(found)[1:] == ["See below.", "Attachments: plan.docx, Über uns: 1/2.TXT, lines.csv"]
    assert [(one.payload["document_id"], texts(one)) for one in found.children] == [
        ("m0.eml%/plan.docx", ["It weighs 42 kg."]),
        ("m0.eml%/Über%20uns%3A%201%2F2.TXT", ["We sell tiles."]),
        ("m0.eml%/lines.csv", ["| item | price |\n| --- | --- |\n| fan | 20 |"]),
    ]
    assert found.children[0].payload["sections"][0]["title"] == "Roof"
    facts = {"parent_id": "m0", "parent_title": "Tiles", "parent_date": "2026-03-17"}
    assert all(facts.items() <= one.payload["metadata"].items() for one in found.children)


def test_a_pdf_has_its_pages_and_figures(tmp_path):
    (found,) = outcomes(tmp_path, mail("Tiles", files=[("plan.pdf", pdf())]))
    payload = found.children[0].payload
    assert (payload["metadata"]["pages"], payload["sections"][0]["paragraphs"][0]["metadata"]["page"]) == (1, 1)


def test_bad_attachments_are_told_and_stop_nothing(tmp_path):
    damaged = bytearray(word())
    damaged[60:400] = b"\xff" * 340
    files = [
        ("a.exe", b"MZ"),
        ("a.pdf", b"none"),
        ("empty.txt", b""),
        ("plan.docx", bytes(damaged)),
        ("note.txt", b"Tiles."),
    ]
    first, second = outcomes(tmp_path, mail("Tiles", files=files), mail("Next", body="By rail."))
    assert texts(first)[1] == "See below."
    assert texts(second)[1] == "By rail."
    *bad, good = first.children
    assert [one.payload for one in bad] == [None] * 4
    assert [one.error.split(";")[0] for one in bad[:3]] == [
        "not a document format",
        "'a.pdf' is damaged beyond repair or is not a PDF",
        "'empty.txt' is empty",
    ]
    assert "plan.docx" in bad[3].error
    assert [one.path.as_posix().removeprefix(tmp_path.as_posix()) for one in bad[:1]] == ["/m0.eml/a.exe"]
    assert texts(good) == ["Tiles."]


def test_files_with_the_same_name_have_ids_of_their_own(tmp_path):
    files = [("a.txt", b"One."), ("a.txt", b"Two."), ("a-2.txt", b"Three.")]
    (found,) = outcomes(tmp_path, mail("Tiles", files=files))
    assert [(one.payload["document_id"], texts(one)) for one in found.children] == [
        ("m0.eml%/a.txt", ["One."]),
        ("m0.eml%/a-2.txt", ["Two."]),
        ("m0.eml%/a-2-2.txt", ["Three."]),
    ]


def test_many_files_with_one_name_are_bounded_and_said(tmp_path):
    path = tmp_path / "m.eml"
    path.write_bytes(mail("Tiles", files=[("a.txt", str(number).encode()) for number in range(1003)]))
    *found, more = attached_files(path)
    assert [one.name for one in found] == ["a.txt", *(f"a-{number}.txt" for number in range(2, 1001))]
    assert (more.name, more.fault.split(",")[0]) == ("*", "3 more attachments are not read")


def test_the_bound_is_that_of_the_whole_file_however_deep_its_files_are(tmp_path):
    within = [mail(f"M{n}", files=[(f"{k}.txt", b"%d" % k) for k in range(400)]) for n in range(4)]
    path = tmp_path / "m.eml"
    path.write_bytes(mail("All", files=[(f"m{n}.eml", data) for n, data in enumerate(within)]))
    first, second, third, fourth = attached_files(path)
    assert [len(one.attached) for one in (first, second)] == [400, 400]
    assert (len(third.attached), third.attached[-1].fault[:34]) == (197, "204 more attachments are not read,")
    assert [one.fault[:44] for one in fourth.attached] == ["what is attached to 'm3.eml' is not read, as"]


def test_a_long_name_keeps_its_end_and_names_that_differ_by_case_are_apart(tmp_path):
    long = "Minutes of the general meeting of the owners of the association on "
    files = [(f"{long}{day}.pdf", pdf(day)) for day in ("3 May", "7 June")]
    path = tmp_path / "m.eml"
    path.write_bytes(mail("Tiles", files=[*files, ("a.txt", b"1"), ("A.txt", b"2"), (f"a.{'x' * 300}", b"3")]))
    found = [one.name for one in attached_files(path)]
    assert found[0].startswith("Minutes of the general")
    assert [name[-10:] for name in found[:2]] == [" 3 May.pdf", "7 June.pdf"]
    assert found[2:4] == ["a.txt", "A-2.txt"]
    assert all(len(name.encode()) <= 255 for name in found)


def test_a_file_is_unpacked_once_for_all_that_is_within_it(tmp_path):
    opened = []

    def attachments(path):
        opened.append(path.name)
        return Attachments({}, tuple(AttachedFile(f"{name}.txt", b"By rail.") for name in "abc"))

    path = tmp_path / "x.box"
    path.write_bytes(b"box")
    with FORMATS.registered(FormatKind("box", {".box": "application/x-box"}, parse_text, attachments=attachments)):
        for _ in range(2):
            for name in "abc":
                with file_at(path / f"{name}.txt") as file:
                    assert file.read_bytes() == b"By rail."
        path.write_bytes(b"another box")
        with file_at(path / "a.txt") as file:
            assert file.name == "a.txt"
    assert opened == ["x.box"] * 2


def parse_text(path, document_id, settings):
    raise NotImplementedError


def test_a_fault_within_a_forwarded_file_takes_no_other_along(tmp_path):
    def attachments(path):
        raise KeyError(path.name)

    path = tmp_path / "m.eml"
    path.write_bytes(mail("Tiles", files=[("a.txt", b"One."), ("x.box", b"box")]))
    with FORMATS.registered(FormatKind("box", {".box": "application/x-box"}, parse_text, attachments=attachments)):
        first, second = attached_files(path)
    assert (first.name, second.name, second.fault) == ("a.txt", "x.box", None)
    assert [(one.name, one.fault) for one in second.attached] == [
        ("*", "what is attached to 'x.box' cannot be listed (KeyError: 'x.box'); save it again")
    ]


def test_messages_nest_as_they_were_sent(tmp_path):
    outlook = outlook_file({0x0037: "Rails", 0x1000: "By rail."}, [], [{0x3707: "b.txt", 0x3701: b"Two.", 0x3705: 1}])
    inner = mail("Route", files=[("a.txt", b"One.")])
    (found,) = outcomes(tmp_path, mail("Tiles", files=[("r.msg", outlook)], forwarded=[inner]))
    rails, route = found.children
    assert [one.payload["document_id"] for one in (rails, *rails.children)] == ["m0.eml%/r.msg", "m0.eml%/r.msg%/b.txt"]
    assert [one.payload["document_id"] for one in (route, *route.children)] == [
        "m0.eml%/Route.eml",
        "m0.eml%/Route.eml%/a.txt",
    ]
    assert (texts(rails.children[0]), texts(route.children[0])) == (["Two."], ["One."])
    assert route.children[0].payload["metadata"]["parent_title"] == "Route"


def test_depth_is_bounded_and_said(tmp_path):
    data = mail("M0", files=[("a.txt", b"One.")])
    for number in range(1, 9):
        data = mail(f"M{number}", forwarded=[data])
    path = tmp_path / "m.eml"
    path.write_bytes(data)
    faults, found = [], attached_files(path)
    while found:
        faults += [one.fault for one in found]
        found = found[0].attached
    assert faults == [None] * 8 + ["nested more than 8 deep"]


def test_size_is_bounded_and_said(tmp_path):
    (found,) = outcomes(tmp_path, mail("Tiles", files=[("b.txt", b"x" * 50_000_001)]))
    assert found.children[0].error == "over 50 MB, which is the most that is read of an attachment"


@pytest.mark.parametrize("data", [b"just words\n", b""])
def test_a_file_that_is_no_mail_has_no_children(tmp_path, data):
    (found,) = outcomes(tmp_path, data)
    assert (found.payload, found.children) == (None, ())


def test_an_attached_payload_has_the_id_of_its_place(tmp_path):
    payload = json.dumps({"document_id": "own", "title": "T", "text": "Amber floats."}).encode()
    (found,) = outcomes(tmp_path, mail("Tiles", files=[("p.json", payload)]))
    assert found.children[0].payload["document_id"] == "m0.eml%/p.json"
