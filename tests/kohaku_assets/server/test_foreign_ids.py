"""Every route and tool that takes an id, asked by a key of another organisation: it is refused, and nothing is told."""

import asyncio
import re

import httpx2
import pytest
from click.testing import CliRunner
from mcp import MCPError
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from organisations import copied_organisations, leaked
from running_server import running_server

from kohaku_assets.cli import main

QUESTION = "How many kWh did the ferry use in 2022?"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    home = tmp_path_factory.mktemp("foreign")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAGSTER_HOME", str(home / "dagster_home"))
        copied_organisations(home, tmp_path_factory)
        with running_server(home) as running:
            running.home = home
            yield running


@pytest.fixture(scope="module")
def keys(server):
    """A key of an administrator of each of two organisations."""

    def added(org_id):
        command = ["keys", "add", f"{org_id}-admin", "--org", org_id, "--role", "admin"]
        made = CliRunner().invoke(main, [*command, "--config", str(server.home / "kohaku.toml")])
        assert made.exit_code == 0, made.output
        return made.stdout.strip()

    return {org_id: added(org_id) for org_id in ("acme", "bolt")}


@pytest.fixture(scope="module")
def call(server, keys):
    def called(org_id, method, path, **body):
        headers = {"Authorization": f"Bearer {keys[org_id]}"}
        return server.client.request(method, path, headers=headers, **body)

    return called


@pytest.fixture(scope="module")
def ids(call):
    """What acme has, by the name of the parameter."""
    chat = call("acme", "POST", "/v1/chat", json={"message": QUESTION}).json()
    [source, *_] = chat["sources"]
    run = call("acme", "POST", "/v1/runs").json()  # which has nothing to do yet
    call("acme", "POST", "/v1/documents?index=false", files={"file": ("pier.md", b"# Pier\n\nIt is long.\n")})
    return {
        "session_id": chat["session_id"],
        "answer_id": chat["answer_id"],
        "document_id": source["document_id"],
        "node_id": source["chunk_id"],
        "key_id": call("acme", "GET", "/v1/keys").json()["keys"][0]["key_id"],
        "run_id": run["run_id"],
        "version": chat["index_version"],
    }


def filled(path, ids):
    """Return the path with the ids in it, as page 1 and figure 1."""
    values = {**ids, "page": "1", "number": "1", "model": "kohaku"}
    return re.sub(r"\{(\w+)\}", lambda name: values[name[1]].replace("/", "%2F"), path)


