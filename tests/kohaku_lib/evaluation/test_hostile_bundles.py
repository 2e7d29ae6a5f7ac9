"""Bundles that somebody made to do harm: one sentence each, within the limit, and nothing of the user's is lost."""

import io
import json
import random
import resource
import subprocess
import sys
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation.bundle import check_target, replay_bundle, write_bundle
from kohaku_lib.settings import EnsembleSettings
from kohaku_lib.tables import PREDICTIONS, QUESTIONS

REFUSED = "is not a readable replay bundle"


def row_of(schema, **values):
    kinds = ((pa.types.is_string, ""), (pa.types.is_boolean, False), (pa.types.is_list, []), (pa.types.is_struct, {}))
    empty = {f.name: next((value for is_kind, value in kinds if is_kind(f.type)), 0) for f in schema if not f.nullable}
    return {field.name: None for field in schema} | empty | values


TRUTH = json.dumps({"id": "q1", "question": "How much?", "answer_value": "4", "ref_id": "['a']"})
QUESTION = row_of(QUESTIONS, id="q1", question="How much?", has_truth=True, row_json=TRUTH)
PREDICTION = row_of(PREDICTIONS, id="q1", run=0, run_label="run 0", answer_value="4", ref_id=["a"])


@pytest.fixture
def good(tmp_path):
    tables = (
        pa.Table.from_pylist([row], schema=schema) for row, schema in ((QUESTION, QUESTIONS), (PREDICTION, PREDICTIONS))
    )
    path = tmp_path / "good.zip"
    write_bundle(path, {"made_at": "today"}, *tables, EnsembleSettings())
    return path


def changed(good, **parts):
    """A copy of `good` with other parts; "_" stands for the dot of a name."""
    path = good.with_name("changed.zip")
    told = {name.replace("_", "."): content for name, content in parts.items()}
    with zipfile.ZipFile(good) as source, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            target.writestr(name, told.get(name, source.read(name)))
    return path


def parquet(table, **options):
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    return sink.getvalue()


RECORDS = [
    b"[]",
    b"7",
    b'{"ensemble": 7}',
    b'{"ensemble": {"runs": "x"}}',
    b"[" * 100_000,
    b'{"ensemble": null}',
    b"\xff",
]


@pytest.mark.parametrize("record", RECORDS, ids=range(len(RECORDS)))
def test_a_record_of_any_form_is_refused_in_one_sentence(good, record):
    with pytest.raises(InputFileError, match=REFUSED) as caught:
        replay_bundle(changed(good, record_json=record))
    assert "\n" not in str(caught.value)


ROWS = [
    {"row_json": "no json"},
    {"row_json": "[" * 100_000},
    {"row_json": "7"},
    {"row_json": '{"answer_value": {"a": 1}}'},
]


@pytest.mark.parametrize("row", ROWS, ids=range(len(ROWS)))
def test_questions_that_cannot_be_scored_are_refused_or_scored(good, row):
    table = pa.Table.from_pylist([QUESTION | row], schema=QUESTIONS)
    try:
        replay_bundle(changed(good, questions_parquet=parquet(table)))
    except InputFileError as error:
        assert REFUSED in str(error)  # noqa: PT017 - either way it is no other error


def test_text_that_is_no_utf_8_and_columns_that_lack_values_are_refused(good):
    broken = pa.Table.from_pylist([QUESTION], schema=QUESTIONS)
    raw = pa.array([b"\xff\xfe"], pa.binary())
    text = pa.Array.from_buffers(pa.string(), 1, raw.buffers())
    at = broken.column_names.index("question")
    for column in (text, pa.array([None], pa.string())):
        table = broken.set_column(at, pa.field("question", pa.string()), column)
        with pytest.raises(InputFileError, match=REFUSED):
            replay_bundle(changed(good, questions_parquet=parquet(table)))


@pytest.mark.slow
def test_a_file_that_grows_without_end_is_refused_before_it_fills_the_memory(good):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    zeros = bytes(10_000_000)
    path = good.with_name("changed.zip")
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target,
        target.open("record.json", "w", force_zip64=True) as part,
    ):
        for _ in range(60):
            part.write(zeros)
    with pytest.raises(InputFileError, match=r"record\.json is larger than 100 MB"):
        replay_bundle(path)
    many = pa.Table.from_pylist([QUESTION | {"question": "x" * 1_000_000}], schema=QUESTIONS)
    table = pa.concat_tables([many] * 1)
    at = table.column_names.index("question")
    repeated = pa.DictionaryArray.from_arrays(pa.array([0] * 20_000, pa.int32()), pa.array(["x" * 1_000_000]))
    rows = pa.table({name: [table[name][0].as_py()] * 20_000 for name in table.column_names if name != "question"})
    rows = rows.add_column(at, "question", repeated)
    bomb = parquet(rows, compression="zstd")
    assert len(bomb) < 2_000_000
    with pytest.raises(InputFileError, match=r"questions\.parquet is larger than 500 MB"):
        replay_bundle(changed(good, questions_parquet=bomb))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2_000_000  # kB


def test_bundles_with_random_damage_are_refused_in_one_sentence_or_read(good):
    draw = random.Random(7)
    content = good.read_bytes()
    for _ in range(150):
        spoilt = bytearray(content)
        for _ in range(draw.choice([1, 3, 30])):
            spoilt[draw.randrange(len(spoilt))] = draw.randrange(256)
        path = good.with_name("changed.zip")
        path.write_bytes(spoilt[: draw.choice([len(spoilt), draw.randrange(len(spoilt))])])
        try:
            replay_bundle(path)
        except InputFileError as error:
            assert "\n" not in str(error)  # noqa: PT017


def kohaku(*arguments, cwd):
    command = [str(Path(sys.executable).parent / "kohaku"), *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_the_command_ends_with_2_in_one_sentence_and_leaves_every_file_as_it_was(good, tmp_path):
    (tmp_path / "scores.csv").write_text("mine")
    done = kohaku("replay", changed(good, record_json=b"[]"), "--out", "scores.csv", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("kohaku: ")
    assert done.stderr.count("\n") == 1
    assert (tmp_path / "scores.csv").read_text() == "mine"
    before = good.read_bytes()
    assert kohaku("replay", good, "--out", good, cwd=tmp_path).returncode == 2
    assert good.read_bytes() == before


def test_a_file_that_is_no_bundle_is_not_replaced_by_one(tmp_path, good):
    (tmp_path / "kohaku.toml").write_text("[corpus]\n")
    with pytest.raises(InputFileError, match="exists and is not a bundle, so it is not overwritten"):
        check_target(tmp_path / "kohaku.toml")
    check_target(good)
    check_target(tmp_path / "new.zip")
