"""Every command that the README, the docs and the help of the verbs print is run as printed, on a copy of the sample.

Those of the README run in a real shell, the others in this process (tests/support/documented_shell.py). The example of a
verb that a page shows, too, is run there alone.
"""

import asyncio
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from documented_shell import DocumentedShell
from index_material import word_vectors
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client
from page_blocks import ONE_AFTER_THE_OTHER, blocks_run_by
from postgres_server import PASSWORD, missing_postgres, postgres_server
from running_server import running_server
from vault_material import write_vault

from kohaku_assets.cli import VERBS, main
from kohaku_lib.storage import user_cache_folder
from kohaku_lib.testing.openai_server import OpenAIServer
from kohaku_lib.testing.tiny_cross_encoder import tiny_cross_encoder

ROOT = Path(__file__).resolve().parents[3]
BIN = Path(sys.executable).parent
SERVERS = {"ui"}  # they go on until they are interrupted; test_first_hour.py runs it
TO_POSTGRES = {"export-graph"}  # to a server, which a test of its own starts
IN_ORDER = "test_the_commands_of_a_page_run_one_after_the_other"


@pytest.fixture(scope="module")
def project(home, built, tmp_path_factory, request):
    """A copy of the built sample with the environment's own .venv, papers and a cross-encoder in its home."""
    folder = tmp_path_factory.mktemp("documented") / "kohaku"
    shutil.copytree(home, folder)
    (folder / ".venv").symlink_to(BIN.parent)
    (folder / "papers").mkdir()
    tiny_cross_encoder(folder / "models" / "reranker")
    write_vault(folder / "kohakurag.db", word_vectors)
    for paper in (folder / "data" / "sample" / "documents").glob("*.pdf"):
        shutil.copy(paper, folder / "papers")
    yield folder
    if not request.session.testsfailed:
        shutil.rmtree(folder)  # of 200 MB


@pytest.fixture
def shell(project, monkeypatch):
    return shell_in(project, project, monkeypatch)


def shell_in(folder, project, patch):
    return DocumentedShell(folder, environment(project), patch)


def environment(project):
    return {
        "HOME": str(project),
        "KOHAKU_CACHE": str(user_cache_folder()),  # models are compiled into it once, and not once more for this home
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "DAGSTER_HOME": str(project / "dagster_home"),
    }


def examples():
    context = main.make_context("kohaku", [], resilient_parsing=True)
    on_pages = {line for block in blocks_run_by(IN_ORDER) for line in block.commands}
    for name in VERBS.names():
        if name in SERVERS | TO_POSTGRES:
            continue
        example = help_example(context, name)
        if not set(example.splitlines()) <= on_pages:
            yield example


def help_example(context, name):
    text = main.get_command(context, name).get_help(context).split("Example:")[1].split("Options:")[0]
    return "\n".join(line.strip() for line in text.strip().splitlines())


@pytest.mark.slow
@pytest.mark.skipif(missing_postgres() is not None, reason=str(missing_postgres()))
def test_the_example_of_the_verb_that_writes_to_postgres_runs(shell, monkeypatch):
    example = help_example(main.make_context("kohaku", [], resilient_parsing=True), "export-graph")
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    with postgres_server() as server:
        result = shell.verb(example.replace("localhost/graph", f"127.0.0.1:{server.port}/postgres"))
    assert re.search(r"wrote \d+ entities, 4 documents, \d+ relations", result.stderr)


@pytest.mark.parametrize(
    "command", [line for block in blocks_run_by("test_a_command_of_the_pages_runs") for line in block.commands]
)
def test_a_command_of_the_pages_runs(command, shell):
    shell.run([command])


def test_the_way_to_ones_own_documents_runs(shell):
    [block] = blocks_run_by("test_the_way_to_ones_own_documents_runs")
    result = shell.bash(block.text)
    assert "my-project" in result.stderr
    assert result.stdout.strip()