def test_no_route_with_an_id_gives_another_organisation_anything(server, call, ids):
    paths = server.client.get("/openapi.json").json()["paths"]
    asked = [(path, method) for path, methods in paths.items() if "{" in path for method in methods]
    assert len(asked) >= 14
    for path, method in asked:
        if path == "/v1/models/{model}":
            continue
        body = {"json": {"value": "12"}} if path.endswith("/accept") else {}
        response = call("bolt", method.upper(), filled(path, ids), **body)
        assert response.status_code in (403, 404), (method, path, response.text)
        assert leaked("bolt", response.text.replace(ids["document_id"], "").replace(ids["node_id"], "")) == []
    for path, method in asked:  # they are what acme itself is given
        if method == "get" and "figures" not in path and "pages" not in path:
            assert call("acme", "GET", filled(path, ids)).status_code == 200, path


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v1/search", {"query": QUESTION, "filter": {"documents": ["{document_id}"]}}),
        ("POST", "/v1/retrieve", {"question": QUESTION, "filter": {"documents": ["{document_id}"]}}),
        ("POST", "/v1/answers", {"question": QUESTION, "filter": {"documents": ["{document_id}"]}}),
        ("POST", "/v1/answers", {"question": QUESTION, "filter": {"folders": ["acme"]}}),
        ("POST", "/v1/search", {"query": QUESTION, "filter": {"folders": ["acme"], "collections": ["acme"]}}),
        ("POST", "/v1/chat", {"message": QUESTION, "session_id": "{session_id}"}),
        ("POST", "/v1/chat", {"message": QUESTION, "folder_id": "acme"}),
        ("POST", "/v1/chat", {"message": QUESTION, "document_ids": ["{document_id}"]}),
        ("POST", "/v1/chat", {"message": QUESTION, "collection_filter": "acme"}),
        ("POST", "/v1/tools/search_knowledge_base", {"query": QUESTION, "category": "acme"}),
        ("POST", "/v1/feedback", {"answer_id": "{answer_id}", "rating": 1}),
        ("PUT", "/v1/index/published", {"version": "{version}"}),
        ("PUT", "/v1/index/published", {"roll_back": True}),
        ("GET", "/v1/index/versions", None),
        ("GET", "/v1/runs", None),
        ("POST", "/v1/runs", None),
        ("POST", "/v1/chat/completions", {"model": "kohaku", "messages": [{"role": "user", "content": QUESTION}]}),
        ("GET", "/v1/documents", None),
        ("GET", "/v1/documents/changes", None),
        ("GET", "/v1/suggestions", None),
        ("GET", "/v1/sessions", None),
        ("GET", "/v1/keys", None),
        ("GET", "/v1/usage", None),
    ],
)
def test_no_body_that_names_another_organisation_is_told_of_it(call, ids, method, path, body):
    def with_ids(value):
        if isinstance(value, dict):
            return {name: with_ids(one) for name, one in value.items()}
        if isinstance(value, list):
            return [with_ids(one) for one in value]
        return ids.get(value.strip("{}"), value) if isinstance(value, str) else value

    response = call("bolt", method, path, json=with_ids(body)) if body else call("bolt", method, path)
    assert response.status_code < 500, response.text
    assert leaked("bolt", response.text.replace(ids["document_id"], "")) == []
    assert ids["version"] not in response.text or "chat" in path  # all organisations answer from one index


def test_no_tool_and_no_resource_gives_another_organisation_anything(server, keys, ids):
    async def use():
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {keys['bolt']}"}, timeout=60) as http,
            Client(streamable_http_client(f"{server.url}/mcp", http_client=http)) as client,
        ):
            told = [
                await client.call_tool("get_document", {"document_id": ids["document_id"]}),
                await client.call_tool("ask", {"message": QUESTION, "session_id": ids["session_id"]}),
            ]
            assert all(one.is_error for one in told)
            told.append(await client.call_tool("list_documents", {}))
            told.append(await client.call_tool("search_knowledge_base", {"query": QUESTION, "category": "acme"}))
            own = told[2].structured_content["documents"]
            assert "bolt/ferry" in [one["document_id"] for one in own]
            for address in (f"kohaku://documents/{ids['document_id']}", f"kohaku://nodes/{ids['node_id']}"):
                with pytest.raises(MCPError, match=r"no (document|node)"):
                    await client.read_resource(address)
            own_text = await client.read_resource("kohaku://documents/bolt%2Fferry")
            assert "ferry of Zyltrane" in own_text.contents[0].text
            return "".join(str(one) for one in told)

    text = asyncio.run(use()).replace(ids["document_id"], "")
    assert leaked("bolt", text) == []


def test_a_document_and_a_passage_whose_ids_hold_slashes_are_shown_to_their_owner(call):
    [source, *_] = call("bolt", "POST", "/v1/chat", json={"message": QUESTION}).json()["sources"]
    document_id, node_id = source["document_id"], source["chunk_id"]
    assert document_id == "bolt/ferry"
    assert call("bolt", "GET", f"/v1/documents/{document_id}").json()["document_id"] == document_id
    assert call("bolt", "GET", f"/v1/documents/{document_id}/text").json()["parts"]
    assert call("bolt", "GET", f"/v1/nodes/{node_id.replace('/', '%2F')}").json()["node_id"] == node_id


def test_an_upload_goes_to_the_folder_of_its_organisation(server, call, ids):
    assert (server.home / "documents" / "acme" / "pier.md").is_file()
    assert not (server.home / "documents" / "pier.md").exists()
    refused = call("bolt", "POST", "/v1/documents", files={"file": ("pier.md", b"# Pier\n")})
    assert refused.status_code == 403
