"""'kohaku doctor' finds, says and mends; what is paid for is never deleted; the advice printed works as printed."""

import itertools
import json
import random
import re
import shlex
import shutil
import sqlite3

import pytest
from damaged_stores import add_ledger, differences

from kohaku_assets.operations.doctor.quarantine import Quarantine
from kohaku_assets.operations.doctor.store_faults import find_faults
from kohaku_assets.records.sql_views import write_sql_views
from kohaku_lib.index import current_version
from kohaku_lib.llm import CallLedger


@pytest.fixture
def kohaku(kohaku):
    """The copy of a project whose views, as of a store that was copied, are those of its own files."""
    write_sql_views(kohaku.project)
    return kohaku


def snapshot_file(project, name):
    return project.snapshots / current_version(project.snapshots) / name


def flip(path):
    content = path.read_bytes()
    middle = len(content) // 2
    path.write_bytes(content[:middle] + bytes([content[middle] ^ 4]) + content[middle + 1 :])


def test_a_sound_store_is_said_to_be_sound(kohaku):
    for arguments in (["doctor"], ["doctor", "--check"]):
        told = kohaku(*arguments)
        assert (told.exit_code, told.stderr.strip()) == (0, "nothing is damaged")


# Damaged together, as none of a group is named or mended by what is done about another one of it.
DAMAGED = {
    "what each step of an index needs": {
        "stages/tree_nodes/*.parquet": ["stages/tree_nodes/", "tree_nodes"],
        "snapshots/*/nodes.arrow": ["snapshots/", "vector_tables"],
        "submission.csv": ["submission.csv", "submission"],
        "cache/embeddings/*/part-*.parquet": ["cache/embeddings/"],
        "history/*.json": ["history/"],
    },
    "what tells of it": {
        "snapshots/*/meta.json": ["snapshots/", "vector_tables"],
        "stages/scores/latest.json": ["stages/scores/latest.json", "scores"],
        "reports/error_report.html": ["reports/error_report.html", "error_report"],
        "release_scores.parquet": ["release_scores.parquet", "published_index"],
        "kohaku.duckdb": ["kohaku.duckdb"],
        "format.json": ["format.json"],
    },
    "what points to it": {
        "snapshots/current": ["snapshots/current", "published_index"],
        "cache/file_hashes.json": ["cache/file_hashes.json"],
    },
}


