"""A value of another year than the question, told by what stands around the quote that a model chose."""

import pytest
from answering_material import snippet

from kohaku_lib.answering.citing.other_year import is_answer_of_another_year
from kohaku_lib.tables import StructuredAnswer

TEXT = (
    "In 2023 the house used 61,000 kWh, of which the machine room took 29,260 kWh. The hall used 9,196 kWh. "
    "Lamps were new. In 2021 it all was 27,000 kWh, in 2022 28,000 kWh.\n\n"
    "| Year | Members |\n|---|---|\n| 2020 | 30 |\n| Most | 45 |"
)


@pytest.mark.parametrize(
    ("quote", "years"),  # those of the questions that the quote may answer, among 2019 to 2023
    [
        ("of which the machine room took 29,260 kWh", {2023}),  # its sentence
        ("The hall used 9,196 kWh.", {2023}),  # the sentence before
        ("Lamps were new.", {2019, 2020, 2021, 2022, 2023}),  # neither names one
        ("In 2021 it all was 27,000 kWh", {2021}),  # the quote itself
        ("it all was 27,000 kWh", {2021, 2022}),
        ("machine room took 29,260 kWh. The hall used 9,196 kWh", {2023}),
        ("| Most | 45 |", {2019, 2020, 2021, 2022, 2023}),  # a row goes by its columns
        ("In 2022 the pier used 1 kWh.", {2022}),  # found nowhere
        ("The pier used 1 kWh by itself.", {2019, 2020, 2021, 2022, 2023}),  # found nowhere
    ],
)
def test_the_year_of_a_quote_is_the_nearest_one_that_its_passage_names(quote, years):
    answer = StructuredAnswer("1", "1", ("report",), "", quote)
    shown = [snippet("The hall used 9,196 kWh.", "other"), snippet(TEXT, "report", 2)]
    is_other = {year: is_answer_of_another_year(f"How much in {year}?", answer, shown) for year in range(2019, 2024)}
    assert {year for year in is_other if not is_other[year]} == years


def test_without_a_year_or_a_quote_no_answer_is_of_another():
    shown = [snippet(TEXT, "report")]
    for question, quote in (("How much?", "of which the machine room took 29,260 kWh"), ("How much in 2021?", None)):
        assert not is_answer_of_another_year(question, StructuredAnswer("1", "1", ("report",), "", quote), shown)
