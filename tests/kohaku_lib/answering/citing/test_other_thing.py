"""Statements about another thing than the question names, and statements that only seem to be."""

import pytest
from answering_material import snippet

from kohaku_lib.answering.citing.other_thing import AskedThings, is_answer_of_another_thing
from kohaku_lib.tables import StructuredAnswer

KNOWN = ["The Polaris lamp and the Aurora lamp are new, and so is hall B2."]
AURORA = ["The Aurora lamp costs 59 EUR."]


@pytest.mark.parametrize(
    ("question", "statement", "before", "place"),
    [
        ("What does the Polaris lamp weigh?", "The Aurora lamp weighs 1.2 kg.", [], "Lamps"),
        ("Who designed the Polaris lamp?", "It was designed by Ines Holm.", AURORA, "Lamps"),
        ("Who designed the Polaris lamp?", "It was designed by Ines Holm.", ["Polaris is old.", *AURORA], "Lamps"),
        ("What is the capacity of hall B2?", "In hall B1 there is room for 40.", [], ""),
        ("Who is the deputy chair?", "Chair: Beatrix Ode.", [], "Committee"),
        ("Who is the chair?", "Deputy chair: Anna Lee.", [], "Committee"),
        ("What does delivery to Norway cost?", "Delivery from Norway costs 20 EUR.", [], ""),
    ],
)
def test_a_statement_about_another_thing_is_told(question, statement, before, place):
    assert AskedThings.of(question, KNOWN).are_other(statement, before, place)


@pytest.mark.parametrize(
    ("question", "statement", "before", "place"),
    [
        ("What does the Aurora lamp weigh?", "The Aurora lamp weighs 1.2 kg.", [], "Lamps"),
        ("What does the lamp weigh?", "The Aurora lamp weighs 1.2 kg.", [], "Lamps"),
        ("Who designed the Aurora lamp?", "It was designed by Ines Holm.", AURORA, "Lamps"),
        ("What does the Polaris lamp weigh?", "The Aurora lamp weighs less than the Polaris.", [], ""),
        ("What does the Polaris lamp weigh?", "The glass lamp weighs 2 kg.", [], "Polaris"),
        ("How many people did Fennick Bakeries employ?", "In May Fennick employed 566 people.", [], ""),
        ("Who is the chair?", "Chair: Beatrix Ode. Deputy chair: Anna Lee.", [], "Committee"),
        ("On which floor is the gym?", "The gym is on the second floor.", [], ""),
        ("Who is the deputy chair?", "Anna Lee is the deputy.", [], ""),
        ("What does delivery to Norway cost?", "From Norway or to Norway it costs 20 EUR.", [], ""),
        ("How far is the airport to Munich?", "The airport lies 28 km from Munich.", [], ""),
        ("What is the distance to Berlin?", "Distance from Berlin: 30 km.", [], ""),
        ("Is the shop open from Monday?", "It is open Friday to Monday.", [], ""),
        ("When is the next meeting?", "The meeting takes place on 5 May 2026.", [], ""),
        ("How many episodes does the second season have?", "Season 2 has 10 episodes.", [], ""),
        ("Who is the deputy chair?", "The vice chair is Anna Lee.", [], ""),
        ("What is the term of the Smith contract?", "The Employment contract has a term of 2 years.", [], ""),
        ("How much is the VAT rate in Germany?", "The standard German rate is 19 %.", [], ""),
        ("What does the Lenovo laptop weigh?", "The X1 laptop weighs 1.1 kg.", [], ""),
        ("Wann ist die nächste Sitzung?", "Die Sitzung ist am 5. Mai.", [], ""),
        ("Who?", "", [], ""),
    ],
)
def test_a_statement_about_the_thing_itself_stays(question, statement, before, place):
    assert not AskedThings.of(question, KNOWN).are_other(statement, before, place)


def test_a_quote_is_read_with_the_sentences_before_it():
    text = "The Aurora lamp costs 59 EUR. It was designed by Ines Holm."
    answer = StructuredAnswer("Ines Holm", "Ines Holm", ("doc",), "", quote="It was designed by Ines Holm.")
    found = [
        is_answer_of_another_thing(f"Who designed the {name} lamp?", answer, [snippet(text), snippet(KNOWN[0])])
        for name in ("Polaris", "Aurora")
    ]
    assert found == [True, False]


def test_an_answer_without_a_quote_is_of_no_other_thing():
    answer = StructuredAnswer("Ines Holm", "Ines Holm", ("doc",), "")
    assert not is_answer_of_another_thing("Who designed the Polaris lamp?", answer, [snippet("The Aurora lamp.")])


