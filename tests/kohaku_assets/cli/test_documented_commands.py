"""Every command that the README, the docs and the help of the verbs print is run as printed, on a copy of the sample.

A pipe of the README runs in a real shell, the others in this process (tests/support/documented_shell.py). A command that
several pages or the help of a verb show, too, is run on one page alone, as is one that differs from it by a number.
"""

import json
import os
import re
import runpy
import shlex
import shutil
import sys
from pathlib import Path

import duckdb
import pytest
from documented_shell import DocumentedShell
from index_material import word_vectors
from mails import pdf
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
SERVERS = {"ui", "serve"}  # they go on until they are interrupted; test_first_hour.py and the page on serving run them
TO_POSTGRES = {"export-graph"}  # to a server, which a test of its own starts
IN_ORDER = "test_the_commands_of_a_page_run_one_after_the_other"


@pytest.fixture(scope="module")
def project(home, built, tmp_path_factory, request):
    """A copy of the built sample with the environment's own .venv, a paper and a cross-encoder in its home.

    It has a quarter of the questions, as the experiments of the pages answer them more than twenty times.
    """
    folder = tmp_path_factory.mktemp("documented") / "kohaku"
    shutil.copytree(home, folder)
    questions = folder / "data" / "sample" / "questions.csv"
    questions.write_text("".join(questions.read_text(encoding="utf-8").splitlines(keepends=True)[:4]), encoding="utf-8")
    (folder / ".venv").symlink_to(BIN.parent)
    (folder / "papers").mkdir()
    tiny_cross_encoder(folder / "models" / "reranker")
    write_vault(folder / "kohakurag.db", word_vectors)
    (folder / "papers" / "report.pdf").write_bytes(pdf("In 2023 the whole workshop used 41,800 kWh of electricity."))
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
    on_pages = commands_in_order()
    for name in VERBS.names():
        if name in SERVERS | TO_POSTGRES:
            continue
        example = help_example(context, name)
        if not {without_numbers(line) for line in example.splitlines()} <= on_pages:
            yield example


def commands_in_order():
    return {without_numbers(line) for block in blocks_run_by(IN_ORDER) for line in block.commands}


def commands_of_the_pages():
    lines = [line for block in blocks_run_by("test_a_command_of_the_pages_runs") for line in block.commands]
    return [line for line in lines if without_numbers(line.removeprefix(".venv/bin/")) not in commands_in_order()]


def without_numbers(line):
    return re.sub(r"=\d+", "=0", line)


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


@pytest.mark.parametrize("command", commands_of_the_pages())
def test_a_command_of_the_pages_runs(command, shell):
    shell.run([command])


def test_the_way_to_ones_own_documents_runs(shell):
    [block] = blocks_run_by("test_the_way_to_ones_own_documents_runs")
    start, *others = block.commands
    assert "my-project" in shell.verb(start).stderr
    assert "41,800 kWh" in shell.run(others)


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


def test_the_examples_of_the_pages_on_http_and_serving_are_answered(project, shell, capsys):
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
        exec(f"{client}\nprint(reply.choices[0].message.content)", {})
        given = dict(answered(server.client, examples))
    assert capsys.readouterr().out.strip()
    for path in ("/v1/local-models/tried", "/v1/local-models/chosen"):  # none was listed
        assert "is not what was listed; list the models again" in given.pop(path)
    assert "'minutes/2024.docx' is not left out" in given.pop("/v1/documents/included")  # nothing was
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


@pytest.mark.parametrize("block", blocks_run_by("test_the_python_of_a_page_runs"), ids=lambda block: block.name)
def test_the_python_of_a_page_runs(block, project, monkeypatch):
    monkeypatch.chdir(project)
    exec(block.text, {})


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


def test_the_notebook_runs_and_draws_its_picture(project, monkeypatch):
    monkeypatch.chdir(project)
    monkeypatch.setenv("DAGSTER_HOME", str(project / "dagster_home"))
    run_notebook = runpy.run_path(str(ROOT / "docs" / "run_notebook.py"))["run_notebook"]
    cells = [cell for cell in run_notebook(ROOT / "docs" / "first-project.ipynb")["cells"] if "outputs" in cell]
    assert "image/png" in cells[-1]["outputs"][-1]["data"]
    printed = ["".join(cell["outputs"][0]["text"]) for cell in cells]
    assert printed[0] == "failure: None\n"
    assert printed[1].startswith("41800 kWh\nkohaku-energy-report, page 1: ")


@pytest.mark.parametrize("example", list(examples()))
def test_the_example_of_a_verb_runs(example, project, shell):
    if "init" in example:
        shutil.rmtree(project / "my-project", ignore_errors=True)
    shell.run(example.splitlines())
