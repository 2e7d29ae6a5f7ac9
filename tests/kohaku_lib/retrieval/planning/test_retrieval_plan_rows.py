"""Query plans as rows of a table."""

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.retrieval.planning.plan_rows import as_plan, plan_from_row, plan_to_row
from kohaku_lib.tables import QUERY_PLANS, PlannedQuery, QueryPlan

NAMES = st.sampled_from(["dense", "lexical", "graph"])
QUERIES = st.builds(
    PlannedQuery,
    st.text(max_size=20),
    st.sampled_from(["question", "planned", "hyde", "step_back", "spelling"]),
    st.none() | st.lists(NAMES, unique=True).map(tuple),
    st.none() | st.floats(0, 2, width=32),
)
PLANS = st.builds(
    QueryPlan,
    st.just("q1"),
    st.lists(QUERIES, max_size=3).map(tuple),
    st.none() | st.just("rrf"),
    st.dictionaries(NAMES, st.floats(0, 2)),
    st.dictionaries(NAMES, st.integers(1, 200)),
    st.none() | st.just("hybrid"),
    st.none() | st.just("LIST"),
    st.none() | st.floats(0, 1),
    st.none() | st.integers(0, 9),
    st.lists(st.sampled_from(["long", "relation"]), unique=True).map(tuple),
)


@given(PLANS)
def test_a_plan_survives_its_row_in_a_table(plan):
    row = {"id": plan.id, "plan": plan_to_row(plan), "planner": "rule.v1", "error": None}
    [stored] = pa.Table.from_pylist([row], schema=QUERY_PLANS).to_pylist()
    assert plan_from_row(stored["id"], stored["plan"]) == plan


def test_no_channels_and_an_empty_list_of_channels_stay_different():
    plan = QueryPlan("q1", (PlannedQuery("all", channels=None), PlannedQuery("none", channels=())))
    restored = plan_from_row("q1", plan_to_row(plan))
    assert [query.channels for query in restored.queries] == [None, ()]


def test_texts_become_the_question_and_planned_queries():
    assert [query.role for query in as_plan(("q1", ["a", "b", "c"])).queries] == ["question", "planned", "planned"]
    assert as_plan(("q1", [])) == QueryPlan("q1")


def test_a_plan_is_used_as_it_is():
    plan = QueryPlan("q1", (PlannedQuery("a", "hyde"),))
    assert as_plan(plan) is plan
