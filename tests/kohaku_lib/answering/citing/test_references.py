import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.answering.citing.references import named_nodes, resolve_refs

KNOWN = ["li2025a", "Report,2023", "wu2021"]


@pytest.mark.parametrize(
    ("refs", "kept", "dropped"),
    [
        (["li2025a"], ("li2025a",), 0),
        (["li2025a:sec1:p2:s3", "li2025a:sec4"], ("li2025a",), 0),
        (["LI2025A"], ("li2025a",), 0),
        (["Report,2023"], ("Report,2023",), 0),
        (["li2025a, wu2021"], ("li2025a", "wu2021"), 0),
        (["wu2021; li2025a"], ("wu2021", "li2025a"), 0),
        (["nobody2020", "wu2021", "nobody2020"], ("wu2021",), 1),
        (["nobody2020:sec1"], (), 1),
        ([], (), 0),
    ],
)
def test_references_are_reduced_to_documents_that_exist_and_the_others_counted(refs, kept, dropped):
    assert resolve_refs(refs, KNOWN) == (kept, dropped)


CASES = ["Case.md", "case.md", "CASE.txt", "a:b", "a"]


@pytest.mark.parametrize(
    ("ref", "kept"),
    [
        ("Case.md", "Case.md"),
        ("case.md", "case.md"),
        ("case.md:sec1:p2", "case.md"),
        ("CASE.MD", None),  # two differ by case alone: neither is guessed
        ("CASE.MD:sec1", None),
        ("case.TXT", "CASE.txt"),
        ("a:b:sec1", "a:b"),
        ("a:sec1", "a"),
        ("A:B", "a:b"),
    ],
)
def test_identity_is_exact_and_another_case_is_accepted_for_one_document_alone(ref, kept):
    found = {resolve_refs([ref], known) for known in itertools.permutations(CASES)}
    assert found == {((kept,), 0) if kept else ((), 1)}


ENDED = ["report", "prices.csv", "plan.md", "plan.pdf", "notes.v1"]


@pytest.mark.parametrize(
    ("ref", "kept"),
    [
        ("report.pdf", "report"),
        ("[Report.PDF]", "report"),
        ("(report)", "report"),
        ("`report:sec1:p2`", "report"),
        ("prices", "prices.csv"),
        ("PRICES.xlsx", "prices.csv"),
        ("plan.md", "plan.md"),
        ("plan", None),  # two have that name
        ("plan.docx", None),
        ("notes.v2", None),  # another version is another document
        ("report.pdf.bak9z", None),
    ],
)
def test_brackets_and_the_ending_of_a_file_are_no_matter_where_one_document_alone_can_be_meant(ref, kept):
    assert resolve_refs([ref], ENDED) == ((kept,), 0) if kept else ((), 1)


@given(st.lists(st.text("aA[]%:5BD", min_size=1, max_size=4), unique=True, min_size=1))
def test_each_id_resolves_to_itself_whatever_else_there_is(ids):
    assert [resolve_refs([one], ids)[0] for one in ids] == [(one,) for one in ids]
    assert [named_nodes([one], ids) for one in ids] == [(one,) for one in ids]


def test_nodes_whose_ids_differ_by_case_alone_are_told_apart():
    nodes = ["Case:p1", "case:p1"]
    assert [named_nodes([name], nodes) for name in (*nodes, "CASE:p1")] == [("Case:p1",), ("case:p1",), ()]


def test_named_nodes_are_found_in_lists_and_with_escaped_brackets():
    nodes = ["a:sec1:p1", "a:sec1:p2", "b[1]:sec1:p1"]
    assert named_nodes(["a:sec1:p2; B%5B1%5D:sec1:p1", "a"], nodes) == ("a:sec1:p2", "b[1]:sec1:p1")
