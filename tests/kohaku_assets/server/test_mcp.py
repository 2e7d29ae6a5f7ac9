"""MCP by the client of its official SDK, over HTTP and over standard input and output."""

import asyncio
import json
import logging
import os
import sys
from pathlib import Path

import pytest
from mcp import MCPError, StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import INVALID_PARAMS
from page_blocks import blocks_run_by

from kohaku_assets.server.mcp_tools import make_mcp

QUESTION = "How much electricity did the whole workshop use in 2023?"


@pytest.fixture(params=["http", "stdio"])
def transport(request, server, served_home):
    if request.param == "http":
        return f"{server.url}/mcp"
    [block] = blocks_run_by("test_a_client_lists_and_calls_the_tools_and_reads_the_resources")
    [entry] = json.loads(block.text.replace("/path/to", str(served_home)))["mcpServers"].values()
    command = str(Path(sys.executable).parent / entry["command"])  # as the page on serving has other programs start it
    return stdio_client(StdioServerParameters(command=command, args=entry["args"], env=dict(os.environ)))


def test_a_client_lists_and_calls_the_tools_and_reads_the_resources(transport):
    async def use():
        async with Client(transport) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert set(tools) == {"search_knowledge_base", "ask", "list_documents", "get_document"}
            assert all(tool.output_schema for tool in tools.values())
            found = (
                await client.call_tool("search_knowledge_base", {"query": QUESTION, "limit": 2})
            ).structured_content
            assert len(found["items"]) == 2
            answer = (await client.call_tool("ask", {"message": QUESTION})).structured_content
            assert "41,800" in answer["content"]
            names = [
                one["document_id"]
                for one in (await client.call_tool("list_documents", {})).structured_content["documents"]
            ]
            assert "kohaku-energy-report" in names
            document = (await client.call_tool("get_document", {"document_id": "amber-guide"})).structured_content
            assert (document["next_start"], "Baltic amber" in document["text"]) == (None, True)
            unknown = await client.call_tool("get_document", {"document_id": "none"})
            assert (unknown.is_error, "no document 'none'" in unknown.content[0].text) == (True, True)
            node = await client.read_resource(f"kohaku://nodes/{found['items'][0]['id']}")
            assert json.loads(node.contents[0].text)["node_id"] == found["items"][0]["id"]
            text = await client.read_resource("kohaku://documents/amber-guide")
            assert text.contents[0].text.startswith(document["text"][:100])

    asyncio.run(use())


@pytest.mark.parametrize("uri", ["kohaku://documents/none", f"kohaku://nodes/{'x' * 2_000}", "kohaku://other/none"])
def test_a_resource_that_is_not_there_is_a_refusal_and_no_fault_of_the_server(server, uri, caplog):
    async def use():
        async with Client(f"{server.url}/mcp") as client:
            with pytest.raises(MCPError) as refused:
                await client.read_resource(uri)
            return refused.value.error.code

    assert asyncio.run(use()) == INVALID_PARAMS
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_without_sessions_nothing_is_kept_open(client, method):
    headers = {"Accept": "application/json, text/event-stream"}
    with client.stream(method, "/mcp", headers=headers) as response:  # whose end may never come
        assert (response.status_code, response.headers["Allow"]) == (405, "POST")
        assert "by POST" in response.read().decode()


LONG = "word " * 5000


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_knowledge_base", {"query": LONG}),
        ("search_knowledge_base", {"query": ""}),
        ("search_knowledge_base", {"query": QUESTION, "category": LONG}),
        ("ask", {"message": LONG}),
        ("ask", {"message": QUESTION, "session_id": LONG}),
        ("ask", {"message": QUESTION, "session_id": "a b"}),
        ("get_document", {"document_id": LONG}),
    ],
)
def test_arguments_of_tools_are_checked_as_those_of_http_before_any_work(tool, arguments):
    worked = []

    async def serve(context, work, session_id=None):
        worked.append(session_id)

    with pytest.raises(ToolError, match=r"String should"):
        asyncio.run(make_mcp(serve).call_tool(tool, arguments))
    assert worked == []
