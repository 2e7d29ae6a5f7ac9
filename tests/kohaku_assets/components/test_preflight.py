"""What is missing is said before the first stage starts."""

import pytest
from click.testing import CliRunner

from kohaku_assets.cli import main
from kohaku_assets.components.preflight import check_requirements
from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.run import Run
from kohaku_lib.composition import load_settings
from kohaku_lib.errors import SettingsError

CHAT = ("llm.provider=openai", "llm.model=small")


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENROUTER_API_KEY", "NO_SUCH_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "dagster_home"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "a.txt").write_text("Amber\n\nAmber floats in salt water.\n")
    (tmp_path / "questions.csv").write_text("id,question\nq1,What floats?\n")
    (tmp_path / "bad.csv").write_text("id,text\nq1,What floats?\n")
    (tmp_path / "kohaku.toml").write_text('[corpus]\ndocuments = "documents"\nquestions = "questions.csv"\n')
    return tmp_path


def kohaku(*arguments, settings=()):
    overrides = [part for setting in settings for part in ("--set", setting)]
    return CliRunner().invoke(main, [*arguments, *overrides])


MISSING = [
    (CHAT, "needs a key in the environment variable OPENAI_API_KEY"),
    ((*CHAT, "planner.kind=rule"), "needs a key in the environment variable OPENAI_API_KEY"),
    (("embedding.model=openai:small",), "embedding.model = 'openai:small' needs a key"),
    (
        (
            "rerank.kind=served",
            "rerank.base_url=http://127.0.0.1:1",
            "rerank.served_model=x",
            "rerank.api_key_env=NO_SUCH_KEY",
        ),
        "needs a key in the environment variable NO_SUCH_KEY, which is not set",
    ),
    (("rerank.kind=embedding_similarity", "rerank.conformal=none.json"), "none.json"),
    (("rerank.kind=local", "rerank.local_model=./none"), "set rerank.local_model to a folder"),
    (("embedding.model=./none",), "set embedding.model to 'minilm' or to a folder"),
    (("embedding.model=jinaai/jina-embeddings-v4",), "set embedding.trust_remote_code = true if you trust it"),
    (("llm.provider=local", "llm.model=./none"), "none' is not a folder; set a folder with a model"),
    (("answer.by=replay", 'replay.runs=["none.csv"]'), "none.csv cannot be read"),
    (("corpus.questions=bad.csv",), "lacks the column 'question'"),
    (("retrieval.paragraph_search_mode=full", "embedding.paragraph_mode=averaged"), "needs embedding.paragraph_mode"),
]


@pytest.mark.parametrize(("settings", "told"), MISSING, ids=[told[:30] for _, told in MISSING])
def test_a_refresh_says_what_is_missing_before_any_stage_starts(home, settings, told):
    result = kohaku("refresh", settings=settings)
    assert result.exit_code == 2
    assert told in result.stderr
    assert result.stderr.startswith("kohaku: ")
    assert len(result.stderr.splitlines()) == 1
    assert not (home / "data" / "store" / "stages").exists()


def test_a_model_whose_price_is_unknown_is_named_before_a_budget_is_spent(home, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "a-key-of-the-tests")
    result = kohaku("refresh", settings=(*CHAT, "llm.max_cost_usd=1"))
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
    assert "llm.max_cost_usd needs the price of 'small'" in result.stderr


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_a_folder_without_documents_is_named_before_any_stage_starts(home, options):
    (home / "empty").mkdir()
    (home / "empty" / "film.mp4").write_bytes(b"0")
    (home / "metadata.csv").write_text("id,title\na,A document without a file\n")
    result = kohaku("refresh", *options, settings=["corpus.documents=empty", "corpus.metadata=metadata.csv"])
    assert result.exit_code == 2
    assert (
        "contains no file that Kohaku reads; 1 files in it are not supported, see 'kohaku documents'" in result.stderr
    )
    assert len(result.stderr.splitlines()) == 1


def test_a_dry_run_needs_no_key(home):
    for settings in (CHAT, ("embedding.model=openai:small",)):
        assert kohaku("refresh", "--dry-run", settings=settings).exit_code == 0


def test_only_what_the_stages_at_hand_ask_for_is_looked_at(home):
    project = Project(load_settings(overrides=CHAT, environment={}, folder=home))
    check_requirements(Run(project), ["documents", "tree_nodes", "sentence_embeddings", "vector_tables"])
    with pytest.raises(SettingsError):
        check_requirements(Run(project), ["predictions"])
    assert kohaku("refresh", "vector_tables", settings=CHAT).exit_code == 0


def test_answers_and_sweeps_say_it_before_they_begin(home):
    assert kohaku("refresh", "published_index").exit_code == 0
    settings = (*CHAT, "planner.kind=rule")
    result = kohaku("answer", "--questions", "questions.csv", "--out", "out.csv", settings=settings)
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
    assert not (home / "out.csv").exists()
    with (home / "kohaku.toml").open("a") as file:
        file.write(
            '[sweep.depth]\nline = "retrieval.top_k"\nline_values = [4, 8]\nx = "answer.max_retries"\nx_values = [0]\n'
        )
    result = kohaku("sweep", "depth", settings=settings)
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
    assert "OPENAI_API_KEY" in result.stderr


def test_true_references_to_no_document_are_named_once_and_lose_nothing(home):
    (home / "questions.csv").write_text(
        "id,question,answer_value,ref_id\nq1,What floats?,amber,\"['A','gone']\"\nq2,What sinks?,lead,a\n"
        + "".join(f"m{n},What?,1,none\n" for n in range(12))
    )
    result = kohaku("refresh", "published_index")
    assert result.exit_code == 0
    told = [line for line in result.stderr.splitlines() if "which does not exist" in line]
    assert told[0] == "the question 'q1' refers to 'gone', which does not exist; correct its ref_id or add the document"
    assert len(told) == 10
    assert "3 more questions refer to documents that do not exist" in result.stderr
    found = kohaku("evaluate-retrieval", "--truth", "questions.csv", "--json")
    assert found.exit_code == 0
    assert told[0] in found.stderr
