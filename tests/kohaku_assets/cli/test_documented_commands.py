"""Every command that the README, the docs and the help of the verbs print is run as printed, on a copy of the sample."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from index_material import word_vectors
from openai_server import OpenAIServer
from running_server import running_server
from tiny_cross_encoder import tiny_cross_encoder
from vault_material import write_vault

from kohaku_assets.cli import VERBS, main

pytestmark = pytest.mark.xdist_group("documented")
ROOT = Path(__file__).resolve().parents[3]
BIN = Path(sys.executable).parent
PAGES = (ROOT / "README.md", ROOT / "docs" / "documents.md", ROOT / "docs" / "how-it-works.md")
IN_ORDER = [ROOT / "docs" / name for name in ("tutorial.md", "experiments.md", "releasing.md", "conversations.md")]
OF_THEIR_OWN = [ROOT / "docs" / name for name in ("figures.md", "tenants.md")]  # each makes a project
SERVERS = {"ui"}  # they go on until they are interrupted; test_first_hour.py runs it
NOT_HERE = ("make ", "cd ", "cp ")  # run by the blocks that need them, or by the one who runs these tests


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


def run(command, project):
    environment = os.environ | {
        "HOME": str(project),
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "DAGSTER_HOME": str(project / "dagster_home"),
    }
    result = subprocess.run(
        ["bash", "-ec", command], cwd=project, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
    return result


def blocks(page):
    return re.findall(r"```bash\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def commands():
    """The single commands of the pages, without comments; the block on one's own documents is run as a whole."""
    for block in (block for page in PAGES for block in blocks(page)):
        if "kohaku init" not in block:
            lines = [line.split("    #")[0].strip() for line in block.splitlines()]
            yield from (line for line in lines if line and not line.startswith(NOT_HERE))


def examples():
    context = main.make_context("kohaku", [], resilient_parsing=True)
    for name in VERBS.names():
        if name in SERVERS:
            continue
        text = main.get_command(context, name).get_help(context)
        yield text.split("Example:")[1].split("Options:")[0].strip()


@pytest.mark.parametrize("command", list(commands()))
def test_a_command_of_the_pages_runs(command, project):
    run(command, project)


def test_the_way_to_ones_own_documents_runs(project):
    [block] = [block for block in blocks(ROOT / "README.md") if "kohaku init" in block]
    result = run(block, project)
    assert "my-project" in result.stderr
    assert result.stdout.strip()


@pytest.mark.parametrize("page", IN_ORDER, ids=lambda page: page.stem)
def test_the_commands_of_a_page_run_one_after_the_other(page, project):
    for block in blocks(page):
        run(block, project)
    for query in re.findall(r"```sql\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL):
        with duckdb.connect(project / "data" / "store" / "kohaku.duckdb", read_only=True) as connection:
            assert connection.sql(query).fetchall()


@pytest.mark.parametrize("page", OF_THEIR_OWN, ids=lambda page: page.stem)
def test_the_commands_of_a_page_that_makes_its_own_project_run(page, project, tmp_path):
    [block] = blocks(page)
    printed = run(f"cd {tmp_path}; {block}", project).stdout
    assert {"figures": "price in EUR: 900", "tenants": "64 panels"}[page.stem] in printed


def test_a_backup_of_the_page_on_operations_is_made_checked_and_restored(project, tmp_path):
    [block] = [block for block in blocks(ROOT / "docs" / "operations.md") if "kohaku backup" in block]
    lines = [line.split("    #")[0].strip() for line in block.splitlines()]
    commands = "; ".join(lines).replace("/mnt/backups", str(tmp_path / "backups"))
    run(f"{commands} --set store={tmp_path / 'store'}", project)  # the store of the project is not empty
    assert (tmp_path / "store" / "snapshots" / "current").exists()


def test_the_examples_of_the_pages_on_http_and_serving_are_answered(project):
    page = (ROOT / "docs" / "http.md").read_text(encoding="utf-8")
    [client] = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "serving.md").read_text("utf-8"), flags=re.DOTALL)
    # but for the first key, with which the others would need one
    examples = re.findall(r"^## POST (?!/v1/keys)(\S+)\n(?:(?!^## ).*\n)*?```json\n(.*)\n```", page, flags=re.MULTILINE)
    with running_server(project) as server:
        given = {path: server.client.post(path, json=json.loads(body)) for path, body in examples}
        code = f"{client.replace('http://127.0.0.1:8321', server.url)}\nprint(reply.choices[0].message.content)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    refused = {path: response.text for path, response in given.items() if not response.is_success}
    assert sorted(refused) == ["/v1/feedback", "/v1/reviews/{answer_id}/accept"]  # they judge an answer that was given
    assert len(given) > 6
    assert (done.returncode, bool(done.stdout.strip())) == (0, True), done.stderr


@pytest.mark.parametrize("page", ["README.md", "docs/how-it-works.md"])
def test_the_python_of_a_page_runs(page, project):
    for code in re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL):
        done = subprocess.run([sys.executable, "-c", code], cwd=project, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_the_command_for_a_local_model_asks_its_server_without_a_key(project):
    [block] = blocks(ROOT / "docs" / "local-model.md")
    with OpenAIServer() as server:
        answered = run(f"unset OPENAI_API_KEY; {block.replace('http://127.0.0.1:11434/v1', server.base_url)}", project)
        assert {request["model"] for request in server.requests} == {"qwen3:8b"}
    assert "answered by qwen3:8b" in answered.stdout


def test_the_notebook_runs_and_draws_its_picture(project):
    notebook = ROOT / "docs" / "first-project.ipynb"
    mine = shutil.copy(notebook, project)
    run(f"python {ROOT / 'docs' / 'run_notebook.py'} {mine}", project)
    cells = [cell for cell in json.loads(Path(mine).read_text(encoding="utf-8"))["cells"] if "outputs" in cell]
    assert "image/png" in cells[-1]["outputs"][-1]["data"]
    printed = ["".join(cell["outputs"][0]["text"]) for cell in cells]
    assert printed[0] == "failure: None\n"
    assert printed[1].startswith("29260 kWh\nkohaku-energy-report, page 1: ")


@pytest.mark.parametrize("example", list(examples()))
def test_the_example_of_a_verb_runs(example, project):
    if "init" in example:
        shutil.rmtree(project / "my-project", ignore_errors=True)
    if example.startswith("kohaku serve"):
        with running_server(project) as server:
            assert server.stop() == 0
        return
    run(example, project)
