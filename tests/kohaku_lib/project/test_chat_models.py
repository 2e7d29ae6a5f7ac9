import json

from answering_material import chat_settings

from kohaku_lib.project.index_parts import IndexParts
from kohaku_lib.project.session import Session
from kohaku_lib.retrieval import plan_question
from kohaku_lib.testing.openai_server import OpenAIServer


def replanner_of(settings, store):
    return IndexParts(Session(settings.model_copy(update={"store": store})), None, embed=lambda texts: None).replanner


def test_a_question_is_planned_anew_with_the_depth_as_seed_and_once_for_each(tmp_path):
    with OpenAIServer(reply=lambda body: json.dumps({"queries": [f"mass {body['seed']}"]})) as server:
        settings = chat_settings(
            server.base_url, answer={"replan_on_retry": True, "temperature": 0.7}, planner={"max_queries": 2}
        )
        replanner = replanner_of(settings, tmp_path)
        replan = lambda depth: plan_question("How heavy is it?", "q1", settings.planner, replanner(depth)).plan
        assert replan(2).texts == ("How heavy is it?", "mass 2")
        assert replan(3).texts == ("How heavy is it?", "mass 3")
        assert replan(2).texts == ("How heavy is it?", "mass 2")  # from the ledger
        assert [(request["seed"], request["temperature"]) for request in server.requests] == [(2, 0.7), (3, 0.7)]


def test_nothing_is_planned_anew_by_rule(tmp_path):
    with OpenAIServer() as server:
        assert replanner_of(chat_settings(server.base_url, planner={"kind": "rule"}), tmp_path) is None
