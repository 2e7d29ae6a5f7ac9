"""Verbs over the built sample: files of answers, exit codes, tidying, publishing."""

import csv
import json
import shutil

import duckdb
import pytest
from click.testing import CliRunner
from stage_refresh import refresh_stages

from kohaku_assets.cli import main
from kohaku_assets.pipeline.project import Project
from kohaku_assets.records.state_history import record_state
from kohaku_lib.answering.answer import COMES_CLOSEST
from kohaku_lib.composition import override
from kohaku_lib.index import current_version
from kohaku_lib.storage import store_lock
from kohaku_lib.testing.openai_server import OpenAIServer

REPORT = "kohaku-energy-report"
CHAT = ("llm.provider=openai", "answer.by=model", "llm.call_retries=0", "llm.max_concurrent=1", "answer.max_retries=0")


@pytest.fixture
def kohaku(kohaku, monkeypatch):
    """Run a verb in a private copy of the built project, which has a file of two questions."""
    monkeypatch.setenv("OPENAI_API_KEY", "a-key-of-the-tests")
    questions = "id,question\nb,What floats in salt water?\na,How many sensors are there?\n"
    (kohaku.project.home / "two.csv").write_text(questions)
    return kohaku


def ids(path):
    return [row["id"] for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines())]


def test_answers_are_one_file_without_runs_and_one_per_run_with_them(kohaku):
    home = kohaku.project.home
    assert kohaku("answer", "--questions", "two.csv", "--out", "one.csv", settings=["ensemble.runs=3"]).exit_code == 0
    assert kohaku("answer", "--questions", "two.csv", "--out", "a.b.csv", "--runs", "3").exit_code == 0
    assert sorted(path.name for path in home.glob("*.csv")) == [
        "a.b.1.csv",
        "a.b.2.csv",
        "a.b.3.csv",
        "one.csv",
        "two.csv",
    ]
    assert ids(home / "one.csv") == ids(home / "a.b.3.csv") == ["b", "a"]


def test_no_questions_give_a_file_with_a_header_only(kohaku):
    (kohaku.project.home / "none.csv").write_text("id,question\n")
    assert kohaku("answer", "--questions", "none.csv", "--out", "out.csv").exit_code == 0
    assert ids(kohaku.project.home / "out.csv") == []
    assert "answer_value" in (kohaku.project.home / "out.csv").read_text()


def test_queries_of_ones_own_are_searched_as_they_are(kohaku):
    plans = kohaku.project.home / "plans.jsonl"
    plans.write_text('{"id": "mine", "queries": ["electricity of the machine room", "solar roof"]}\n', encoding="utf-8")
    done = kohaku("retrieve", "--queries", "plans.jsonl", "--out", "c.jsonl", settings=["retrieval.spelling=false"])
    assert done.exit_code == 0, done.stderr
    [row] = [json.loads(line) for line in (kohaku.project.home / "c.jsonl").read_text(encoding="utf-8").splitlines()]
    assert (row["id"], row["queries"]) == ("mine", ["electricity of the machine room", "solar roof"])
    assert row["snippets"] != []
    plans.write_text("{}\n", encoding="utf-8")
    refused = kohaku("retrieve", "--queries", "plans.jsonl", "--out", "c.jsonl")
    assert (refused.exit_code, "line 1 of" in refused.stderr) == (2, True)


def test_an_answer_that_a_failing_server_left_open_fails_the_run_after_writing_the_rest(kohaku):
    with OpenAIServer([{"kind": "ok"}, {"kind": "status", "status": 500}]) as server:
        settings = (*CHAT, f"llm.base_url={server.base_url}", "planner.kind=rule")
        result = kohaku("answer", "--questions", "two.csv", "--out", "out.csv", settings=settings)
    assert result.exit_code == 1
    assert "stays blank" in result.stderr
    assert ids(kohaku.project.home / "out.csv") == ["b", "a"]


