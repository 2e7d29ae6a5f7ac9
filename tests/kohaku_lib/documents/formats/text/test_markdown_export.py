"""Payloads come out as Markdown that reads back to the same."""

from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.documents.formats.text.markdown import parse_markdown
from kohaku_lib.documents.markdown_export import payload_to_markdown
from kohaku_lib.tables import DocumentPayload, ParagraphPayload, SectionPayload

TABLE = "| Year | kWh |\n| --- | --- |\n| 2023 | 45 |"


def section(title, *paragraphs, path=None, level=None):
    metadata = {} if path is None else {"heading_path": path, "level": level}
    texts = tuple(p if isinstance(p, ParagraphPayload) else ParagraphPayload(p) for p in paragraphs)
    return SectionPayload(title, texts, metadata)


def markdown(*sections):
    return payload_to_markdown(DocumentPayload("a", "The title", "the text", {}, sections))


def table(caption):
    return ParagraphPayload(f"{caption}\n{TABLE}", None, {"modality": "table", "table_caption": caption})


def test_headings_have_their_level():
    found = markdown(
        section("Amber", "It is old.", path=["Amber"], level=1),
        section("Age", "40 million years.", path=["Amber", "Age"], level=2),
        section("Glass", "It is new.", path=["Glass"], level=1),
    )
    assert found == "# Amber\n\nIt is old.\n\n## Age\n\n40 million years.\n\n# Glass\n\nIt is new.\n"


def test_a_heading_without_a_body_is_written_once_before_the_first_beneath_it():
    found = markdown(
        section("Age", "Old.", path=["Amber", "Age"], level=2),
        section("Use", "Beads.", path=["Amber", "Use"], level=2),
    )
    assert found == "# Amber\n\n## Age\n\nOld.\n\n## Use\n\nBeads.\n"


def test_two_sections_of_the_same_title_both_have_their_heading():
    found = markdown(section("Note", "a", path=["Note"], level=1), section("Note", "b", path=["Note"], level=1))
    assert found == "# Note\n\na\n\n# Note\n\nb\n"


def test_levels_stop_at_six_and_a_heading_is_one_line():
    found = markdown(section("x", "a", path=["Deep\nand  long"], level=9))
    assert found == "###### Deep and long\n\na\n"


def test_generated_titles_are_left_out():
    assert markdown(section("Page 1", "a"), section("Page 2", "b")) == "a\n\nb\n"
    assert markdown(section("The title", "a", path=[], level=0)) == "a\n"


def test_a_caption_is_a_paragraph_above_its_table():
    assert markdown(section("Page 1", "a", table("Table 1: Power"))) == f"a\n\nTable 1: Power\n\n{TABLE}\n"


def test_a_caption_that_repeats_the_text_before_is_written_once():
    assert markdown(section("Page 1", "Sales were:", table("Sales were:"))) == f"Sales were:\n\n{TABLE}\n"
    assert markdown(section("Sales", table("Sales"), path=["Sales"], level=2)) == f"## Sales\n\n{TABLE}\n"


def test_a_table_without_a_caption_of_its_own_stays_whole():
    plain = ParagraphPayload(TABLE, None, {"modality": "table", "table_caption": "elsewhere"})
    assert markdown(section("Page 1", plain)) == f"{TABLE}\n"


def test_images_are_left_out():
    image = ParagraphPayload("[Image page=1 idx=1 name=X] Size: 9x9, Data: 4", None, {"modality": "image"})
    assert markdown(section("Page 1", image, "Figure 1: A bead.")) == "Figure 1: A bead.\n"


def test_without_sections_the_text_is_returned():
    assert payload_to_markdown(DocumentPayload("a", "A", "one\n\ntwo")) == "one\n\ntwo\n"


def test_nothing_gives_nothing():
    assert markdown() == ""
    assert payload_to_markdown(DocumentPayload("a", "A", "")) == ""
    assert markdown(section("Page 1", "")) == ""


WORDS = st.text("abcdefg", min_size=1, max_size=8)
SECTIONS = st.lists(st.tuples(st.integers(1, 6), WORDS, st.lists(WORDS, min_size=1, max_size=3)), min_size=1)


@given(SECTIONS)
def test_markdown_survives_being_read_and_written(sections):
    source = "".join(f"{'#' * level} {title}\n\n" + "\n\n".join(texts) + "\n\n" for level, title, texts in sections)
    once = payload_to_markdown(parse_markdown(source, "a", "A"))
    assert payload_to_markdown(parse_markdown(once, "a", "A")) == once
    assert [line for line in once.split("\n") if line] == [line for line in source.split("\n") if line]
