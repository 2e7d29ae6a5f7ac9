"""Which questions are also searched by the words of a financial statement."""

import pytest

from kohaku_lib.retrieval.planning.statements import statement_queries
from kohaku_lib.retrieval.search.prepare import STATEMENT, prepare
from kohaku_lib.settings import RetrievalSettings
from kohaku_lib.tables import PlannedQuery, QueryPlan

QUESTION = "Did Vestas improve its quick ratio and its gross margin in FY2021?"


@pytest.mark.parametrize(
    ("question", "statement"),
    [
        ("Is the QUICK RATIO of Vestas sound?", "QUICK RATIO Vestas consolidated balance sheets"),
        ("Is Vestas capital-intensive?", "Vestas consolidated statements of cash flows"),
        ("What was the gross margin?", "consolidated statements of income"),
        ("How much SG&A did Vestas book in 2021?", "SG&A Vestas 2021 consolidated statements of income"),
        ("Is the balance sheet of Vestas sound?", "Vestas consolidated balance sheets"),
    ],
)
def test_a_measure_leads_to_the_statement_that_it_is_computed_from(question, statement):
    [query] = statement_queries(question)
    assert query.startswith(statement)


@pytest.mark.parametrize("question", ["", "Who chairs Vestas?", "grossmargin", "The epsilon of 3 tepss"])
def test_other_questions_have_none(question):
    assert statement_queries(question) == []


def test_measures_of_two_statements_have_two_queries_and_one_of_the_same_part_one():
    assert [query.split()[2:5] for query in statement_queries(QUESTION)] == [
        ["consolidated", "statements", "of"],
        ["consolidated", "balance", "sheets"],
    ]
    assert len(statement_queries("the quick ratio and the current ratio")) == 1


def queries_of(*queries, **settings):
    plan = QueryPlan("q", queries)
    prepared = prepare(plan, RetrievalSettings(spelling=False, **settings), 1)
    return [(query.role, prepared.weight(query)) for query in prepared.plan.queries]


def test_a_plan_gets_them_last_with_their_own_weight():
    asked = (PlannedQuery(QUESTION, "question"), PlannedQuery("quick ratio Vestas"))
    planned = [("question", 1.0), ("planned", 0.3)]
    assert queries_of(*asked) == [*planned, ("statement", STATEMENT), ("statement", STATEMENT)]
    assert queries_of(*asked, statement_words=False) == planned


def test_a_plan_has_no_more_queries_than_eight_and_is_extended_once():
    asked = (PlannedQuery(QUESTION, "question"), *(PlannedQuery(str(number)) for number in range(6)))
    assert len(queries_of(*asked)) == 8
    assert len(queries_of(PlannedQuery(QUESTION, "question"), PlannedQuery("x", "statement"))) == 2
    assert queries_of() == []