@pytest.mark.parametrize("page", ONE_AFTER_THE_OTHER)
def test_the_commands_of_a_page_run_one_after_the_other(page, project, shell):
    blocks = [block for block in blocks_run_by(IN_ORDER) if block.page == page]
    for block in (block for block in blocks if block.language == "bash"):
        shell.run(block.commands)
        shell.folder = project
    for block in (block for block in blocks if block.language == "sql"):
        with duckdb.connect(project / "data" / "store" / "kohaku.duckdb", read_only=True) as connection:
            assert connection.sql(block.text).fetchall()


@pytest.mark.parametrize(
    "block",
    blocks_run_by("test_the_commands_of_a_page_that_makes_its_own_project_run"),
    ids=lambda block: block.name,
)
def test_the_commands_of_a_page_that_makes_its_own_project_run(block, project, tmp_path, monkeypatch):
    printed = shell_in(tmp_path, project, monkeypatch).run(block.commands)
    assert {"figures.md": "price in EUR: 900", "tenants.md": "64 panels"}[block.page] in printed


def test_a_backup_of_the_page_on_operations_is_made_checked_and_restored(shell, tmp_path):
    [block] = blocks_run_by("test_a_backup_of_the_page_on_operations_is_made_checked_and_restored")
    *before, restore = (command.replace("/mnt/backups", str(tmp_path / "backups")) for command in block.commands)
    shell.run([*before, f"{restore} --set store={tmp_path / 'store'}"])  # the store of the project is not empty
    assert (tmp_path / "store" / "snapshots" / "current").exists()


def test_the_examples_of_the_pages_on_http_and_serving_are_answered(project, shell):
    chosen = {
        (block.page, block.language): block
        for block in blocks_run_by("test_the_examples_of_the_pages_on_http_and_serving_are_answered")
    }
    page = (ROOT / "docs" / "http.md").read_text(encoding="utf-8")
    examples = re.findall(r"^## (\S+) (\S+)\n(?:(?!^## ).*\n)*?```json\n(.*)\n```", page, flags=re.MULTILINE)
    examples.sort(key=lambda example: example[1] == "/v1/keys")  # last, as the others would need one from then on
    [start], [curl] = (chosen[name, ""].commands for name in ("serving.md", "http.md"))
    _, address, _, body = shlex.split(curl)
    refreshed = shell.verb("kohaku refresh published_index --set lexical.k1=1.2")
    assert refreshed.exit_code == 0, refreshed.output  # an index version to roll back from
    with running_server(project, *shlex.split(start)[2:]) as server:
        assert server.client.post(address.removeprefix("http://127.0.0.1:8321"), json=json.loads(body)).is_success
        client = chosen["serving.md", "python"].text.replace("http://127.0.0.1:8321", server.url)
        code = f"{client}\nprint(reply.choices[0].message.content)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        given = dict(answered(server.client, examples))
    assert (done.returncode, bool(done.stdout.strip())) == (0, True), done.stderr
    assert {path: problem for path, problem in given.items() if problem} == {}
    assert len(given) > 10
    undo = ("keys revoke wiki", "snapshots --unpin", "settings --runtime retrieval.top_k=")
    assert [shell.verb(f"kohaku {verb}").exit_code for verb in undo] == [0, 0, 0]


def answered(client, examples):
    """Yield the path of each example and what is wrong with it; those that judge an answer judge the first one."""
    answer_id = ""
    for method, path, body in examples:
        place, given = path.format(answer_id=answer_id), json.loads(body)
        response = client.request(
            method, place, json=given | ({"answer_id": answer_id} if "answer_id" in given else {})
        )
        yield path, "" if response.is_success else response.json()["detail"]
        answer_id = answer_id or response.json()["answer_id"]