@pytest.mark.parametrize("group", DAMAGED)
def test_each_damaged_file_is_found_named_and_mended_with_the_asset_that_it_belongs_to(kohaku, home, group):
    paths = [min(kohaku.project.store.glob(pattern)) for pattern in DAMAGED[group]]
    for path in paths:
        content = path.read_bytes()
        path.write_bytes(content[: min(100, len(content) // 2)] if path.name != "current" else b"\xffgarbage\n")
    looked = kohaku("doctor", "--check", "--json")
    assert looked.exit_code == 1
    named = [row["path"] for row in json.loads(looked.stdout)]
    for part in itertools.chain(*DAMAGED[group].values()):
        assert any(name.startswith(part) for name in named), named
    assert all(row["done"] is None for row in json.loads(looked.stdout))
    assert all(path.exists() for path in paths)  # only looked at
    mended = kohaku("doctor", "--json")
    assert mended.exit_code == 0, mended.output
    assert all(row["done"] for row in json.loads(mended.stdout))
    assert kohaku("doctor", "--check").stderr.strip() == "nothing is damaged"
    assert json.loads(kohaku("status", "--json").stdout) == []
    assert differences(home, kohaku.project.home) == []


def test_bits_that_flip_behind_the_back_of_sizes_and_times_are_found_by_content(kohaku):
    from kohaku_lib.storage import FileChecks, seal_of

    path = snapshot_file(kohaku.project, "vectors.main.npy")
    seal = seal_of(path)
    flip(path)
    checks = FileChecks(kohaku.project.snapshots)
    checks.note(path, seal)
    checks.save()
    assert json.loads(kohaku("status", "--json").stdout) == []
    told = kohaku("doctor")
    assert told.exit_code == 0
    assert "vectors.main.npy" in re.sub(r"\s", "", told.stdout)
    assert kohaku("doctor", "--check").exit_code == 0


def test_a_damaged_index_that_no_stage_made_is_moved_away_with_the_pointer_to_it(kohaku):
    project = kohaku.project
    own = current_version(project.snapshots)
    shutil.copytree(project.snapshots / own, project.snapshots / "imported")
    assert kohaku("snapshots", "--publish", "imported").exit_code == 0
    (project.snapshots / "imported" / "nodes.arrow").write_bytes(b"")
    assert kohaku("ask", "What floats?").exit_code == 2
    assert kohaku("doctor").exit_code == 0
    assert kohaku("doctor", "--check").exit_code == 0
    assert kohaku("refresh").exit_code == 0
    assert current_version(project.snapshots) == own
    assert len(list(project.store.glob("damaged/*/snapshots/imported/meta.json"))) == 1


def test_a_project_that_was_never_built_has_nothing_damaged(kohaku):
    shutil.rmtree(kohaku.project.store)
    assert kohaku("doctor").stderr.strip() == "nothing is damaged"


def test_paid_calls_are_kept_where_a_line_of_the_ledger_is_damaged(kohaku):
    add_ledger(kohaku.project.home)
    folder = kohaku.project.store / "llm_calls"
    [path] = folder.glob("*.jsonl")
    before = path.read_bytes()
    changed = before.replace(b"reply 1", b"reply 7")
    path.write_bytes(changed)
    assert len(CallLedger(folder)) == 2  # what was changed is not taken for a reply
    [finding] = json.loads(kohaku("doctor", "--json").stdout)
    assert finding["wrong"] == "1 of 3 calls cannot be read"
    assert finding["done"] == "2 calls remain in use, the damaged file is saved"
    assert len(CallLedger(folder)) == 2
    [kept] = kohaku.project.store.glob("damaged/*/llm_calls/*.jsonl")
    assert kept.read_bytes() == changed


def test_a_damaged_database_of_dagster_is_one_sentence_and_its_advice_works(kohaku):
    [database] = kohaku.project.home.joinpath("dagster_home").rglob("runs.db")
    for log in database.parent.glob("runs.db-*"):
        log.unlink()
    database.write_bytes(b"no database" * 1000)
    told = kohaku("refresh", "--force", "scores")
    said = [line for line in told.stderr.splitlines() if line.startswith("kohaku: ")]
    assert told.exit_code == 1
    assert len(said) == 1
    assert said[0].endswith("'kohaku doctor' if the error persists")
    assert kohaku("doctor").exit_code == 0
    assert kohaku("refresh", "--force", "scores").exit_code == 0
    with sqlite3.connect(database) as connection:
        assert connection.execute("PRAGMA quick_check").fetchone() == ("ok",)


def run_advice(kohaku, sentence):
    """Run the command that a sentence names, as it is printed."""
    [command] = re.findall(r"'kohaku ([^']*)'", sentence)
    return kohaku(*shlex.split(command))


UNUSABLE = {
    "snapshots/*/nodes.arrow": "ask",
    "snapshots/current": "ask",
    "stages/vector_tables/*.parquet": "retrieve",
    "stages/predictions/*.parquet": "report",
}


@pytest.mark.parametrize("pattern", UNUSABLE)
def test_the_advice_of_a_verb_that_cannot_go_on_works_as_printed(kohaku, pattern):
    path = min(kohaku.project.store.glob(pattern))
    path.write_bytes(b"PAR1")
    arguments = {
        "ask": ["ask", "What floats?"],
        "retrieve": ["retrieve", "--questions", "data/sample/questions.csv", "--out", "out.jsonl"],
        "report": ["report", "--out", "report"],
    }[UNUSABLE[pattern]]
    told = kohaku(*arguments)
    assert told.exit_code == 2, told.output
    [said] = [line for line in told.stderr.splitlines() if line.startswith("kohaku: ")]
    assert run_advice(kohaku, said).exit_code == 0
    assert kohaku(*arguments).exit_code == 0


def test_status_says_what_is_damaged_and_refresh_repairs_it(kohaku):
    store = kohaku.project.store
    for path in (*store.glob("stages/tree_nodes/*.parquet"), store / "submission.csv"):
        path.write_bytes(b"")
    (store / "snapshots/current").write_text("garbage\n")
    causes = {row["asset"]: row["causes"][0] for row in json.loads(kohaku("status", "--json").stdout)}
    assert re.fullmatch(r"damaged: tree_nodes/\w+\.parquet has 0 bytes instead of \d+", causes["tree_nodes"])
    assert re.fullmatch(r"damaged: submission\.csv has 0 bytes instead of \d+", causes["submission"])
    assert causes["published_index"] == "damaged: snapshots/current does not name an existing index"
    assert kohaku("refresh").exit_code == 0
    assert json.loads(kohaku("status", "--json").stdout) == []


def test_twenty_random_bit_flips_are_each_found(kohaku):
    project, draw = kohaku.project, random.Random(21)
    usage = project.paths.usage  # copies of the database for SQL, written anew with each view
    files = [path for path in sorted(project.store.rglob("*")) if path.is_file() and path.stat().st_size]
    files = [path for path in files if not path.is_relative_to(usage)]
    sound = {path: path.read_bytes() for path in draw.sample([path for path in files if path.name != ".lock"], 20)}
    for path, content in sound.items():
        flipped = bytearray(content)
        flipped[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
        path.write_bytes(flipped)
    named = [fault.path for fault in find_faults(project, Quarantine(project.store), afresh=True)]
    for path, content in sound.items():  # an output by itself or by its manifest, a file of an index by its folder
        told = [one for one in named if path.is_relative_to(one) or path.with_suffix("") == one.with_suffix("")]
        assert told, path
        path.write_bytes(content)
    assert find_faults(project, Quarantine(project.store), afresh=True) == []