def test_runs_in_processes_ask_the_model_as_runs_in_one_process_do_and_one_that_fails_stops_no_other(kohaku):
    home, fault = kohaku.project.home, {"kind": "status", "status": 500}
    told = {"explanation": "", "answer": "", "answer_value": "12", "ref_id": [1], "supporting_materials": ""}
    with OpenAIServer([{"kind": "ok"}, fault], reply=lambda request: json.dumps(told)) as server:
        settings = (*CHAT, f"llm.base_url={server.base_url}", "planner.kind=rule", "answer.seed=5")
        asked = ("answer", "--questions", "two.csv", "--runs", "2")
        each = kohaku(*asked, "--out", "a.csv", "--processes", settings=settings)
        assert each.exit_code == 1
        assert "1 of 2 runs are incomplete: a.1.csv; their messages are above" in each.stderr
        assert [request["seed"] for request in server.requests] == [5, 5, 6, 6]
        assert kohaku(*asked, "--out", "b.csv", settings=settings).exit_code == 0
        # The reply that the first run got is in the ledger; replies of later runs are asked for anew.
        assert [request["seed"] for request in server.requests[4:]] == [5, 6, 6]
    interrupted, whole = ((home / f"{name}.1.csv").read_text().splitlines() for name in "ab")
    # Both questions are asked at once: either can be the second, which meets the fault.
    assert len(set(interrupted) - set(whole)) == 1
    assert (home / "a.2.csv").read_text() == (home / "b.2.csv").read_text()
    assert ids(home / "a.1.csv") == ids(home / "a.2.csv") == ["b", "a"]


def test_processes_need_the_number_of_runs(kohaku):
    refused = kohaku("answer", "--questions", "two.csv", "--out", "a.csv", "--processes")
    assert (refused.exit_code, "give --runs as well" in refused.stderr) == (2, True)


def test_a_value_of_a_model_for_another_year_than_the_question_is_none(kohaku):
    told = {"explanation": "", "answer": "29,260 kWh", "answer_value": "29260", "ref_id": [1]}
    told["supporting_materials"] = "of which the machine room took 29,260 kWh"
    with OpenAIServer(reply=lambda request: json.dumps(told)) as server:
        settings = (*CHAT, f"llm.base_url={server.base_url}", "planner.kind=rule")
        asked = "How much electricity did the machine room use in {}?"
        found = {
            year: json.loads(kohaku("ask", asked.format(year), "--json", settings=settings).stdout)
            for year in (2017, 2023)
        }
    assert (found[2023]["outcome"], found[2023]["answer_value"]) == ("value", "29260")
    assert found[2017]["answer_value"] is None
    assert found[2017]["outcome"] != "value"
    assert "29260" not in found[2017]["answer"]


def test_a_quote_that_no_document_holds_is_marked_on_the_terminal_as_in_json(kohaku):
    reply = {"explanation": "", "answer": "12\x1b[2J", "answer_value": "12", "ref_id": ["kohaku-energy-report"]}
    reply["supporting_materials"] = "Twelve purple sensors\n  [other] sang in the machine room all night."
    with OpenAIServer(reply=lambda request: json.dumps(reply)) as server:
        settings = (*CHAT, f"llm.base_url={server.base_url}", "planner.kind=rule")
        shown = kohaku("ask", "How many sensors are there?", settings=settings).stdout
        [citation] = json.loads(kohaku("ask", "How many sensors are there?", "--json", settings=settings).stdout)[
            "citations"
        ]
    assert citation["quote_found"] is False
    heading, page = citation["heading"], citation["page"]
    assert heading
    place = f"  [kohaku-energy-report, {heading}, page {page}]"
    quote = "Twelve purple sensors [other] sang in the machine room all night."
    first, second, last, end = shown.split("\n")
    assert (first, second) == ("12\\x1b[2J", f"{place} (not found in the document) {quote}")
    assert (last, end) == ("  answered by openai/gpt-4o-mini; confidence unknown", "")


def test_an_answer_says_who_gave_it_and_how_sure_it_is(kohaku):
    shown = kohaku("ask", "How much electricity did the machine room use in 2023?", "--unit", "kWh").stdout
    row = json.loads(
        kohaku("ask", "How much electricity did the machine room use in 2023?", "--unit", "kWh", "--json").stdout
    )
    assert row["answered_by"] == "the built-in reader"
    assert shown.splitlines()[-1].startswith("  answered by the built-in reader; confidence ")
    assert f"({row['confidence']:.2f})" in shown.splitlines()[-1]


def test_a_question_without_an_answer_shows_the_nearest_passages_each_once(kohaku):
    result = kohaku("ask", "Which violinist played at the wedding of the prime minister?")
    head, last = result.stdout.splitlines()
    assert head == "The documents do not say."
    assert last == "  answered by the built-in reader"
    said = result.stderr.splitlines()
    passages = [line for line in said if line.startswith("  [")]
    assert len(passages) == len(set(passages)) == 3


