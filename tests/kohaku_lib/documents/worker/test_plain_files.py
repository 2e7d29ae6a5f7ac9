"""Plain files are read in this process, to the same replies and within the same limits as in one of their own."""

import json
import os

import pytest

from kohaku_lib.documents.worker import kept_processes, supervisor
from kohaku_lib.documents.worker.plain_files import is_plain, reply_to_plain
from kohaku_lib.documents.worker.supervisor import parse_isolated
from kohaku_lib.settings import DocumentsSettings

PAYLOAD = {"document_id": "bee", "text": "Bees fly.", "sections": [{"title": "S", "paragraphs": [{"text": "Bees."}]}]}


@pytest.fixture
def task_for(tmp_path):
    def task(name, content, **more):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        settings = DocumentsSettings(ocr="off").model_dump(mode="json")
        return {"path": str(path), "settings": settings, "time_limit_s": 60.0, "memory_limit_mb": 4096, **more}

    return task


@pytest.fixture
def started(monkeypatch):
    """The processes that were started meanwhile."""
    kept_processes.end_kept_processes()
    found, start = [], kept_processes._start_process
    monkeypatch.setattr(
        kept_processes, "_start_process", lambda environment: found.append(environment) or start(environment)
    )
    return found


def test_payloads_and_plain_texts_start_no_process_and_others_do(task_for, started):
    tasks = [
        task_for("bee.json", json.dumps(PAYLOAD)),
        task_for("ant.md", "# Ants\n\nThey walk.\n"),
        task_for("wasp.TXT", "Wasps fly."),
    ]
    names = [reply["payload"]["document_id"] for reply in parse_isolated(tasks, workers=2)]
    assert names == ["bee", "ant", "wasp"]
    assert len(started) == 1


def test_the_reply_is_that_of_a_process(task_for):
    contents = [
        ("bee.json", json.dumps(PAYLOAD)),
        ("surrogate.json", '{"text": "x \\ud800 y", "metadata": {"n": NaN, "t": [1, [2]]}}'),
        ("list.json", "[1, 2]"),
        ("torn.json", '{"text": '),
        ("deep.json", "[" * 200_000),
        ("deeper.json", '{"text": "a", "metadata": {"a": ' + "[" * 900 + "]" * 900 + "}}"),
        ("kinds.json", '{"text": "a", "sections": [{"paragraphs": 3}]}'),
        ("empty.txt", ""),
        ("blank.txt", " \n"),
        ("binary.txt", b"a\0b"),
        ("latin.txt", "Grün".encode("latin-1")),
        ("two.text", "One.\r\n\r\nTwo."),
        ("hours.yaml", "# Opening hours\nlibrary:\n  opens: 8:30\n\nrooms:\n  - name: hall\n"),
    ]
    tasks = [task_for(name, content) for name, content in contents]
    by_process = list(supervisor._pool_replies(tasks, 1))
    for task, reply in zip(tasks, by_process, strict=True):
        assert is_plain(task)
        assert json.dumps(reply_to_plain(task)) == json.dumps(reply), task["path"]


def test_a_file_that_changed_since_it_was_listed_is_an_error(task_for):
    reply = reply_to_plain(task_for("bee.json", json.dumps(PAYLOAD), sha256="0" * 64))
    assert (reply["status"], reply["error"]) == ("failed", "'bee.json' changed while it was being read; run again")


def test_what_could_pass_a_limit_gets_a_process_of_its_own(task_for, tmp_path):
    text = json.dumps({"text": "a" * 100_000})
    plain = task_for("a.json", text)
    assert is_plain(plain)
    assert not is_plain({**plain, "time_limit_s": 9.0})
    assert not is_plain({**plain, "memory_limit_mb": 9})  # 100 bytes for a byte
    assert is_plain({**plain, "memory_limit_mb": 10})
    assert not is_plain(task_for("large.json", json.dumps({"text": "a" * 4_000_001})))
    assert not is_plain({**plain, "images": []})
    assert not is_plain({**plain, "pages": []})
    assert not is_plain({**plain, "path": str(tmp_path / "none.json")})
    assert not is_plain(task_for("a.html", "<p>a</p>"))
    os.mkfifo(tmp_path / "pipe.json")
    assert not is_plain({**plain, "path": str(tmp_path / "pipe.json")})
    (tmp_path / "folder.txt").mkdir()
    assert not is_plain({**plain, "path": str(tmp_path / "folder.txt")})


def test_the_worst_json_of_its_size_stays_within_the_memory_that_is_allowed_for_it(task_for, tmp_path):
    import tracemalloc

    content = '{"text": "a", "metadata": {"a": [' + ",".join(["{}"] * 100_000) + "]}}"
    task = task_for("worst.json", content)
    tracemalloc.start()
    reply = reply_to_plain(task)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(reply["payload"]["metadata"]["a"]) == 100_000
    assert peak < 100 * len(content)
