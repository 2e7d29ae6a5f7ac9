"""`kohaku serve` as a process: it starts, answers, drains and ends; without an index it says what to do."""

import contextlib
import signal
import threading

import httpx
import pytest
from joined_client import joined_client
from response_fields import FIELDS
from running_server import events_of, running_server

from kohaku_lib.testing.openai_server import OpenAIServer

QUESTION = "How much electricity did the whole workshop use in 2023?"


def test_it_is_alive_and_ready_and_describes_itself(client):
    assert client.get("/healthz").json()["status"] == "ok"
    client.post("/v1/search", json={"query": "amber"})  # by then it is open
    assert client.get("/readyz").json() == {"status": "ready"}
    paths = client.get("/openapi.json").json()["paths"]
    assert {"/v1/chat", "/v1/search", "/v1/retrieve", "/v1/answers", "/v1/feedback"} <= set(paths)


def test_a_chat_is_answered_in_the_form_of_the_contract(client):
    body = client.post("/v1/chat", json={"message": QUESTION}).json()
    assert "41,800" in body["content"]
    assert set(body) == FIELDS
    [source] = body["sources"]
    assert (source["document_id"], source["page_number"], len(source["box"])) == ("kohaku-energy-report", 1, 4)
    follow_up = client.post("/v1/chat", json={"message": "And in 2022?", "session_id": body["session_id"]}).json()
    assert follow_up["session_id"] == body["session_id"]


@pytest.mark.parametrize("asked", [{"json": {"stream": True}}, {"headers": {"Accept": "text/event-stream"}}])
def test_an_answer_streams_as_events_whose_tokens_are_its_content(client, asked):
    body = {"message": "Who maintains the model Gintaras-M?", **asked.get("json", {})}
    with client.stream("POST", "/v1/chat", json=body, headers=asked.get("headers")) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        events = list(events_of(response.iter_lines()))
    names = [name for name, _ in events]
    assert names[0] == "step"
    assert names[-1] == "response"
    whole = events[-1][1]
    assert "".join(data["text"] for name, data in events if name == "token") == whole["content"]
    assert "Milda Stankute" in whole["content"]


def test_an_error_within_a_stream_is_an_event(client):
    with client.stream("POST", "/v1/chat", json={"message": "Hi", "mode": "general", "stream": True}) as response:
        name, data = list(events_of(response.iter_lines()))[-1]
    assert (name, data["status"]) == ("error", 400)
    assert "needs a language model" in data["detail"]


def test_searches_contexts_answers_and_nodes(client):
    [match] = client.post("/v1/search", json={"query": "power usage effectiveness", "top_k": 1}).json()["matches"]
    assert match["node_id"] == "kohaku-energy-report:sec3:p1"
    assert set(match) == {
        *("node_id", "document_id", "page", "kind", "text", "score", "heading"),
        *("best_sentence", "also_in"),
    }
    assert match["best_sentence"] in match["text"]
    node = client.get(f"/v1/nodes/{match['node_id']}").json()
    assert (node["text"], node["parent_id"], node["page"]) == (match["text"], "kohaku-energy-report:sec3", 1)
    context = client.post("/v1/retrieve", json={"question": QUESTION}).json()
    assert context["queries"][0] == QUESTION
    assert {"node_id", "document_id", "page", "text", "score", "heading"} == set(context["snippets"][0])
    answer = client.post("/v1/answers", json={"question": QUESTION, "unit": "kWh"}).json()
    assert (answer["answer_value"], answer["ref_id"]) == ("41800", ["kohaku-energy-report"])


def test_a_filter_holds_for_the_search(client):
    body = {"query": "power usage", "filter": {"documents": ["amber-guide"], "kinds": ["paragraph"]}}
    matches = client.post("/v1/search", json=body).json()["matches"]
    assert {(match["document_id"], match["kind"]) for match in matches} == {("amber-guide", "paragraph")}


def test_the_tool_of_agents_gives_items_or_the_reason(client):
    found = client.post("/v1/tools/search_knowledge_base", json={"query": "emergency battery", "limit": 2}).json()
    assert len(found["items"]) == 2
    assert set(found["items"][0]) == {
        *("id", "text", "score", "source", "document_id", "section_heading", "page", "is_table")
    }
    refused = client.post("/v1/tools/search_knowledge_base", json={"query": "x", "category": "none such"}).json()
    assert refused["items"] == []
    assert "none such" in refused["reason"]


def test_a_question_is_asked_of_the_chosen_documents_alone(client):
    answer = client.post("/v1/chat", json={"message": QUESTION, "document_ids": ["model-card"]}).json()
    assert "41,800" not in answer["content"]
    assert {source["document_id"] for source in answer["sources"]} == {"model-card"}
    assert "41,800" in client.post("/v1/chat", json={"message": QUESTION}).json()["content"]
    unknown = client.post("/v1/chat", json={"message": QUESTION, "document_ids": ["nothing"]})
    assert (unknown.status_code, "'nothing'" in unknown.json()["detail"]) == (400, True)