def test_where_no_value_is_sure_the_passage_that_answers_is_shown_with_its_heading(kohaku):
    question = "How do I tell amber from imitations?"
    head, passage, last = kohaku("ask", question).stdout.splitlines()
    told = json.loads(kohaku("ask", question, "--json").stdout)
    assert head == "This passage comes closest:"
    assert passage.startswith("  [amber-guide, Telling amber from imitations] ")
    assert last.startswith("  answered by the built-in reader; confidence ")
    assert (told["outcome"], told["answer_value"], told["citations"]) == ("passage", None, [])
    assert told["answer"] == told["passages"][0]["text"]
    assert "Amber floats, most plastics sink." in told["answer"]


def test_formulas_in_answers_are_escaped_unless_the_setting_says_otherwise(kohaku):
    (kohaku.project.home / "three.csv").write_text("id,question\n-7,=How many sensors are there?\n")
    told = {}
    for value in ("true", "false"):
        setting = f"submission.escape_formulas={value}"
        kohaku("answer", "--questions", "three.csv", "--out", "out.csv", settings=[setting])
        with (kohaku.project.home / "out.csv").open() as stream:
            told[value] = next(csv.DictReader(stream))["question"]
    assert told == {"true": "'=How many sensors are there?", "false": "=How many sensors are there?"}
    assert ids(kohaku.project.home / "out.csv") == ["-7"]


def test_a_recorded_run_that_is_missing_is_one_sentence_of_ours(kohaku):
    result = kohaku("refresh", settings=("answer.by=replay", 'replay.runs=["none.csv"]'))
    assert result.exit_code == 2
    said = [line for line in result.stderr.splitlines() if line.startswith("kohaku: ")]
    assert len(said) == 1
    assert "none.csv cannot be read" in said[0]
    assert "Error" not in said[0]


def test_a_server_that_plans_nothing_fails_the_retrieval_after_writing_it(kohaku):
    with OpenAIServer() as server:
        settings = (*CHAT, f"llm.base_url={server.base_url}")
    result = kohaku("retrieve", "--questions", "two.csv", "--out", "out.jsonl", settings=settings)
    assert result.exit_code == 1
    lines = (kohaku.project.home / "out.jsonl").read_text().splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["b", "a"]
    assert all(len(json.loads(line)["matches"]) >= 20 for line in lines)


def test_publishing_and_rolling_back_move_the_views(kohaku):
    project = kohaku.project
    first = current_version(project.snapshots)
    shutil.copytree(project.snapshots / first, project.snapshots / "older")
    assert kohaku("snapshots", "--publish", "older").exit_code == 0
    assert kohaku("snapshots", "--publish", "older", "--roll-back").exit_code == 2
    with duckdb.connect(project.store / "kohaku.duckdb", read_only=True) as connection:
        [(view,)] = connection.sql("SELECT sql FROM duckdb_views() WHERE view_name = 'nodes'").fetchall()
    assert "older" in view
    assert kohaku("snapshots", "--roll-back").exit_code == 0
    assert current_version(project.snapshots) == first


def test_tidying_removes_what_a_kill_left_behind(kohaku):
    store = kohaku.project.store
    left = [store / "stages" / "scores" / ".latest.json.0a1b2c3d.tmp", store / "cache" / f"part-{'0' * 32}.tmp"]
    for path in left:
        path.write_text("half")
    assert kohaku("gc").exit_code == 0
    assert not any(path.exists() for path in left)
    with store_lock(kohaku.project.store):
        assert not [s.asset for s in kohaku.project.statuses() if s.status != "fresh"]


def test_tidying_spares_the_outputs_of_earlier_states(kohaku_checked):
    for k1 in (0.7, 1.1):
        project = Project(override(kohaku_checked.project.loaded, [f"lexical.k1={k1}", "release.gate=false"]))
        assert refresh_stages(project).failure is None
        record_state(project)

    def lost():
        return [bool(state["lost"]) for state in json.loads(kohaku_checked("history", "--json").stdout)]

    kohaku_checked("gc", "--keep", 1, "--states", 2)
    assert lost() == [False, False, False]
    kohaku_checked("gc", "--keep", 1)
    assert lost() == [False, False, True]
    kohaku_checked("compare", "before", "now")


