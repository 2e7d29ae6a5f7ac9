import pytest

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


def test_named_nodes_are_found_in_lists_and_with_escaped_brackets():
    nodes = ["a:sec1:p1", "a:sec1:p2", "b[1]:sec1:p1"]
    assert named_nodes(["a:sec1:p2; B%5B1%5D:sec1:p1", "a"], nodes) == ("a:sec1:p2", "b[1]:sec1:p1")
