"""URLs and materials of references, gathered from the rows of several runs."""

from kohaku_lib.evaluation.voting.sources import SourceCatalogue

ROWS = [
    {"ref_id": "['a']", "ref_url": "['https://example.org/a?x=1,2']", "supporting_materials": "Paper A | page 3"},
    {
        "ref_id": "['b','c']",
        "ref_url": "['https://example.org/b', 'https://example.org/c']",
        "supporting_materials": "B | C",
    },
    {"ref_id": "['a']", "ref_url": "https://example.org/other", "supporting_materials": "Another A"},
    {"ref_id": "['d','e']", "ref_url": "['https://example.org/d']", "supporting_materials": "only one"},
    {"ref_id": "f", "ref_url": "is_blank", "supporting_materials": "is_blank"},
    {"ref_id": "['g']", "ref_url": "https://example.org/g ", "supporting_materials": ""},
]


def test_the_first_url_of_a_reference_stays():
    assert SourceCatalogue(ROWS).urls(("A",)) == ["https://example.org/a?x=1,2"]


def test_lists_of_equal_length_are_paired_and_others_passed_over():
    sources = SourceCatalogue(ROWS)
    assert sources.urls(("c", "b", "d", "e")) == ["https://example.org/c", "https://example.org/b"]
    assert sources.materials(("c", "b"), {}) == "C | B"


def test_a_single_reference_owns_the_whole_material():
    assert SourceCatalogue(ROWS).materials(("a",), {}) == "Paper A | page 3"


def test_blank_cells_teach_nothing():
    sources = SourceCatalogue(ROWS)
    assert (sources.urls(("f",)), sources.materials(("f",), {}), sources.materials(("g",), {})) == (
        [],
        "is_blank",
        "is_blank",
    )
    assert sources.urls(("g",)) == ["https://example.org/g"]


def test_a_row_that_cites_just_these_references_keeps_its_own_material():
    sources = SourceCatalogue(ROWS)
    own = {"ref_id": "['B', 'c']", "supporting_materials": "my own words"}
    assert sources.materials(("b", "c"), own) == "my own words"
    assert sources.materials(("b",), own) == "B"


def test_references_that_share_a_material_name_it_once():
    rows = [{"ref_id": f"['{name}']", "ref_url": "", "supporting_materials": "one book"} for name in "xy"]
    assert SourceCatalogue(rows).materials(("x", "y"), {}) == "one book"


def test_without_rows_nothing_is_known():
    assert (SourceCatalogue([]).urls(("a",)), SourceCatalogue([]).materials(("a",), {})) == ([], "is_blank")
