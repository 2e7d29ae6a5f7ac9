"""Replay bundles: the same scores byte for byte, and one sentence for what is no bundle."""

import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tracemalloc
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sparse_tables import table_of

from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation.bundle import replay_bundle, write_bundle
from kohaku_lib.settings import EnsembleSettings
from kohaku_lib.tables import PREDICTIONS, QUESTIONS


def question(name, value):
    row = {"id": name, "question": "How much?", "answer_value": value, "ref_id": "['a']"}
    return {"id": name, "question": "How much?", "has_truth": True, "row_json": json.dumps(row)}


def prediction(name, run, value):
    return {"id": name, "run": run, "run_label": f"run {run}", "answer_value": value, "ref_id": ["a"]}


@pytest.fixture
def experiment():
    questions = table_of(QUESTIONS, question("q1", "4.3"), question("q2", "7"))
    answers = [("q1", 0, "4.3"), ("q2", 0, "8"), ("q1", 1, "4.3"), ("q2", 1, "7"), ("q1", 2, "5"), ("q2", 2, "7")]
    return questions, table_of(PREDICTIONS, *(prediction(*answer) for answer in answers))


def test_a_bundle_scores_again_byte_for_byte(tmp_path, experiment):
    path = tmp_path / "e.zip"
    ensemble = EnsembleSettings(ref_mode="answer_priority")
    written = write_bundle(path, {"made_at": "today"}, *experiment, ensemble)
    replay = replay_bundle(path)
    assert replay.is_equal
    assert replay.scores_csv == written
    assert replay.record == {"made_at": "today", "ensemble": ensemble.model_dump(mode="json")}
    lines = written.decode().splitlines()
    assert lines[0] == "member,metric,id,value,ref,na,score"
    # By vote both are right; run 0 has q2 wrong.
    assert lines[1:3] == ["ensemble,wattbot,q1,1.0,1.0,1.0,1.0", "ensemble,wattbot,q2,1.0,1.0,1.0,1.0"]
    assert "run 0,wattbot,q2,0.0,1.0,1.0,0.25" in lines


def test_equal_experiments_are_equal_files(tmp_path, experiment):
    for name in ("one.zip", "two.zip"):
        write_bundle(tmp_path / name, {}, *experiment, EnsembleSettings())
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


def test_other_scores_are_told(tmp_path, experiment):
    path, changed = tmp_path / "e.zip", tmp_path / "changed.zip"
    write_bundle(path, {}, *experiment, EnsembleSettings())
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(changed, "w") as target:
        for name in source.namelist():
            target.writestr(name, b"id\n" if name == "scores.csv" else source.read(name))
    assert not replay_bundle(changed).is_equal


@pytest.mark.parametrize("content", [b"", b"no zip"])
def test_what_is_no_bundle_is_one_sentence(tmp_path, content):
    path = tmp_path / "e.zip"
    path.write_bytes(content)
    with pytest.raises(InputFileError, match="is not a readable replay bundle"):
        replay_bundle(path)
    with pytest.raises(InputFileError, match="is not a readable replay bundle"):
        replay_bundle(tmp_path / "missing.zip")


def test_a_bundle_with_a_damaged_member_is_one_sentence(tmp_path, experiment):
    path = tmp_path / "e.zip"
    write_bundle(path, {}, *experiment, EnsembleSettings())
    with zipfile.ZipFile(path) as archive:
        first = archive.infolist()[0]
    content = bytearray(path.read_bytes())
    at = first.header_offset + 30 + len(first.filename)
    content[at : at + first.compress_size] = b"\xff" * first.compress_size
    path.write_bytes(content)
    with pytest.raises(InputFileError, match="is not a readable replay bundle"):
        replay_bundle(path)


def with_member(source, target, name, content, method=zipfile.ZIP_DEFLATED):
    """The bundle `source` with another content of a member, as `target`."""
    with zipfile.ZipFile(source) as archive, zipfile.ZipFile(target, "w") as changed:
        for one in archive.namelist():
            changed.writestr(one, content if one == name else archive.read(one), method)
    return target


