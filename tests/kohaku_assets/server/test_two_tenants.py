"""What a tenant is told is the same with and without the documents of others, and a foreign id is one that nobody has."""

import json
import re
from contextlib import ExitStack

import pytest
from click.testing import CliRunner
from joined_client import joined_client
from organisations import copied_organisations, three_organisations

from kohaku_assets.cli import main

NAMES = {"acme": "Quorvex", "bolt": "Zyltrane"}
PORT = re.compile(r"(?<=127\.0\.0\.1):\d+")
SCORE_TOLERANCE = 0.02
QUESTION = "How many kWh did the ferry use in 2022?"
# Times, random ids, and what names the index. Lexical scores depend a little on the words of all documents.
VARYING = re.compile(
    r"(_at|_ms|_s|^at|^id|^created|^system_fingerprint|session_id|answer_id|key_id|run_id|request_id|index_version|version)$"
)


@pytest.fixture(scope="module")
def servers(tmp_path_factory):
    """Servers of stores with each tenant alone, and of one with all ("all"); with a key of each as administrator."""
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        found = {}
        for name, org_ids in (("acme", ("acme",)), ("bolt", ("bolt",)), ("all", ("acme", "bolt"))):
            home = tmp_path_factory.mktemp(name)
            patch.setenv("DAGSTER_HOME", str(home / "dagster_home"))
            project = (
                copied_organisations(home, tmp_path_factory) if name == "all" else three_organisations(home, org_ids)
            )
            client = stack.enter_context(joined_client(project, is_ready=True))
            keys = {org_id: _add_key(home, org_id) for org_id in org_ids}
            found[name] = {org_id: _caller(client, key) for org_id, key in keys.items()}
            found |= {"home": home, "client": client}  # at the end those of all
        yield found


def _add_key(home, org_id, name="boss", role="admin"):
    made = CliRunner().invoke(
        main, ["keys", "add", name, "--org", org_id, "--role", role, "--config", str(home / "kohaku.toml")]
    )
    assert made.exit_code == 0, made.output
    return made.stdout.strip()


def _caller(client, key):
    def call(method, path, **body):
        return client.request(method, path, headers={"Authorization": f"Bearer {key}"}, **body)

    return call


def normal(value):
    """Return a reply without what varies from one server to another."""
    if isinstance(value, dict):
        return {name: normal(one) for name, one in value.items() if not VARYING.search(name) and name != "timings"}
    if isinstance(value, list):
        is_ranked = bool(value) and all(isinstance(one, dict) and {"node_id", "score"} <= one.keys() for one in value)
        if is_ranked:
            return normal({one["node_id"]: one for one in value})
        is_named = all(isinstance(one, str) for one in value)  # the order of near ties depends on those scores
        return sorted(value) if is_named else [normal(one) for one in value]
    return PORT.sub(":port", value) if isinstance(value, str) else value


def reply(call, method, path, **body):
    response = call(method, path, **body)
    is_json = "json" in response.headers.get("content-type", "")
    return response.status_code, normal(response.json()) if is_json else len(response.content)


def differences(first, second, place=""):
    """Where two replies differ."""
    if isinstance(first, dict) and isinstance(second, dict) and first.keys() == second.keys():
        return [found for name in first for found in differences(first[name], second[name], f"{place}.{name}")]
    if isinstance(first, list | tuple) and isinstance(second, list | tuple) and len(first) == len(second):
        pairs = enumerate(zip(first, second, strict=True))
        return [found for number, pair in pairs for found in differences(*pair, f"{place}[{number}]")]
    if isinstance(first, float) and isinstance(second, float) and abs(first - second) < SCORE_TOLERANCE:
        return []
    return [] if first == second else [f"{place}: {str(first)[:200]} / {str(second)[:200]}"]


def own_ids(call):
    """What a tenant has, by the name of the parameter of a path."""
    chat = call("POST", "/v1/chat", json={"message": QUESTION}).json()
    [source, *_] = chat["sources"]
    return {
        "session_id": chat["session_id"],
        "answer_id": chat["answer_id"],
        "document_id": source["document_id"],
        "node_id": source["chunk_id"],
        "key_id": call("GET", "/v1/keys").json()["keys"][0]["key_id"],
        "page": "1",
        "number": "1",
        "model": "kohaku",
    }


def filled(path, ids):
    return re.sub(r"\{(\w+)\}", lambda name: ids.get(name[1], "none").replace("/", "%2F"), path)


def paths(call, method):
    listed = call("GET", "/openapi.json").json()["paths"]
    return [path for path, methods in listed.items() if method in methods and "metrics" not in path]