def test_sessions_are_listed_read_and_deleted(client):
    session_id = client.post("/v1/sessions").json()["session_id"]
    answer = client.post("/v1/chat", json={"message": QUESTION, "session_id": session_id}).json()["answer"]
    [listed] = [one for one in client.get("/v1/sessions").json()["sessions"] if one["session_id"] == session_id]
    assert (listed["title"], listed["messages"]) == (QUESTION, 2)
    messages = client.get(f"/v1/sessions/{session_id}").json()["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant"]
    assert (messages[0]["sources"], messages[1]["sources"][0]["document_name"]) == ([], "kohaku-energy-report.pdf")
    assert "41,800 kWh" in messages[1]["sources"][0]["quote"]
    kept = ("outcome", "form", "error", "needs_whole", "other_values")
    assert [message["answer"] for message in messages] == [None, {name: answer[name] for name in kept}]
    assert answer["outcome"] == "value"
    assert [message["confidence_level"] for message in messages] == [None, "high"]
    assert client.delete(f"/v1/sessions/{session_id}").status_code == 204
    assert client.get(f"/v1/sessions/{session_id}").status_code == 404
    assert client.post("/v1/chat", json={"message": QUESTION, "session_id": session_id}).status_code == 404


def test_an_answer_is_judged_and_explained(client):
    answer = client.post("/v1/chat", json={"message": QUESTION}).json()
    feedback = {"answer_id": answer["answer_id"], "rating": -1, "correction": "29,260 kWh"}
    assert client.post("/v1/feedback", json=feedback).status_code == 204
    assert client.post("/v1/feedback", json={**feedback, "answer_id": "none"}).status_code == 404
    why = client.get(f"/v1/answers/{answer['answer_id']}").json()
    assert why["trace"]["claims"][0]["supported"]
    assert why["ranking"][0]["node_id"].startswith("kohaku-energy-report")
    assert client.get("/v1/answers/none").status_code == 404


def test_what_the_product_says_around_passages_is_no_claim(client):
    answer = client.post("/v1/chat", json={"message": "How do I tell amber from imitations?"}).json()
    assert answer["answer"]["outcome"] == "passage"
    assert client.get(f"/v1/answers/{answer['answer_id']}").json()["trace"]["claims"] == []


@pytest.mark.parametrize(
    ("path", "body", "status", "words"),
    [
        ("/v1/chat", {}, 422, "body.message: field required"),
        ("/v1/chat", {"message": " "}, 400, "the message is empty"),
        ("/v1/chat", {"message": "x", "mode": "telepathy"}, 422, "body.mode"),
        ("/v1/chat", {"message": "x", "collection_filter": "none"}, 400, "none"),
        ("/v1/search", {"query": "x", "top_k": 0}, 422, "body.top_k"),
        ("/v1/nothing", {}, 404, "Not Found"),
    ],
)
def test_mistakes_are_problems_with_one_sentence(client, path, body, status, words):
    response = client.post(path, json=body)
    assert (response.status_code, response.headers["content-type"]) == (status, "application/problem+json")
    problem = response.json()
    assert problem["status"] == status
    assert words in problem["detail"]
    assert problem["request_id"] == response.headers["x-request-id"]


def test_a_node_of_any_name_is_not_found(client):
    for name in ("..%2F..%2Fetc%2Fpasswd", "%00", "a%27 OR 1=1", "é" * 400):
        assert client.get(f"/v1/nodes/{name}").status_code in (404, 400)


def test_a_large_body_is_refused(client):
    assert client.post("/v1/search", content=b"x" * 1_100_000).status_code == 413
    assert client.post("/v1/chat", content=b"x" * 13_100_000).status_code == 413  # of which 12 MB may be pictures
    assert client.post("/v1/chat", content=(b"x" * 5_000_000 for _ in range(3))).status_code == 413


def test_the_log_names_the_request_and_no_words_of_it(server):
    server.client.post(
        "/v1/search?note=querysecret",
        json={"query": "bodysecret"},
        headers={"X-Request-ID": "own-1", "X-Api": "hsecret"},
    )
    metrics = server.client.get("/metrics").text
    assert 'kohaku_requests_total{method="POST",route="/v1/search",status="200"}' in metrics
    assert "secret" not in "".join(server.log)
    [line] = [line for line in server.json_lines() if line.get("request_id") == "own-1"]
    assert (line["route"], line["status"], line["org"]) == ("/v1/search", 200, "default")


