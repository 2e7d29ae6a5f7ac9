import pytest

from kohaku_lib.answering.citing.references import resolve_refs

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
