import json

from answering_material import chat_settings

from kohaku_lib.retrieval.planning.plan_rows import as_plan
from kohaku_lib.service.chat_models import make_replanner
from kohaku_lib.service.session import Session
from kohaku_lib.testing.openai_server import OpenAIServer

FIRST = as_plan(("q1", ["How heavy is it?", "weight"]))


def test_a_question_is_planned_anew_with_the_depth_as_seed_and_once_for_each(tmp_path):
    with OpenAIServer(reply=lambda body: json.dumps({"queries": [f"mass {body['seed']}"]})) as server:
        settings = chat_settings(
            server.base_url, answer={"replan_on_retry": True, "temperature": 0.7}, planner={"max_queries": 2}
        )
        replan = make_replanner(Session(settings.model_copy(update={"store": tmp_path})))
        assert replan is not None
        assert replan(FIRST, 2).texts == ("How heavy is it?", "mass 2")
        assert replan(FIRST, 3).texts == ("How heavy is it?", "mass 3")
        assert replan(FIRST, 2).texts == ("How heavy is it?", "mass 2")  # from the ledger
        assert [(request["seed"], request["temperature"]) for request in server.requests] == [(2, 0.7), (3, 0.7)]


def test_nothing_is_planned_anew_by_default_or_by_rule(tmp_path):
    with OpenAIServer() as server:
        for sections in ({}, {"answer": {"replan_on_retry": True}, "planner": {"kind": "rule"}}):
            settings = chat_settings(server.base_url, **sections)
            assert make_replanner(Session(settings.model_copy(update={"store": tmp_path}))) is None