def one_long_text_many_times():
    """A Parquet file of QUESTIONS in some kilobytes that takes 20 GB of memory."""
    rows = 20_000
    indices = pa.Array.from_buffers(pa.int32(), rows, [None, pa.py_buffer(bytes(4 * rows))])
    columns = {field.name: pa.DictionaryArray.from_arrays(indices, ["x" * 1_000_000]) for field in QUESTIONS}
    columns["has_truth"] = pa.array([True] * rows)
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


@pytest.mark.parametrize(
    ("name", "method", "reason"),
    [
        ("record.json", zipfile.ZIP_DEFLATED, "record.json is larger than 100 MB"),
        ("predictions.parquet", zipfile.ZIP_DEFLATED, "predictions.parquet is larger than 100 MB"),
        ("scores.csv", zipfile.ZIP_BZIP2, "uses an unsupported compression method"),
    ],
)
def test_a_member_that_unpacks_without_end_is_refused_before_it_fills_the_memory(
    tmp_path, experiment, name, method, reason
):
    write_bundle(tmp_path / "e.zip", {}, *experiment, EnsembleSettings())
    bomb = with_member(tmp_path / "e.zip", tmp_path / "bomb.zip", name, bytes(300_000_000), method)
    tracemalloc.start()
    with pytest.raises(InputFileError, match=re.escape(reason)):
        replay_bundle(bomb)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 250_000_000


def test_a_member_that_hides_its_size_is_refused_too(tmp_path, experiment):
    write_bundle(tmp_path / "e.zip", {}, *experiment, EnsembleSettings())
    bomb = with_member(tmp_path / "e.zip", tmp_path / "bomb.zip", "record.json", bytes(300_000_000))
    bomb.write_bytes(bomb.read_bytes().replace((300_000_000).to_bytes(4, "little"), (10).to_bytes(4, "little")))
    with pytest.raises(InputFileError, match="is not a readable replay bundle"):
        replay_bundle(bomb)


@pytest.mark.slow
def test_a_table_that_repeats_a_long_text_is_refused_before_it_fills_the_memory(tmp_path, experiment):
    write_bundle(tmp_path / "e.zip", {}, *experiment, EnsembleSettings())
    bomb = with_member(tmp_path / "e.zip", tmp_path / "bomb.zip", "questions.parquet", one_long_text_many_times())
    before = pa.default_memory_pool().max_memory()
    with pytest.raises(InputFileError, match=r"questions\.parquet is larger than 500 MB"):
        replay_bundle(bomb)
    assert pa.default_memory_pool().max_memory() < max(before, 0) + 2_000_000_000


def test_a_bundle_without_answers_is_no_bundle(tmp_path):
    path = tmp_path / "e.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("record.json", "{}")
    with pytest.raises(InputFileError, match=r"questions\.parquet"):
        replay_bundle(path)


@pytest.mark.parametrize(("hash_seed", "threads"), [("0", "1"), ("12345", "4")])
def test_another_process_in_an_empty_folder_gives_the_same_bytes(tmp_path, hash_seed, threads):
    draw = random.Random(5)
    names = [f"q{number}" for number in range(12)]
    sources = [["a"], ["b", "a"], ["c"]]
    answers = [
        {**prediction(name, run, draw.choice(["4.3", "7", "4,300", "is_blank"])), "ref_id": draw.choice(sources)}
        for run in range(5)
        for name in names
    ]
    questions = table_of(QUESTIONS, *(question(name, draw.choice(["4.3", "7"])) for name in names))
    written = write_bundle(
        tmp_path / "e.zip", {}, questions, table_of(PREDICTIONS, *answers), EnsembleSettings(ref_mode="expected_score")
    )
    place = tmp_path / f"empty {hash_seed}"
    place.mkdir()
    shutil.copy(tmp_path / "e.zip", place)
    environment = {"PATH": os.defpath, "HOME": str(place), "PYTHONHASHSEED": hash_seed, "OMP_NUM_THREADS": threads}
    command = [str(Path(sys.executable).parent / "kohaku"), "replay", "e.zip", "--out", "scores.csv"]
    done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (place / "scores.csv").read_bytes() == written
    assert sorted(path.name for path in place.iterdir()) == ["e.zip", "scores.csv"]