def test_the_keys_of_the_page_on_serving_are_added_listed_and_revoked(shell):
    [block] = blocks_run_by("test_the_keys_of_the_page_on_serving_are_added_listed_and_revoked")
    *before, serve = block.commands
    added, listed, revoked, confirmed = (shell.verb(line) for line in before)
    assert (added.exit_code, listed.exit_code, revoked.exit_code) == (0, 0, 0)
    assert confirmed.exit_code == 2  # no restore brought a key
    assert ("wiki" in listed.stdout, added.stdout.strip() in listed.stdout) == (True, False)
    refused = shell.verb(serve)
    assert (refused.exit_code, "there is none; run 'kohaku keys add NAME'" in refused.stderr) == (2, True)


def test_the_entry_for_other_programs_starts_a_server_of_mcp(project):
    [block] = blocks_run_by("test_the_entry_for_other_programs_starts_a_server_of_mcp")
    [entry] = json.loads(block.text.replace("/path/to", str(project)))["mcpServers"].values()
    started = StdioServerParameters(
        command=str(BIN / entry["command"]), args=entry["args"], env=os.environ | environment(project)
    )

    async def tools():
        async with Client(stdio_client(started)) as client:
            return [tool.name for tool in (await client.list_tools()).tools]

    assert "search_knowledge_base" in asyncio.run(tools())


@pytest.mark.parametrize("block", blocks_run_by("test_the_python_of_a_page_runs"), ids=lambda block: block.name)
def test_the_python_of_a_page_runs(block, project):
    done = subprocess.run([sys.executable, "-c", block.text], cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


QUERY = "power usage effectiveness"


@pytest.mark.parametrize(
    "query", [QUERY, "Who maintains the model?", "amber that floats in salt water", "cost of a repair"]
)
def test_sql_over_the_vectors_ranks_as_the_search_by_meaning_alone(query, project, shell, monkeypatch, capsys):
    [block] = blocks_run_by("test_sql_over_the_vectors_ranks_as_the_search_by_meaning_alone")
    lines = [line for block in blocks_run_by("test_a_command_of_the_pages_runs") for line in block.commands]
    [command] = [line for line in lines if QUERY in line and "fusion=append" in line]
    monkeypatch.chdir(project)
    exec(block.text.replace(QUERY, query), {})
    ranked = re.findall(r"^([\d.]{6}) (\S+)", capsys.readouterr().out, flags=re.MULTILINE)
    distance_by_id = {node_id: distance for distance, node_id in ranked}
    found = json.loads(shell.verb(f"{command.replace(QUERY, query)} --json").stdout)["matches"]
    # Nodes at one distance, such as a paragraph and its only sentence, may change places.
    assert [distance_by_id.get(match["node_id"]) for match in found] == [distance for distance, _ in ranked]
    assert len(found) == 10


def test_the_command_for_a_local_model_asks_its_server_without_a_key(shell, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    [block] = blocks_run_by("test_the_command_for_a_local_model_asks_its_server_without_a_key")
    with OpenAIServer() as server:
        answered = shell.run([block.text.strip().replace("http://127.0.0.1:11434/v1", server.base_url)])
        assert {request["model"] for request in server.requests} == {"qwen3:8b"}
    assert "answered by qwen3:8b" in answered


def test_the_notebook_runs_and_draws_its_picture(project, shell):
    notebook = ROOT / "docs" / "first-project.ipynb"
    mine = shutil.copy(notebook, project)
    shell.bash(f"python {ROOT / 'docs' / 'run_notebook.py'} {mine}")
    cells = [cell for cell in json.loads(Path(mine).read_text(encoding="utf-8"))["cells"] if "outputs" in cell]
    assert "image/png" in cells[-1]["outputs"][-1]["data"]
    printed = ["".join(cell["outputs"][0]["text"]) for cell in cells]
    assert printed[0] == "failure: None\n"
    assert printed[1].startswith("29260 kWh\nkohaku-energy-report, page 1: ")


@pytest.mark.parametrize("example", list(examples()))
def test_the_example_of_a_verb_runs(example, project, shell):
    if "init" in example:
        shutil.rmtree(project / "my-project", ignore_errors=True)
    if example.startswith("kohaku serve"):
        with running_server(project) as server:
            assert server.stop() == 0
        return
    shell.run(example.splitlines())