@pytest.mark.parametrize(
    ("question", "row", "is_other"),
    [
        ("Who is the contact of station S003?", {"Station": "S096", "Contact": "Person 3"}, True),
        ("Who is the contact of station s003?", {"Station": "S003", "Contact": "Person 3"}, False),
        ("Who supplies part 00417?", {"Part no.": "417", "Supplier": "Lindgren"}, False),
        ("Who supplies part 00417?", {"Part no.": "418", "Supplier": "Lindgren"}, True),
        ("Who supplies the part 00417?", {"Part no.": "418", "Supplier": "Lindgren"}, True),
        ("Which kettle has the type KT-4400?", {"Type": "KT-4401", "Kettle": "Ida"}, True),
        ("How many goals fell in match 3?", {"Match": "1", "Goals": "4"}, True),
        ("How many goals fell in match 3?", {"Match": "1", "Goals": "3"}, False),  # as the row has a 3
        ("How many goals fell in match 3?", {"Matches": "3", "Goals": "1"}, False),
        ("What did room 7 cost?", {"Room": "Blue room", "Price": "80"}, False),
        ("What did room 7 cost?", {"Room": "R2", "Price": "80"}, False),
        ("What did it cost in year 2023?", {"Year": "2022", "Price": "80"}, False),  # other rules know years
        ("What was the revenue 2023 of Kohaku?", {"Name": "Kohaku", "Revenue": "45"}, False),
        ("What was the total 2023?", {"Total": "45"}, False),
        ("What does a flat on floor 3 cost?", {"Floor": "1-4", "Rent": "800"}, False),
        ("Who leads session 3?", {"Session": "2-4", "Chair": "Ann"}, False),
        ("Where does route 66 end?", {"Route": "66/67", "End": "Pier"}, False),
        ("What is new in version 2?", {"Version": "2.0", "News": "Colours"}, False),
        ("Who lives in apartment 12?", {"Apartment": "12.", "Name": "Ann"}, False),
        ("Who lives in apartment 12?", {"Apartment": "13.", "Name": "Ann"}, True),
        ("What does size 3 hold?", {"Size": "3cm", "Holds": "a pea"}, False),
        ("Who leads phase 2?", {"Phase": "2b", "Lead": "Ann"}, False),
        ("Who leads phase 2?", {"Phase": "3", "Lead": "Ann"}, True),
        ("Which plan covers age 30?", {"Plan": "Basic", "Age": "45"}, False),  # no key of the row
        ("What has a price 100?", {"Item": "Bell", "Price": "100.00"}, False),
        ("Who rents room 7a?", {"Room": "8", "Name": "Ann"}, False),
        ("What costs more than 12 EUR?", {"Item": "11", "Price": "80"}, False),
        ("What do 2 rooms cost?", {"Rooms": "3", "Price": "80"}, False),
    ],
)
def test_a_row_with_another_key_in_the_column_that_the_question_names_is_another(question, row, is_other):
    assert AskedThings.of(question, []).is_other_row(row.items()) is is_other


STATIONS = "| Station | Contact |\n| --- | --- |\n| S003 | Ann Lee |\n| S096 | Bo Ek |"
HALLEN = "| Halle | Leitung |\n| --- | --- |\n| 7 | Ann Lee |\n| 12 | Bo Ek |"
ITEMS = "- Station 3: Ann Lee\n- Station 96: Bo Ek"


@pytest.mark.parametrize(
    ("question", "text", "quote", "is_other"),
    [
        ("Who is the contact of station S003?", STATIONS, "| S096 | Bo Ek |", True),
        ("Who is the contact of station S003?", STATIONS, "| S003 | Ann Lee |", False),
        ("Who is the contact of station S003?", STATIONS, "S096 | Bo Ek", True),  # a part of the row
        ("Wer leitet Halle 7?", HALLEN, "| 12 | Bo Ek |", True),
        ("Wer leitet Halle 7?", HALLEN, "| 7 | Ann Lee |", False),
        ("Wer leitet die Halle?", HALLEN, "| 12 | Bo Ek |", False),
        ("Who is at station 3?", ITEMS, "- Station 96: Bo Ek", True),
        ("Who is at station 3?", ITEMS, "- Station 3: Ann Lee", False),
        ("Who is at the station?", ITEMS, "- Station 96: Bo Ek", False),
    ],
)
def test_a_quoted_row_or_item_is_judged_by_the_same_rule(question, text, quote, is_other):
    answer = StructuredAnswer("Bo Ek", "Bo Ek", ("doc",), "", quote=quote)
    assert is_answer_of_another_thing(question, answer, [snippet(text)]) is is_other


@pytest.mark.parametrize(
    ("question", "item", "is_other"),
    [
        ("What is the budget of project 3?", "- Project 4: budget 2208 EUR", True),
        ("What is the budget of project 3?", "- Project 3: budget 2156 EUR", False),
        ("What is the budget of project 3?", "- Budget 2208 EUR, as in 2023", False),
        ("What is the budget of project 3?", "Project 4 is like it.", False),
        ("Was kostet Zimmer 12?", "• Zimmer 14, zwei Betten", True),
        ("Was kostet Zimmer 12?", "• Zimmer 12, zwei Betten", False),
        ("What was done in year 2023?", "- Year 2022: the roof", False),
    ],
)
def test_the_label_of_an_item_is_a_key(question, item, is_other):
    assert AskedThings.of(question, []).is_other_entry(item) is is_other
