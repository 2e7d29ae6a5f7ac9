"""JSON of any form becomes tables, lines and headings."""

import json

import pytest

from kohaku_lib.documents import parse_file
from kohaku_lib.documents.formats.text.json_document import parse_json
from kohaku_lib.errors import DocumentError


def parsed(value):
    return parse_json(value if isinstance(value, str) else json.dumps(value), "a", "A")


def outline(payload):
    return [(section.title, [one.text for one in section.paragraphs]) for section in payload.sections]


def test_records_have_their_columns_in_the_order_in_which_keys_first_appear():
    records = [{"b": 1, "at": {"hive": "N", "row": 2}}, {"a": True, "b": None, "jobs": ["x", {"y": 1}]}]
    assert outline(parsed(records)) == [
        (
            "A",
            [
                "| b | at.hive | at.row | a | jobs |\n| --- | --- | --- | --- | --- |\n"
                "| 1 | N | 2 |  |  |\n|  |  |  | true | x; y: 1 |"
            ],
        )
    ]


def test_an_object_around_records_gives_their_heading_and_its_other_values_lines():
    assert outline(parsed({"count": 1, "items": [{"n": 7}], "empty": [], "tags": ["a", "b"]})) == [
        ("A", ["count: 1\ntags: a; b"]),
        ("items", ["| n |\n| --- |\n| 7 |"]),
    ]


def test_nested_objects_become_sections_and_those_below_the_sixth_level_dotted_lines():
    deep = {"1": {"2": {"3": {"4": {"5": {"6": {"7": {"8": "x"}}}}}}}}
    (section,) = parsed(deep).sections
    assert (section.title, section.metadata["level"], section.paragraphs[0].text) == ("6", 6, "7.8: x")


def test_numbers_stand_as_they_are_written():
    assert parsed('{"price": 2.50, "id": 12345678901234567890, "big": 1e400}').text == (
        "price: 2.50\nid: 12345678901234567890\nbig: 1e400"
    )


def test_lists_of_lists_are_rows_and_other_lists_items():
    assert parsed([["model", "MWh"], ["GPT-3", 1287]]).text == "| model | MWh |\n| --- | --- |\n| GPT-3 | 1287 |"
    assert parsed([1, {"a": 2}, [3, 4]]).text == "- 1\n- a: 2\n- 3; 4"


def test_tables_have_fifty_rows_each_with_the_header():
    payload = parsed([{"n": n} for n in range(51)])
    first, second = payload.sections[0].paragraphs
    assert (first.text.count("\n"), second.text) == (51, "| n |\n| --- |\n| 50 |")
    assert second.metadata["first_row"] == 51


def test_records_of_long_texts_and_such_without_common_keys_are_lines():
    long = [{"title": "One", "body": "x" * 2000}, {"title": "Two", "body": "y"}]
    assert outline(parsed(long)) == [("A", [f"title: One\nbody: {'x' * 2000}", "title: Two\nbody: y"])]
    sparse = parsed([{f"key {n}": n} for n in range(1000)])
    assert [one.text for one in sparse.sections[0].paragraphs][:2] == ["key 0: 0", "key 1: 1"]


def test_a_few_bytes_become_no_giant_table():
    records = [{"n": n} for n in range(5000)]
    records[0] = {"k" * 100_000: 1}
    assert len(parsed(records).text) < 2_000_000


@pytest.mark.parametrize("value", [[], {}, None, {"a": {"b": []}}])
def test_json_without_text_is_refused(value):
    with pytest.raises(DocumentError, match="'A' contains no text"):
        parsed(value)


def test_json_lines_are_one_list_and_bad_ones_are_told_by_their_number(tmp_path):
    path = tmp_path / "bees.jsonl"
    path.write_text('{"bee": "Ann"}\n{"bee": \n\n{"bee": "Bo"}\nnone\n')
    payload = parse_file(path)
    assert payload.text == "| bee |\n| --- |\n| Ann |\n| Bo |"
    assert payload.metadata == {"unread_lines": {"count": 2, "first": [2, 5]}}


def test_values_that_nest_too_deeply_are_refused_in_every_form(tmp_path):
    path = tmp_path / "deep.jsonl"
    path.write_text("[" * 700 + "]" * 700 + "\n" + '{"a": ' * 700 + "1" + "}" * 700)
    with pytest.raises(DocumentError, match="'deep' nests too many values"):
        parse_file(path)


def test_a_file_without_a_line_of_json_is_refused(tmp_path):
    path = tmp_path / "bees.ndjson"
    path.write_text("\nAnn\n")
    with pytest.raises(DocumentError, match=r"no line of 'bees\.ndjson' is JSON; the first that is not is line 2"):
        parse_file(path)