POSTED = {
    "/v1/search": {"query": QUESTION, "top_k": 10},
    "/v1/retrieve": {"question": QUESTION},
    "/v1/answers": {"question": QUESTION},
    "/v1/chat": {"message": QUESTION},
    "/v1/chat/completions": {"model": "kohaku", "messages": [{"role": "user", "content": QUESTION}]},
    "/v1/tools/search_knowledge_base": {"query": QUESTION, "limit": 5},
}


@pytest.mark.parametrize("org_id", ["acme", "bolt"])
def test_every_reply_is_the_same_with_and_without_the_documents_of_others(servers, org_id):
    together, alone = servers["all"][org_id], servers[org_id][org_id]
    for path, body in POSTED.items():
        got = [reply(call, "POST", path, json=body) for call in (together, alone)]
        assert (got[0][0], differences(*got)) == (200, []), path
    ids = [own_ids(call) for call in (together, alone)]
    assert ids[0]["document_id"] == ids[1]["document_id"]
    asked = paths(alone, "get")
    assert len(asked) > 15
    for path in asked:
        got = [reply(call, "GET", filled(path, own)) for call, own in zip((together, alone), ids, strict=True)]
        assert differences(*got) == [], path


def test_a_run_tells_nothing_of_the_files_of_others(servers):
    call, home = servers["all"]["acme"], servers["home"]
    for name, content in (("added-plan.md", b"# Plan\n\nNine boats.\n"), ("broken-plan.pdf", b"no PDF")):
        (home / "documents" / "bolt" / name).write_bytes(content)
    run = call("POST", "/v1/runs").json()
    while run["status"] in ("queued", "running"):
        run = call("GET", f"/v1/runs/{run['run_id']}").json()
    assert (run["status"], run["messages"], run["assets"]) == ("succeeded", [], [])
    assert "-plan" not in json.dumps(call("GET", "/v1/runs").json())
    assert len(servers["all"]["bolt"]("GET", "/v1/documents").json()["documents"]) == 8
    (home / "documents" / "bolt" / "added-plan.md").unlink()
    (home / "documents" / "bolt" / "broken-plan.pdf").unlink()


def test_the_counts_of_all_are_told_to_administrators_of_the_index_alone(servers):
    home, acme, bolt = servers["home"], servers["all"]["acme"], servers["all"]["bolt"]
    own = acme("GET", "/v1/me").json()["org_id"]
    refused = bolt("GET", "/metrics")
    assert (refused.status_code, "kohaku_requests" in refused.text) == (403, False)
    headers = {"Authorization": f"Bearer {_add_key(home, own, 'watcher', 'reader')}"}
    assert acme("GET", "/metrics").status_code == 200
    assert servers["client"].get("/metrics", headers=headers).status_code == 403


def test_no_refusal_names_the_organisation_of_the_index(servers):
    bolt = servers["all"]["bolt"]
    refused = [
        bolt("POST", "/v1/documents", files={"file": ("pier.md", b"# Pier\n")}),
        bolt("GET", "/v1/runs"),
        bolt("GET", "/v1/index/versions"),
        bolt("GET", "/v1/reviews"),
        bolt("GET", "/metrics"),
    ]
    assert [one.status_code for one in refused] == [403] * len(refused)
    assert [one.json()["detail"] for one in refused if "acme" in one.text] == []


def test_an_id_of_another_tenant_is_told_apart_from_none_by_no_route(servers):
    bolt, foreign = servers["all"]["bolt"], own_ids(servers["all"]["acme"])
    missing = {name: "0123456789abcdef" if name.endswith("_id") else value for name, value in foreign.items()}
    bodies = {
        "/v1/chat": lambda ids: {"message": QUESTION, "session_id": ids["session_id"]},
        "/v1/search": lambda ids: {"query": QUESTION, "filter": {"documents": [ids["document_id"]]}},
        "/v1/retrieve": lambda ids: {"question": QUESTION, "filter": {"documents": [ids["document_id"]]}},
        "/v1/answers": lambda ids: {"question": QUESTION, "filter": {"documents": [ids["document_id"]]}},
        "/v1/feedback": lambda ids: {"answer_id": ids["answer_id"], "rating": 1},
    }
    requests = [("POST", path, body) for path, body in bodies.items()]
    requests += [
        (method, path, None)
        for method in ("GET", "DELETE", "POST", "PUT")
        for path in paths(bolt, method.lower())
        if "{" in path
    ]
    assert len(requests) > 15
    for method, path, body in requests:
        told = []
        for ids in (foreign, missing):
            sent = {"json": body(ids)} if body else {"json": {"value": "12"}} if path.endswith("/accept") else {}
            status, text = reply(bolt, method, filled(path, ids), **sent)
            text = json.dumps(text)
            for value in sorted((one for name, one in ids.items() if name.endswith("_id")), key=len, reverse=True):
                text = text.replace(value, "…")
            told.append((status, text))
        assert differences(*told) == [], (method, path)
