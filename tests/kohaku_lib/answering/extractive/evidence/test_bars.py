"""Tables between bars: the header's cell above a number decides."""

import pytest

from kohaku_lib.answering.extractive.evidence.evidence import gather_evidence
from kohaku_lib.answering.extractive.evidence.lines import header_of
from kohaku_lib.answering.extractive.evidence.table_rows import column_weight, header_unit
from kohaku_lib.answering.extractive.numbers.numbers import find_number
from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.tables import Question, Snippet

TABLE = (
    "Table 1: Electricity and duration of the runs.\n"
    "| Model | Weights (million) | Electricity (kWh) | Duration (hours) |\n"
    "| --- | --- | --- | --- |\n"
    "| Rho-S | 120 | 210 | 31 |\n"
    "| Rho-L | 1,300 | 6,600 | 310 |"
)


def _read(text, unit):
    form = read_question(Question("q", text, unit))
    return form, gather_evidence(form, [Snippet("d:1", "d", "A report", 1, TABLE, 1, 1.0)])


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("What was the duration of the run of Rho-L?", "hours", "310"),
        ("What was the duration of the run of Rho-S?", "hours", "31"),
        ("How much electricity did the run of Rho-S take?", "kWh", "210"),
        ("How much electricity did the run of Rho-L take?", "MWh", "6.6"),
        ("How many weights has Rho-L?", "weights", "1300000000"),
    ],
)
def test_the_cell_under_the_header_in_the_row_of_the_name_answers(text, unit, value):
    finding = find_number(*_read(text, unit))
    assert finding is not None
    assert finding.value == value


def test_a_row_takes_the_unit_of_its_column_only():
    _, evidence = _read("What was the duration of Rho-L?", "hours")
    row = next(sentence for sentence in evidence.sentences if "Rho-L" in sentence.text)
    hours = header_unit(row, row.text.index("310"), "time")
    assert hours is not None
    assert hours.factor == 3600.0
    assert header_unit(row, row.text.index("6,600"), "time") is None


def test_the_caption_counts_alike_for_every_column():
    _, evidence = _read("What was the duration of Rho-L?", "hours")
    row = next(sentence for sentence in evidence.sentences if "Rho-L" in sentence.text)
    weights = [column_weight({"run": 1.0}, row, row.text.index(cell)) for cell in ("1,300", "6,600", "310")]
    assert weights == pytest.approx([0.3, 0.3, 0.3])


def test_the_first_line_of_bars_has_no_header():
    lines = ["Prose.", "| a | b |", "| 1 | 2 |"]
    assert header_of(lines, 1) == ""
    assert header_of(lines, 2) == "Prose. | a | b |"