def test_counts_name_each_document_and_add_up_to_the_nodes(built):
    from kohaku_assets.operations.summaries import document_counts, index_counts
    from kohaku_lib.project import open_published_index

    snapshot = open_published_index(built[0].store)
    rows, totals = document_counts(snapshot, "default"), index_counts(snapshot, "default")
    assert [row["document"] for row in rows] == snapshot.documents["document_id"].to_pylist()
    for kind in ("section", "paragraph", "sentence"):
        assert sum(row[f"{kind}s"] for row in rows) == totals[f"{kind} nodes"]


def test_a_home_of_our_own_making_sends_no_telemetry(tmp_path, monkeypatch):
    from kohaku_assets.components.dagster_instance import dagster_instance
    from kohaku_lib.composition import load_settings

    monkeypatch.setenv("DAGSTER_HOME", "restored afterwards")
    monkeypatch.delenv("DAGSTER_HOME")
    (tmp_path / "kohaku.toml").write_text("")
    with dagster_instance(Project(load_settings(environment={}, folder=tmp_path))) as instance:
        assert instance.root_directory == str(tmp_path / "dagster_home")
        assert instance.telemetry_enabled is False


def test_a_search_can_be_kept_to_documents_and_kinds_and_to_the_own_tenant(kohaku):
    def found(*options, settings=()):
        told = kohaku("search", "energy used by the machine room", "--json", *options, settings=settings)
        assert told.exit_code == 0, told.output
        return json.loads(told.stdout)["matches"]

    everything = found("--top-k", "50")
    document = everything[-1]["document_id"]
    assert (
        {row["document_id"] for row in found("--document", document)}
        == {document}
        != {r["document_id"] for r in everything}
    )
    assert {row["kind"] for row in found("--kind", "paragraph")} == {"paragraph"}
    assert found(settings=["corpus.org_id=someone-else"]) == []


def test_ask_reads_the_named_documents_alone(fresh, monkeypatch):
    monkeypatch.chdir(fresh().home)
    arguments = ["ask", "How much electricity did the whole workshop use in 2023?", "--unit", "kWh", "--json"]
    named = {
        name: CliRunner().invoke(main, [*arguments, "--document", name]) for name in (REPORT, "amber-guide", "none")
    }
    found = {name: json.loads(result.stdout)["citations"] for name, result in named.items() if result.exit_code == 0}
    assert {name: {one["document_id"] for one in cited} for name, cited in found.items()} == {
        REPORT: {REPORT},
        "amber-guide": set(),
    }
    assert "no document of the index is called 'none'" in named["none"].stderr


@pytest.mark.parametrize(
    ("value", "reference", "shown", "confidence"),
    [
        ("41,800", ["a document"], "(source found by the quote)", "unknown"),
        (
            "44,999",
            [1],
            "(not found in the document) It used 44,999 kWh. (the quote does not state the value)",
            "low (0.30)",
        ),
    ],
)
def test_ask_tells_a_source_that_was_found_and_a_value_that_no_excerpt_states(
    value, reference, shown, confidence, fresh, monkeypatch
):
    monkeypatch.chdir(fresh().home)
    quote = (
        "In 2023 the whole workshop used 41,800 kWh of electricity" if value == "41,800" else f"It used {value} kWh."
    )
    told = {"explanation": "", "answer": "", "answer_value": value, "ref_id": reference, "supporting_materials": quote}
    with OpenAIServer(reply=lambda body: json.dumps(told)) as server:
        settings = (
            "llm.provider=openai",
            "answer.by=model",
            f"llm.base_url={server.base_url}",
            "llm.model=m",
            "planner.kind=rule",
        )
        command = ["ask", "How much electricity did the whole workshop use in 2023?", "--unit", "kWh"]
        settings = (*settings, "answer.max_retries=0")
        kept, result = (
            CliRunner().invoke(main, [*command, *(piece for one in chosen for piece in ("--set", one))])
            for chosen in ((*settings, "answer.keep_unstated=true"), settings)
        )
    is_stated = value == "41,800"
    warning = f"The model said “{value.replace(',', '')}”, which no passage states."
    assert (warning in result.stderr) is not is_stated
    assert result.stdout.startswith("41800" if is_stated else COMES_CLOSEST)
    result = kept
    assert result.stdout.startswith(value.replace(",", ""))
    assert f"[{REPORT}" in result.stdout
    assert shown in result.stdout
    assert f"confidence {confidence}" in result.stdout
    assert ("**" in result.stderr) == (value == "44,999")  # the closest passages stand below a doubted value
