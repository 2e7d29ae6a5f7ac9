"""Clients that others wrote, against the server: the `openai` package, and the client of MCP's SDK over stdio and HTTP.

Run by hand: `PYTHONPATH=tests/support .venv/bin/python tests/e2e/server_clients.py`. It builds a copy of the sample, serves
it on a free port of the loopback with a key, and prints what held.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import httpx2
import jsonschema
import openai
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from served_sample import QUESTION, VALUE, Served, held, served_sample

LEVELS = ["kohaku", "kohaku-basic", "kohaku-standard", "kohaku-enhanced", "kohaku-maximum"]
TOOLS = {"search_knowledge_base", "ask", "list_documents", "get_document"}
DOCUMENT = "kohaku-energy-report"
MESSAGES: Any = [{"role": "user", "content": QUESTION}]


def main() -> int:
    """Return 0 where all held."""
    with served_sample() as served:
        use_openai(served)
        asyncio.run(use_mcp("stdio", stdio_client(_program(served)), served))
        headers = {"Authorization": f"Bearer {served.key}"}
        asyncio.run(_over_http(served, headers))
    print("all held")
    return 0


def use_openai(served: Served) -> None:
    """List models, answer, stream, follow up, and be refused, by the `openai` package."""
    with openai.OpenAI(base_url=f"{served.url}/v1", api_key=served.key, max_retries=0) as client:
        models = [model.id for model in client.models.list()]
        held("openai: the models are the levels", models == LEVELS, models)
        for model in LEVELS:
            whole = client.chat.completions.create(model=model, messages=MESSAGES)
            text = whole.choices[0].message.content or ""
            held(f"openai: {model} answers", VALUE in text.replace(",", ""), text)
            annotations = whole.choices[0].message.annotations or []
            address = annotations[0].url_citation.url
            held(f"openai: {model} cites a page", f"{served.url}/#node={DOCUMENT}:" in address, address)
        stream = client.chat.completions.create(
            model="kohaku", messages=MESSAGES, stream=True, stream_options={"include_usage": True}
        )
        chunks = list(stream)
        text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
        held("openai: a stream answers, with its usage", VALUE in text.replace(",", "") and chunks[-1].usage, text)
        said: Any = [*MESSAGES, {"role": "assistant", "content": text}, {"role": "user", "content": "And in 2022?"}]
        content = client.chat.completions.create(model="kohaku", messages=said).choices[0].message.content
        held("openai: a follow-up is understood", bool(content), content)
    with openai.OpenAI(base_url=f"{served.url}/v1", api_key="wrong", max_retries=0) as client:
        try:
            client.models.list()
        except openai.AuthenticationError as error:
            held("openai: a wrong key is refused", "kohaku keys add" in str(error), error)
        else:
            raise AssertionError("a wrong key was let in")


async def use_mcp(name: str, transport: Any, served: Served) -> None:
    """Call every tool, check what it gives by its output schema, and read every resource."""
    async with Client(transport) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        held(f"mcp {name}: the tools", set(tools) == TOOLS, set(tools))
        templates = [one.uri_template for one in (await client.list_resource_templates()).resource_templates]
        held(f"mcp {name}: the resources", len(templates) == 2, templates)

        async def call(tool: str, **arguments: Any) -> Any:
            found = (await client.call_tool(tool, arguments)).structured_content
            schema = tools[tool].output_schema
            assert schema is not None
            jsonschema.validate(found, schema)
            return found

        found = await call("search_knowledge_base", query=QUESTION, limit=3)
        held(f"mcp {name}: a search after its schema", len(found["items"]) == 3, found)
        answer = await call("ask", message=QUESTION)
        held(f"mcp {name}: an answer after its schema", VALUE in answer["content"].replace(",", ""), answer)
        documents = (await call("list_documents"))["documents"]
        for one in documents:
            text = await call("get_document", document_id=one["document_id"])
            held(f"mcp {name}: {one['document_id']} after its schema", bool(text["text"]), text)
        for one in found["items"]:
            [node] = (await client.read_resource(f"kohaku://nodes/{one['id']}")).contents
            held(f"mcp {name}: the node {one['id']}", json.loads(node.text)["node_id"] == one["id"], node)
        for one in documents:
            [text] = (await client.read_resource(f"kohaku://documents/{one['document_id']}")).contents
            held(f"mcp {name}: the text of {one['document_id']}", bool(text.text), text)


async def _over_http(served: Served, headers: dict[str, str]) -> None:
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        await use_mcp("http", streamable_http_client(f"{served.url}/mcp", http_client=http), served)


def _program(served: Served) -> StdioServerParameters:
    command, *arguments = served.command
    return StdioServerParameters(command=command, args=arguments)


if __name__ == "__main__":
    sys.exit(main())