def test_without_an_index_it_starts_and_says_what_to_do(home, tmp_path):
    (tmp_path / "kohaku.toml").write_text('store = ".kohaku/store"\n[corpus]\ndocuments = "."\n')
    with running_server(tmp_path) as running:
        ready = running.client.get("/readyz")
        assert (ready.status_code, "run 'kohaku refresh' first" in ready.json()["detail"]) == (503, True)
        refused = running.client.post("/v1/chat", json={"message": "Hi"})
        assert (refused.status_code, "kohaku refresh" in refused.json()["detail"]) == (503, True)
        assert "retry-after" in refused.headers
        assert str(tmp_path) not in ready.text
        assert str(tmp_path) in "".join(running.log)
        assert running.stop() == 0


def test_an_answer_under_way_is_finished_before_it_ends(fresh):
    asked, released = threading.Event(), threading.Event()

    def reply(body):
        asked.set()
        assert released.wait(30)
        return "It used 29,260 kWh [Source 1]."

    with OpenAIServer(reply=reply) as model:
        home = fresh().home
        with (home / "kohaku.toml").open("a") as file:
            file.write(
                f'\n[answer]\nby = "model"\n[llm]\nprovider = "openai"\nmodel = "test"\nbase_url = "{model.base_url}"\n'
            )
        with running_server(home) as running, httpx.Client(base_url=running.url, timeout=60) as own:
            got = []
            asking = threading.Thread(target=lambda: got.append(own.post("/v1/chat", json={"message": QUESTION})))
            asking.start()
            assert asked.wait(60)
            running.process.send_signal(signal.SIGTERM)
            released.set()
            asking.join()
            assert (got[0].status_code, "29,260" in got[0].json()["content"]) == (200, True)
            assert running.process.wait(30) == 0


def test_the_best_passage_is_sent_before_a_model_has_written_a_word(fresh):
    read, kept_waiting = threading.Event(), []

    def reply(request):
        kept_waiting.append(not read.wait(60))
        return "It used 29,260 kWh [Source 1]."

    with OpenAIServer(reply=reply) as model:
        home = fresh().home
        with (home / "kohaku.toml").open("a") as file:
            file.write(
                f'\n[answer]\nby = "model"\n[llm]\nprovider = "openai"\nmodel = "test"\nbase_url = "{model.base_url}"\n'
            )
        with running_server(home) as running:
            body = {"message": QUESTION, "stream": True}
            with running.client.stream("POST", "/v1/chat", json=body) as response:
                names = []
                for name, data in events_of(response.iter_lines()):
                    names.append(name)
                    if name == "passage":
                        assert "electricity" in data["text"]
                        assert (data["document_id"], data["page"]) == ("kohaku-energy-report", 1)
                        read.set()
    assert not any(kept_waiting)  # neither the plan nor the answer came before
    assert names[:4] == ["step", "passage", "step", "token"]
    assert names[-1] == "response"


def test_no_answered_message_is_lost_by_a_kill_and_the_next_start_needs_no_repair(fresh):
    project = fresh()
    with running_server(project.home) as running:
        session_ids = [
            running.client.post("/v1/chat", json={"message": QUESTION}).json()["session_id"] for _ in range(3)
        ]
        running.process.kill()
    with joined_client(project) as client:
        for session_id in session_ids:
            messages = client.get(f"/v1/sessions/{session_id}").json()["messages"]
            assert [message["role"] for message in messages] == ["user", "assistant"]


def test_streams_beyond_the_limit_of_a_caller_are_refused_until_one_ends(fresh):
    released = threading.Event()

    def reply(body):
        assert released.wait(60)
        return "It used 29,260 kWh [Source 1]."

    with OpenAIServer(reply=reply) as model:
        home = fresh().home
        with (home / "kohaku.toml").open("a") as file:
            file.write(
                f'\n[answer]\nby = "model"\n[llm]\nprovider = "openai"\nmodel = "test"\nbase_url = "{model.base_url}"\n'
            )
            file.write("\n[server]\nrequests_at_once = 3\n")
        with running_server(home) as running, contextlib.ExitStack() as streams:
            body = {"message": QUESTION, "stream": True}
            opened = [streams.enter_context(running.client.stream("POST", "/v1/chat", json=body)) for _ in range(3)]
            refused = running.client.post("/v1/chat", json=body)
            assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
            released.set()
            assert all(list(events_of(one.iter_lines()))[-1][0] == "response" for one in opened)
            assert running.client.get("/v1/me").status_code == 200


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/v1/search", "query"),
        ("/v1/retrieve", "question"),
        ("/v1/answers", "question"),
        ("/v1/tools/search_knowledge_base", "query"),
        ("/v1/chat", "message"),
    ],
)
def test_no_route_takes_a_longer_question_than_a_message_may_be(client, path, field):
    assert client.post(path, json={field: "amber " * 333}).status_code == 200
    refused = client.post(path, json={field: "amber " * 334})
    assert refused.status_code == 400
    assert "at most assistant.max_message_chars = 2000 characters, got 2004" in refused.json()["detail"]
